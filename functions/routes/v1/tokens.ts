// The front door for operators to access tokens: make, list, revoke.

import { createRoute, z } from "@hono/zod-openapi";
import {
  accessTokenSchema,
  createAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from "../../access/access-tokens.ts";
import { SCOPES } from "../../access/caller.ts";
import { formatToken, TOKEN_BYTES, tokenHash } from "../../access/token-format.ts";
import { filledText, requireJsonBody } from "../http/input.ts";
import { pageOf, pageQuery, timeAndId } from "../http/pagination.ts";
import { Problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { actorOf } from "../middleware/audit.ts";
import { scoped } from "../middleware/require-scope.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 3_650;

const EXAMPLE = {
  id: "5b0e6b0e-6a43-4b3a-9f52-0d5f6f0a7c11",
  name: "grafana",
  scopes: ["triage" as const, "read" as const],
  created_at: "2026-11-22T09:00:00.000Z",
  created_by: "service",
  expires_at: "2027-02-20T09:00:00.000Z",
  revoked_at: null,
  last_used_at: null,
};

const newTokenSchema = z
  .strictObject({
    name: filledText(100).openapi({ description: "For people to read." }),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .max(SCOPES.length)
      .transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope)))
      .openapi({
        description: "What it allows. No scope implies another, and none may be given that the caller lacks.",
      }),
    expires_in_days: z.int().min(1).max(MAX_DAYS).optional().openapi({ description: "Never, where it is left out." }),
  })
  .openapi({ example: { name: "grafana", scopes: ["triage", "read"], expires_in_days: 90 } });

const createdSchema = accessTokenSchema
  .extend({ token: z.string().describe("Shown this once; nobody can read it again.") })
  .openapi({ example: { ...EXAMPLE, token: "djv_<43 characters>" } });

const createTokenRoute = createRoute({
  method: "post",
  path: "/v1/admin/tokens",
  summary: "Make a token",
  ...scoped("admin", requireJsonBody),
  request: { body: { required: true, content: { "application/json": { schema: newTokenSchema } } } },
  responses: {
    201: { description: "The token.", content: { "application/json": { schema: createdSchema } } },
    403: problemContent("The caller lacks the scope `admin`, or one that it wants to give."),
    422: problemContent("The body is not valid."),
    503: problemContent("The database is away."),
  },
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/admin/tokens",
  summary: "List tokens, newest first; revoked and expired ones too",
  ...scoped("admin"),
  request: { query: z.strictObject(pageQuery(timeAndId)) },
  responses: {
    200: {
      description: "A page. The tokens themselves are kept nowhere.",
      content: {
        "application/json": {
          schema: z
            .object({ tokens: z.array(accessTokenSchema), next_cursor: z.string().nullable() })
            .openapi({ example: { tokens: [EXAMPLE], next_cursor: null } }),
        },
      },
    },
    422: problemContent("A query parameter is not valid."),
    503: problemContent("The database is away."),
  },
});

const revokeRoute = createRoute({
  method: "delete",
  path: "/v1/admin/tokens/{id}",
  summary: "Revoke a token; again changes nothing",
  ...scoped("admin"),
  request: { params: z.object({ id: z.uuid().openapi({ example: EXAMPLE.id }) }) },
  responses: {
    204: { description: "Revoked. Elsewhere it may go on for `TOKEN_CACHE_SECONDS`." },
    404: problemContent("There is no such token."),
    422: problemContent("The id is not valid."),
    503: problemContent("The database is away."),
  },
});

export const tokenRoutes = createRouter()
  .openapi(createTokenRoute, async (c) => {
    const { name, scopes, expires_in_days } = c.req.valid("json");
    const { database, newId, now, randomBytes } = c.get("services");
    const lacking = scopes.filter((scope) => !c.get("caller").scopes.includes(scope));
    if (lacking.length > 0) {
      const named = lacking.map((scope) => `\`${scope}\``).join(", ");
      throw new Problem("insufficient-scope", `A token can only give what it has itself; yours lacks ${named}.`);
    }
    const token = formatToken(randomBytes(TOKEN_BYTES));
    const time = now();
    const created = await createAccessToken(database, {
      id: newId(),
      name,
      scopes,
      hash: tokenHash(token),
      expiresAt: expires_in_days === undefined ? null : new Date(time.getTime() + expires_in_days * DAY_MS),
      now: time,
      by: actorOf(c),
    });
    return c.json({ ...created, token }, 201, { "cache-control": "no-store" });
  })
  .openapi(listRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const rows = await listAccessTokens(c.get("services").database, { limit: limit + 1, before: cursor ?? null });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.created_at, row.id]);
    return c.json({ tokens: page, next_cursor }, 200);
  })
  .openapi(revokeRoute, async (c) => {
    const { id } = c.req.valid("param");
    const { database, now, authenticator } = c.get("services");
    const found = await revokeAccessToken(database, { id, now: now(), by: actorOf(c) });
    if (!found) throw new Problem("not-found", "There is no token with this id. GET /v1/admin/tokens lists them.");
    authenticator.drop(id);
    return c.body(null, 204);
  });
