// Access tokens for operators: create, list, revoke.

import { createRoute, z } from "@hono/zod-openapi";
import {
  accessTokenSchema,
  createAccessToken,
  listAccessTokens,
  revokeAccessTokens,
} from "../../../access/access-tokens.ts";
import { type Caller, SCOPES, SERVICE_CALLER } from "../../../access/caller.ts";
import { formatToken, TOKEN_BYTES, tokenHash } from "../../../access/token-format.ts";
import { domainNameSchema } from "../../../schemas/domain.ts";
import { filledText, requireJsonBody } from "../../http/input.ts";
import { pageOf, pageQuery, timeAndId } from "../../http/pagination.ts";
import { Problem } from "../../http/problem.ts";
import { bodyContent, createRouter, jsonContent, problemContent } from "../../http/router.ts";
import { actorOf } from "../../middleware/audit.ts";
import { scoped } from "../../middleware/require-scope.ts";

const DAY_MS = 86_400_000;
const MAX_DAYS = 3_650;
const MAX_DOMAINS = 20;

const EXAMPLE = {
  id: "5b0e6b0e-6a43-4b3a-9f52-0d5f6f0a7c11",
  name: "grafana",
  scopes: ["triage" as const, "read" as const],
  domains: null,
  created_at: "2026-11-22T09:00:00.000Z",
  created_by: "service",
  owner_id: "5b0e6b0e-6a43-4b3a-9f52-0d5f6f0a7c11",
  expires_at: "2027-02-20T09:00:00.000Z",
  revoked_at: null,
  last_used_at: null,
};

const newTokenSchema = z
  .strictObject({
    name: filledText(100).openapi({ description: "A name for people." }),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .max(SCOPES.length)
      .transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope)))
      .openapi({
        description: "The scopes of the token. No scope implies another. The caller can grant only scopes that it has.",
      }),
    domains: z
      .array(domainNameSchema)
      .min(1)
      .max(MAX_DOMAINS)
      .optional()
      .openapi({
        description:
          "The domains that the token reads, reports and changes. If omitted, those of the token that creates it, all with the service token. A domain need not exist yet.",
        example: ["kubernetes", "checkout-team"],
      }),
    expires_in_days: z.int().min(1).max(MAX_DAYS).optional().openapi({
      description:
        "If omitted, the token expires with the token that creates it; with the service token it never expires. A later end than the caller's is refused.",
    }),
    replaces: z.uuid().optional().openapi({
      description:
        "Id of a token that this one replaces. The new token continues its alerts and sessions. The old one stays valid: revoke it when the new one is in use.",
    }),
  })
  .openapi({ example: { name: "grafana", scopes: ["triage", "read"], expires_in_days: 90 } });

const createdSchema = accessTokenSchema
  .extend({ token: z.string().describe("Shown only once; it cannot be read again.") })
  .openapi({ example: { ...EXAMPLE, token: "djv_<43 characters>" } });

const createTokenRoute = createRoute({
  method: "post",
  path: "/v1/admin/tokens",
  summary: "Create a token",
  ...scoped("admin", requireJsonBody),
  request: { body: bodyContent(newTokenSchema) },
  responses: {
    201: jsonContent("The token.", createdSchema),
    401: problemContent("The token is missing or not valid, or was revoked meanwhile."),
    403: problemContent("The caller lacks the scope `admin`, or a scope that it grants."),
    422: problemContent("The body is not valid, or the token would outlive the caller's."),
  },
});

const listRoute = createRoute({
  method: "get",
  path: "/v1/admin/tokens",
  summary: "List tokens, also revoked and expired ones",
  ...scoped("admin"),
  request: { query: z.strictObject(pageQuery(timeAndId)) },
  responses: {
    200: jsonContent(
      "A page of tokens, without their secrets, which are not stored.",
      z
        .object({ tokens: z.array(accessTokenSchema), next_cursor: z.string().nullable() })
        .openapi({ example: { tokens: [EXAMPLE], next_cursor: null } }),
    ),
  },
});

const revokeRoute = createRoute({
  method: "delete",
  path: "/v1/admin/tokens/{id}",
  summary: "Revoke a token and all tokens made with it",
  ...scoped("admin"),
  request: { params: z.object({ id: z.uuid().openapi({ example: EXAMPLE.id }) }) },
  responses: {
    204: { description: "Revoked. Other isolates may accept it for up to 60 seconds." },
    404: problemContent("No token has this id."),
  },
});

export const tokenRoutes = createRouter()
  .openapi(createTokenRoute, async (c) => {
    const { name, scopes, domains, expires_in_days, replaces } = c.req.valid("json");
    const { authenticator, sessions, database, newId, now, randomBytes } = c.get("services");
    const lacking = scopes.filter((scope) => !c.get("caller").scopes.includes(scope));
    if (lacking.length > 0) {
      const named = lacking.map((scope) => `\`${scope}\``).join(", ");
      throw new Problem(
        "insufficient-scope",
        `A token can grant only scopes that it has; yours lacks ${named}. Leave them out, or use a token that has them.`,
      );
    }
    const token = formatToken(randomBytes(TOKEN_BYTES));
    const time = now();
    const caller = c.get("caller");
    const result = await createAccessToken(database, {
      id: newId(),
      name,
      scopes,
      domains: domainsOf(caller, domains),
      hash: tokenHash(token),
      expiresAt: expiryOf(caller, time, expires_in_days),
      parentId: caller.id === SERVICE_CALLER.id ? null : caller.id,
      replaces: replaces ?? null,
      now: time,
      by: actorOf(c),
    });
    if (result.state === "creator_ended") {
      authenticator.drop(caller.id);
      sessions.drop(caller.id);
      throw new Problem("unauthorized", "Your token was revoked or has expired. Ask for a new one.");
    }
    if (result.state === "replaced_wider")
      throw invalidField("replaces", "must be a token without other domains. Add its domains, or replace none");
    if (result.state === "replaced_unknown") throw invalidField("replaces", "must be the id of a token");
    return c.json({ ...result.token, token }, 201, { "cache-control": "no-store" });
  })
  .openapi(listRoute, async (c) => {
    const { limit, cursor } = c.req.valid("query");
    const rows = await listAccessTokens(c.get("services").database, { limit: limit + 1, before: cursor ?? null });
    const { page, next_cursor } = pageOf(rows, limit, (row) => [row.created_at, row.id]);
    return c.json({ tokens: page, next_cursor }, 200);
  })
  .openapi(revokeRoute, async (c) => {
    const { id } = c.req.valid("param");
    const { database, now, authenticator, sessions } = c.get("services");
    const revokedIds = await revokeAccessTokens(database, { id, now: now(), by: actorOf(c) });
    if (revokedIds === null)
      throw new Problem("not-found", "No token has this id. List tokens with GET /v1/admin/tokens.");
    for (const revokedId of revokedIds) {
      authenticator.drop(revokedId);
      sessions.drop(revokedId);
    }
    return c.body(null, 204);
  });

/** The domains of a token that the caller creates. @throws Problem if the caller lacks one of them */
function domainsOf({ domains: own }: Caller, wanted: readonly string[] | undefined): readonly string[] | null {
  if (wanted === undefined) return own;
  const lacking = wanted.filter((name) => own !== null && !own.includes(name));
  if (lacking.length === 0) return [...new Set(wanted)];
  const named = lacking.map((name) => `\`${name}\``).join(", ");
  throw new Problem(
    "outside-domains",
    `A token can grant only domains that it has; yours lacks ${named}. Leave them out, or use a token that has them.`,
  );
}

/** The expiry of a token that the caller creates. @throws Problem if it is later than the caller's own */
function expiryOf({ expiresAt }: Caller, now: Date, days: number | undefined): Date | null {
  if (days === undefined) return expiresAt;
  const wanted = new Date(now.getTime() + days * DAY_MS);
  if (expiresAt === null || wanted <= expiresAt) return wanted;
  const end = expiresAt.toISOString();
  throw invalidField(
    "expires_in_days",
    `must not be later than the end of your own token, ${end}. Use fewer days, or leave it out to use that end`,
  );
}

function invalidField(field: string, message: string): Problem {
  return new Problem("invalid-request", `The request is not valid: ${field} ${message}.`, {
    errors: [{ field, message }],
  });
}
