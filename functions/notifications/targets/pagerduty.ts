// PagerDuty: a note on the incident whose webhook reported the alert.
// https://developer.pagerduty.com/api-reference/a1ac30885eb7a-create-a-note-on-an-incident

import { z } from "@hono/zod-openapi";
import type { NotificationKind } from "./target.ts";
import { apiUrl, requireKey, ticketNotes } from "./ticket-notes.ts";

const options = z.object({
  from: z.email().max(254).describe("E-mail address of a user of the account, in whose name the note is written."),
  url: apiUrl("PagerDuty", "https://api.pagerduty.com", "https://api.eu.pagerduty.com"),
});

const notesSchema = z.object({ notes: z.array(z.object({ content: z.string() })) });

export const pagerduty: NotificationKind<"pagerduty", typeof options> = {
  name: "pagerduty",
  product: "PagerDuty",
  options,
  credential: { isRequired: true, holds: "an API key that may write" },
  ticketOf: "pagerduty",
  connect({ from, url }, credential, transport) {
    const key = requireKey(credential);
    const request = (ticket: string, method: "GET" | "POST", body: object | null) => ({
      url: `${url}/incidents/${encodeURIComponent(ticket)}/notes`,
      method,
      headers: { authorization: `Token token=${key}`, accept: "application/vnd.pagerduty+json;version=2", from },
      body: body && JSON.stringify(body),
    });
    return ticketNotes(
      {
        read: (ticket) => request(ticket, "GET", null),
        write: (ticket, content) => request(ticket, "POST", { note: { content } }),
        notesIn: (body) => notesSchema.safeParse(body).data?.notes.map(({ content }) => content) ?? [],
        // The id of the incident is the fingerprint of its alert.
        ticketIn: (content) => (content.kind === "failure" ? (content.message.ticket?.fingerprint ?? null) : null),
      },
      transport,
    );
  },
};
