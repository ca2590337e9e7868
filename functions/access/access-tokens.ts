// Access tokens in the database: created, found by digest, listed, revoked, and their last use.

import { z } from "zod";
import { redact } from "../../lib/redaction/redact.ts";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import { SCOPES, type Scope } from "./caller.ts";

const time = z.string().transform((value) => new Date(value).toISOString());

export const accessTokenSchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  domains: z.array(z.string()).nullable().describe("The domains that it reads, reports and changes; null for all."),
  created_at: time,
  created_by: z.string().describe("Id of the token that created it, or `service`."),
  owner_id: z
    .string()
    .describe(
      "In whose name it reports: its own id, or that of the first token that it replaces, through all successors.",
    ),
  expires_at: time.nullable().describe("Null for never. Not later than that of the token that created it."),
  revoked_at: time.nullable().describe("Null for a valid token. A token is revoked with the token that created it."),
  last_used_at: time.nullable().describe("To the minute."),
});
export type AccessToken = z.infer<typeof accessTokenSchema>;

/** The caller of a change, and the request. */
export interface Actor {
  readonly actor: string;
  readonly requestId: string;
}

export interface NewToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly domains: readonly string[] | null;
  readonly hash: string;
  readonly expiresAt: Date | null;
  /** Id of the token that creates it; null for other credentials. It ends with its parent. */
  readonly parentId: string | null;
  /** Id of a token whose alerts and sessions it continues; null for none. */
  readonly replaces: string | null;
  readonly now: Date;
  readonly by: Actor;
}

/** A redaction may be longer than the secret that it replaces. */
const NAME_LENGTH = 128;

const creationSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("created"), token: accessTokenSchema }),
  /** The parent was revoked or has expired. */
  z.object({ state: z.literal("creator_ended") }),
  /** There is no token to replace. */
  z.object({ state: z.literal("replaced_unknown") }),
  /** The token to replace has domains that the new one lacks. */
  z.object({ state: z.literal("replaced_wider") }),
]);

/** Stores a token with an audit event; its name is scrubbed. @throws DependencyError */
export async function createAccessToken(
  database: Database,
  { id, name, scopes, domains, hash, expiresAt, parentId, replaces, now, by }: NewToken,
): Promise<z.infer<typeof creationSchema>> {
  const p = {
    id,
    name: redact(name).text.slice(0, NAME_LENGTH),
    scopes: [...scopes],
    domains: domains && [...domains],
    token_hash: hash,
    expires_at: expiresAt?.toISOString() ?? null,
    parent_id: parentId,
    replaces,
    now: now.toISOString(),
    actor: by.actor,
    request_id: by.requestId,
  };
  return database.call("create_access_token", { p }, creationSchema, { retries: 1 });
}

/** Finds revoked and expired tokens too; null when there is none. @throws DependencyError */
export async function findAccessToken(database: Database, hash: string): Promise<AccessToken | null> {
  return database.call("find_access_token", { p_hash: hash }, accessTokenSchema.nullable(), { retries: 1 });
}

/** Includes revoked and expired tokens; newest first. @throws DependencyError */
export async function listAccessTokens(
  database: Database,
  { limit, before }: { readonly limit: number; readonly before: { readonly at: string; readonly id: string } | null },
): Promise<AccessToken[]> {
  const place = before ? { p_before_at: before.at, p_before_id: before.id } : {};
  return database.call("list_access_tokens", { p_limit: limit, ...place }, z.array(accessTokenSchema), { retries: 1 });
}

/**
 * Revokes a token and all tokens made with it, each with an audit event; may be repeated.
 * @returns their ids; null if the token does not exist. @throws DependencyError
 */
export async function revokeAccessTokens(
  database: Database,
  { id, now, by }: { readonly id: string; readonly now: Date; readonly by: Actor },
): Promise<string[] | null> {
  const p = { id, now: now.toISOString(), actor: by.actor, request_id: by.requestId };
  return database.call("revoke_access_tokens", { p }, z.array(z.string()).nullable(), { retries: 1 });
}

/** @throws DependencyError */
export async function recordTokenUse(database: Database, id: string, now: Date): Promise<void> {
  await database.call("touch_access_token", { p_id: id, p_now: now.toISOString() }, IGNORE_RESULT, { retries: 1 });
}
