// A caller as the console shows it.

import { z } from "@hono/zod-openapi";
import { type Caller, SCOPES } from "../../../access/caller.ts";
import type { ConsoleSession } from "../../../access/console-sessions.ts";

export const sessionSchema = z
  .object({
    name: z.string().describe("Name of the token, or of the person."),
    person: z
      .string()
      .nullable()
      .describe("Name of the person that the session is for, in whose name it records; null for a token."),
    scopes: z.array(z.enum(SCOPES)),
    domains: z.array(z.string()).nullable().describe("The domains that it reads, reports and changes; null for all."),
    session_id: z.string().nullable().describe("Null for a request with a token."),
    expires_at: z
      .string()
      .nullable()
      .describe("When the session ends without further use, or the token ends; null for never."),
    version: z.string().describe("Version of Dejavu."),
  })
  .openapi({
    example: {
      name: "on-call",
      person: null,
      scopes: ["triage", "read", "feedback"],
      domains: null,
      session_id: "0c6c0c53-0b43-4f0f-8f0e-1a4d3b1f2c11",
      expires_at: "2026-11-22T21:00:00.000Z",
      version: "1.0.0",
    },
  });

export function renderSession(caller: Caller, session: ConsoleSession | null, version: string) {
  const { name, person, scopes, domains, expiresAt } = caller;
  return {
    name,
    person: person?.name ?? null,
    scopes: [...scopes],
    domains: domains && [...domains],
    session_id: session?.id ?? null,
    expires_at: session?.expires_at ?? expiresAt?.toISOString() ?? null,
    version,
  };
}
