// Notes on a ticket, for systems that cannot edit a note. Before a repeated attempt the notes are read: one that has arrived is
// not written again.

import { z } from "@hono/zod-openapi";
import { type JsonRequest, sendJson } from "../../adapters/http/send-json.ts";
import { DependencyError } from "../../dependencies.ts";
import { findTargetUrlProblem } from "../../schemas/evidence/source-url.ts";
import { plainContent, plainReply } from "./plain-text.ts";
import type { Connection, Content, Delivery, Transport } from "./target.ts";

interface TicketApi {
  /** The requests that read the notes of a ticket and write one. The ticket is the reference of its message. */
  readonly read: (ticket: string) => JsonRequest;
  readonly write: (ticket: string, note: string) => JsonRequest;
  /** The texts of the notes in a response. */
  readonly notesIn: (body: unknown) => readonly string[];
  /** The ticket of a failure; null without one. */
  readonly ticketIn: (content: Content) => string | null;
}

export function ticketNotes(api: TicketApi, { timeoutMs, startTimer }: Transport): Connection {
  const limits = { dependency: "notification_target", timeoutMs, startTimer } as const;
  const write = async (ticket: string, text: string, { id, mayBeRepeated }: Delivery) => {
    // The end of the note, so that it is recognised.
    const mark = `[Dejavu ${id.slice(0, 8)}]`;
    if (mayBeRepeated) {
      const notes = api.notesIn(await sendJson(api.read(ticket), limits));
      if (notes.some((note) => note.includes(mark))) return;
    }
    await sendJson(api.write(ticket, `${text}\n${mark}`), limits);
  };
  return {
    async post(content, delivery) {
      const ticket = api.ticketIn(content);
      if (ticket === null)
        throw new DependencyError("notification_target", "refused", "the incident has no ticket there");
      await write(ticket, plainContent(content), delivery);
      return ticket;
    },
    edit: null,
    reply: (ticket, reply, delivery) => write(ticket, plainReply(reply), delivery),
  };
}

/** The address of an API, which the definition may replace: that of another region, or of a proxy. */
export function apiUrl(product: string, standard: string, european: string) {
  return z
    .string()
    .check(({ value, issues }) => {
      const message = findTargetUrlProblem(value);
      if (message !== null) issues.push({ code: "custom", message, input: value });
    })
    .transform((url) => url.replace(/(?<!\/)\/+$/, ""))
    .default(standard)
    .describe(`Address of the API of ${product}; \`${european}\` for an account in the EU.`);
}

/** @throws DependencyError without a key */
export function requireKey(key: string | null): string {
  if (key === null) throw new DependencyError("notification_target", "refused", "there is no API key");
  return key;
}
