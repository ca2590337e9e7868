// Authentication by the cookie of a console session: one that is neither revoked nor expired, whose credential is still valid.

import { createHash } from "node:crypto";
import type { AccessToken } from "./access-tokens.ts";
import type { Authentication } from "./authenticate.ts";
import { type Caller, personId, SERVICE_CALLER, SLACK_SCOPES } from "./caller.ts";
import { networkOf } from "./client-network.ts";
import { type ConsoleSession, type Credential, type UsedSession, useConsoleSession } from "./console-sessions.ts";
import { isSession, sameProof } from "./session-secrets.ts";
import { createProofs, createSignIn, type SignIn, type SignInOptions } from "./sign-in.ts";
import { createTokenCache } from "./token-cache.ts";
import { tokenHash } from "./token-format.ts";

export interface SessionAuthenticator extends SignIn {
  /** @param presented the value of the cookie @throws DependencyError when it must be looked up and the database is unavailable */
  authenticate(presented: string, address: string | undefined): Promise<Authentication>;
  /** Drops a changed session, or the sessions of a changed token, from this isolate's cache. */
  drop(id: string): void;
}

export interface SessionAuthenticatorOptions extends SignInOptions {
  /** How long a lookup is cached. */
  readonly cacheSeconds: number;
}

export function createSessionAuthenticator(options: SessionAuthenticatorOptions): SessionAuthenticator {
  const { database, failures, now } = options;
  const cache = createTokenCache<UsedSession>(options.cacheSeconds, ({ id, token }) => [id, token?.id]);

  const proofsOf = createProofs(options);

  const hasEnded = (session: UsedSession, secret: string): boolean => {
    // The proof binds a session to the secret of its configuration: another secret ends it.
    const { credential, credential_proof: proof, revoked_at, expires_at } = session;
    if (revoked_at !== null || now() >= new Date(expires_at)) return true;
    if (credential === "token") return session.token === null;
    const expected = proofsOf(secret)[credential];
    return expected === null || proof === null || !sameProof(proof, expected);
  };

  return {
    async authenticate(presented, address) {
      const network = address === undefined ? undefined : networkOf(address);
      const hash = tokenHash(presented);
      // A cached session goes on in a blocked network: nobody can guess it.
      if (failures.isBlocked(network) && !cache.has(hash, now()))
        return { state: "refused", reason: "too_many_failures" };
      const session = isSession(presented)
        ? await cache.find(hash, now(), () => useConsoleSession(database, hash, now()))
        : null;
      if (session === null) {
        const isBlocked = await failures.count(network);
        return { state: "refused", reason: isBlocked ? "too_many_failures" : "session_unknown" };
      }
      // Not counted: a page that stayed open sends it again and again.
      if (hasEnded(session, presented)) return { state: "refused", reason: "session_ended" };
      return { state: "accepted", caller: callerOf(session), recordUse: null, session };
    },

    ...createSignIn(options, proofsOf),
    drop: cache.drop,
  };
}

/** The caller that a session acts as. One without person and token is the service's: the database keeps the token of every other. */
export function callerOf({ token, person, person_name, expires_at }: ConsoleSession): Caller {
  if (person !== null) {
    const name = person_name ?? person;
    const owner = `slack:${createHash("sha256").update(person).digest("hex").slice(0, 24)}`;
    const expiresAt = new Date(expires_at);
    return { id: person, owner, name, scopes: SLACK_SCOPES, expiresAt, domains: null, person: { id: person, name } };
  }
  const caller = token === null ? SERVICE_CALLER : callerOfToken(token);
  return person_name === null
    ? caller
    : { ...caller, name: person_name, person: { id: personId(caller, person_name), name: person_name } };
}

function callerOfToken({ id, owner_id: owner, name, scopes, domains, expires_at }: AccessToken): Caller {
  return {
    id,
    owner,
    name,
    scopes,
    expiresAt: expires_at === null ? null : new Date(expires_at),
    domains,
    person: null,
  };
}

/** The credential of a caller that presented its token. @param name of the person who signs in */
export function credentialOf({ id }: Caller, name: string | null = null): Credential {
  return id === SERVICE_CALLER.id ? { kind: "service", name } : { kind: "token", tokenId: id, name };
}
