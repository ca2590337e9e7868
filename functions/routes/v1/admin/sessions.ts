// Sessions of the console for operators: list, revoke.

import { createRoute, z } from "@hono/zod-openapi";
import { callerOf } from "../../../access/authenticate-session.ts";
import { SCOPES } from "../../../access/caller.ts";
import {
  type ConsoleSession,
  CREDENTIALS,
  listConsoleSessions,
  revokeConsoleSession,
} from "../../../access/console-sessions.ts";
import { pageOf, pageQuery, timeAndId } from "../../http/pagination.ts";
import { Problem } from "../../http/problem.ts";
import { createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { actorOf } from "../../middleware/audit.ts";
import { scoped } from "../../middleware/require-scope.ts";

const EXAMPLE = {
  id: "0c6c0c53-0b43-4f0f-8f0e-1a4d3b1f2c11",
  name: "on-call",
  credential: "token" as const,
  token_id: "5b0e6b0e-6a43-4b3a-9f52-0d5f6f0a7c11",
  scopes: ["triage" as const, "read" as const, "feedback" as const],
  domains: null,
  created_at: "2026-11-22T08:00:00.000Z",
  last_used_at: "2026-11-22T09:00:00.000Z",
  expires_at: "2026-11-22T21:00:00.000Z",
};

const listedSchema = z.object({
  id: z.string(),
  name: z.string().describe("Name of the token, or of the person."),
  credential: z
    .enum(CREDENTIALS)
    .describe("`token`: an access token; `service`: the service token; `slack`: a person in Slack."),
  token_id: z.string().nullable().describe("The access token that it ends with; null for others."),
  scopes: z.array(z.enum(SCOPES)),
  domains: z.array(z.string()).nullable().describe("Null for all."),
  created_at: z.string(),
  last_used_at: z.string().describe("To the minute."),
  expires_at: z.string().describe("When it ends without further use."),
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/admin/sessions",
  summary: "List the sessions of the console that have not ended",
  ...scoped("admin"),
  request: { query: z.strictObject(pageQuery(timeAndId)) },
  responses: {
    200: jsonContent(
      "A page of sessions.",
      z
        .object({ sessions: z.array(listedSchema), next_cursor: z.string().nullable() })
        .openapi({ example: { sessions: [EXAMPLE], next_cursor: null } }),
    ),
  },
});

const revokeRoute = createRoute({
  method: "delete",
  path: "/v1/admin/sessions/{id}",
  summary: "Revoke a session of the console",
  ...scoped("admin"),
  request: { params: z.object({ id: z.uuid().openapi({ example: EXAMPLE.id }) }) },
  responses: {
    204: { description: "Revoked. Other isolates may accept it for up to 60 seconds." },
    404: problemContent("No session has this id."),
  },
});

export const sessionListRoutes = createRouter()
  .openapi(listRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const { database, now } = c.get("services");
    const rows = await listConsoleSessions(database, { now: now(), limit: limit + 1, before: cursor ?? null });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.created_at, row.id]);
    return c.json({ sessions: page.map(renderListed), next_cursor }, 200);
  })
  .openapi(revokeRoute, async (c) => {
    const { id } = c.req.valid("param");
    const { database, now, sessions } = c.get("services");
    if (!(await revokeConsoleSession(database, { id, now: now(), by: actorOf(c) })))
      throw new Problem("not-found", "No session has this id.");
    sessions.drop(id);
    return c.body(null, 204);
  });

function renderListed(session: ConsoleSession): z.infer<typeof listedSchema> {
  const { name, scopes, domains } = callerOf(session);
  const { id, credential, token, created_at, last_used_at, expires_at } = session;
  return {
    id,
    name,
    credential,
    token_id: token?.id ?? null,
    scopes: [...scopes],
    domains: domains && [...domains],
    created_at,
    last_used_at,
    expires_at,
  };
}
