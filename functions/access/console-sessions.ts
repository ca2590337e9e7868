// Sessions of the console and one-time codes in the database: created, redeemed, used, listed, revoked.

import { z } from "zod";
import { redact } from "../../lib/redaction/redact.ts";
import type { Database } from "../adapters/database.ts";
import { IGNORE_RESULT } from "../adapters/database.ts";
import { type Actor, accessTokenSchema } from "./access-tokens.ts";

const time = z.string().transform((value) => new Date(value).toISOString());

export const CREDENTIALS = ["token", "service", "slack"] as const;
export type CredentialKind = (typeof CREDENTIALS)[number];

/** What signs in, and the name of the person; null if it is not known. A session allows what its credential allows, and ends with it. */
export type Credential = (
  | { readonly kind: "token"; readonly tokenId: string }
  /** The service's own token. */
  | { readonly kind: "service" }
  /** A person of the chat. `id` is unique across workspaces. */
  | { readonly kind: "slack"; readonly id: string }
) & { readonly name: string | null };

export const consoleSessionSchema = z.object({
  id: z.string(),
  credential: z.enum(CREDENTIALS),
  person: z.string().nullable(),
  person_name: z.string().nullable(),
  created_at: time,
  last_used_at: time,
  expires_at: time,
  revoked_at: time.nullable(),
  token: accessTokenSchema.nullable(),
});
export type ConsoleSession = z.infer<typeof consoleSessionSchema>;

const usedSessionSchema = consoleSessionSchema.extend({ credential_proof: z.string().nullable() });
export type UsedSession = z.infer<typeof usedSessionSchema>;

const redemptionSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("signed_in"), session: consoleSessionSchema }),
  z.object({ state: z.enum(["unknown", "used", "expired", "credential_ended"]) }),
]);
export type Redemption = z.infer<typeof redemptionSchema>;

/** A redaction may be longer than the name. */
const NAME_LENGTH = 128;

function columnsOf(credential: Credential, proofs: Proofs) {
  return {
    credential: credential.kind,
    token_id: credential.kind === "token" ? credential.tokenId : null,
    credential_proof: credential.kind === "token" ? null : proofs[credential.kind],
    person: credential.kind === "slack" ? credential.id : null,
    person_name: credential.name && redact(credential.name).text.slice(0, NAME_LENGTH),
  };
}

/** The proof of each configured secret (`proofOf`): another secret ends the session. Null where none is configured. */
export type Proofs = Readonly<Record<Exclude<CredentialKind, "token">, string | null>>;

export interface NewCode {
  readonly id: string;
  readonly hash: string;
  readonly credential: Credential;
  readonly proofs: Proofs;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** @throws DependencyError */
export async function createSignInCode(database: Database, code: NewCode): Promise<void> {
  const { id, hash, credential, proofs, now, expiresAt } = code;
  const times = { now: now.toISOString(), expires_at: expiresAt.toISOString() };
  const p = { id, code_hash: hash, ...columnsOf(credential, proofs), ...times };
  await database.call("create_sign_in_code", { p }, IGNORE_RESULT, { retries: 1 });
}

interface NewSession {
  readonly id: string;
  readonly hash: string;
  readonly proofs: Proofs;
  readonly now: Date;
  readonly requestId: string;
}

/** Stores a session of a credential, with an audit event. @throws DependencyError */
export async function createConsoleSession(
  database: Database,
  session: NewSession & { readonly credential: Credential; readonly endsAt: Date },
): Promise<ConsoleSession> {
  const { id, hash, credential, proofs, endsAt, now, requestId } = session;
  const p = {
    id,
    session_hash: hash,
    ...columnsOf(credential, proofs),
    ends_at: endsAt.toISOString(),
    now: now.toISOString(),
    request_id: requestId,
  };
  return database.call("create_console_session", { p }, consoleSessionSchema, { retries: 1 });
}

/** Uses a code up and stores its session, with an audit event. Of two calls one succeeds. @throws DependencyError */
export async function redeemSignInCode(
  database: Database,
  code: NewSession & {
    readonly codeHash: string;
    readonly codeProofs: Proofs;
    readonly endsAt: Readonly<Record<CredentialKind, Date>>;
  },
): Promise<Redemption> {
  const { id, hash, proofs, codeHash, codeProofs, endsAt, now, requestId } = code;
  const ends = Object.fromEntries(Object.entries(endsAt).map(([kind, end]) => [kind, end.toISOString()]));
  const p = {
    id,
    session_hash: hash,
    code_hash: codeHash,
    code_proofs: codeProofs,
    session_proofs: proofs,
    ends_at: ends,
    now: now.toISOString(),
    request_id: requestId,
  };
  return database.call("redeem_sign_in_code", { p }, redemptionSchema, { retries: 1 });
}

/** Finds sessions that have ended, too; null when there is none. Records the use. @throws DependencyError */
export async function useConsoleSession(database: Database, hash: string, now: Date): Promise<UsedSession | null> {
  const args = { p_hash: hash, p_now: now.toISOString() };
  return database.call("use_console_session", args, usedSessionSchema.nullable(), { retries: 1 });
}

/** Those that have not ended, newest first. @throws DependencyError */
export async function listConsoleSessions(
  database: Database,
  page: {
    readonly now: Date;
    readonly limit: number;
    readonly before: { readonly at: string; readonly id: string } | null;
  },
): Promise<ConsoleSession[]> {
  const { now, limit, before } = page;
  const place = before ? { p_before_at: before.at, p_before_id: before.id } : {};
  const args = { p_now: now.toISOString(), p_limit: limit, ...place };
  return database.call("list_console_sessions", args, z.array(consoleSessionSchema), { retries: 1 });
}

/** Ends a session, with an audit event; may be repeated. @returns whether it exists @throws DependencyError */
export async function revokeConsoleSession(
  database: Database,
  { id, now, by }: { readonly id: string; readonly now: Date; readonly by: Actor },
): Promise<boolean> {
  const p = { id, now: now.toISOString(), actor: by.actor, request_id: by.requestId };
  return database.call("revoke_console_session", { p }, z.boolean(), { retries: 1 });
}
