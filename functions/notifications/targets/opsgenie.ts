// Opsgenie: a note on the alert that its webhook reported.
// https://docs.opsgenie.com/docs/alert-api-continued#add-note-to-alert

import { z } from "@hono/zod-openapi";
import type { NotificationKind } from "./target.ts";
import { apiUrl, requireKey, ticketNotes } from "./ticket-notes.ts";

const options = z.object({
  url: apiUrl("Opsgenie", "https://api.opsgenie.com", "https://api.eu.opsgenie.com"),
});

const notesSchema = z.object({ data: z.array(z.object({ note: z.string() })) });

export const opsgenie: NotificationKind<"opsgenie", typeof options> = {
  name: "opsgenie",
  product: "Opsgenie",
  options,
  credential: { isRequired: true, holds: "the key of an API integration that may update alerts" },
  ticketOf: "opsgenie",
  connect({ url }, credential, transport) {
    const key = requireKey(credential);
    const request = (ticket: string, method: "GET" | "POST", body: object | null) => ({
      url: `${url}/v2/alerts/${ticket}`,
      method,
      headers: { authorization: `GenieKey ${key}` },
      body: body && JSON.stringify(body),
    });
    return ticketNotes(
      {
        read: (ticket) => request(`${ticket}&limit=100&order=desc`, "GET", null),
        write: (ticket, note) => request(ticket, "POST", { note, source: "Dejavu" }),
        notesIn: (body) => notesSchema.safeParse(body).data?.data.map(({ note }) => note) ?? [],
        ticketIn: (content) => (content.kind === "failure" ? ticketOf(content.message.ticket) : null),
      },
      transport,
    );
  },
};

/** The path of the notes: by the short id if the webhook had it, else by the alias, which is the fingerprint of the alert. */
function ticketOf(
  ticket: { readonly fingerprint: string; readonly labels: Readonly<Record<string, string>> } | null,
): string | null {
  if (ticket === null) return null;
  const { fingerprint, labels } = ticket;
  const tinyId = labels.opsgenie_tiny_id;
  const id = tinyId ?? fingerprint;
  return `${encodeURIComponent(id)}/notes?identifierType=${tinyId === undefined ? "alias" : "tiny"}`;
}
