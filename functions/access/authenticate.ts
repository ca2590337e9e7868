// Authentication by bearer token: the service's own token, or a stored token that is neither revoked nor expired. The
// route turns a refusal reason into a response.

import { Buffer } from "node:buffer";
import type { Database } from "../adapters/database.ts";
import { setBounded } from "../bounded-map.ts";
import { type AccessToken, findAccessToken, recordTokenUse } from "./access-tokens.ts";
import { type Caller, SERVICE_CALLER } from "./caller.ts";
import { networkOf } from "./client-network.ts";
import type { ConsoleSession } from "./console-sessions.ts";
import type { FailureLimit } from "./failure-limit.ts";
import { createTokenCache } from "./token-cache.ts";
import { isToken, sameSecret, tokenHash } from "./token-format.ts";

/**
 * - `missing`: no bearer token, or an invalid header
 * - `not_configured`: the service has no token of its own, and this token has another format
 * - `unknown`: there is no such token
 * - `session_unknown`: the cookie names no session
 * - `session_ended`: the session was signed out or revoked, has expired, or its credential ended
 * - `too_many_failures`: too many wrong tokens came from this network; this one was not checked
 */
export type Refusal =
  | "missing"
  | "not_configured"
  | "unknown"
  | "revoked"
  | "expired"
  | "session_unknown"
  | "session_ended"
  | "too_many_failures";

export type Authentication =
  | {
      readonly state: "accepted";
      readonly caller: Caller;
      /** Background task that records the use; null when none is due. Throws DependencyError. */
      readonly recordUse: (() => Promise<void>) | null;
      /** The session of the console; null for a token. */
      readonly session: ConsoleSession | null;
    }
  | { readonly state: "refused"; readonly reason: Refusal };

export interface Authenticator {
  /**
   * @param header the Authorization header @param address the client's address; undefined when unknown
   * @throws DependencyError when the token must be looked up and the database is unavailable
   */
  authenticate(header: string | undefined, address: string | undefined): Promise<Authentication>;
  /** Drops a changed token from this isolate's cache. */
  drop(tokenId: string): void;
}

export interface AuthenticatorOptions {
  /** The service's own token: it has every scope and needs no database. */
  readonly serviceToken: string | undefined;
  /** How long a lookup is cached. */
  readonly cacheSeconds: number;
  readonly database: Database;
  /** The same database with the timeout of background tasks. */
  readonly backgroundDatabase: Database;
  /** Counts wrong tokens by network. */
  readonly failures: FailureLimit;
  readonly now: () => Date;
}

const BASIC = /^Basic +([A-Za-z0-9+/]{1,1000}={0,2}) *$/i;

/**
 * The header with a token that was sent as the password of HTTP Basic authentication, as a bearer token. For senders
 * that take credentials in an address only: `https://dejavu:<token>@…`.
 */
export function bearerOfBasic(header: string | undefined): string | undefined {
  const encoded = BASIC.exec(header ?? "")?.[1];
  if (encoded === undefined) return header;
  const credentials = Buffer.from(encoded, "base64").toString("utf8");
  return `Bearer ${credentials.slice(credentials.indexOf(":") + 1)}`;
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
/** The last use is recorded once a minute: a write for each request would cost more than the request. */
const USE_RECORDED_MS = 60_000;
const MAX_ENTRIES = 1_000;
/** Equal to the time for which a cached token works without the database. */
const SERVICE_NETWORK_MS = 3_600_000;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { serviceToken, database, backgroundDatabase, failures, now } = options;
  const cache = createTokenCache<AccessToken>(options.cacheSeconds, ({ id }) => [id]);
  // Bounded, and as long-lived as the isolate: when a use was last recorded.
  const usedAt = new Map<string, number>();
  // Networks that used the service token lately: wrong tokens from the same network must not lock its holder out.
  const serviceUsedAt = new Map<string, number>();

  const refuseWrongToken = async (reason: Refusal, network: string | undefined): Promise<Authentication> => {
    return { state: "refused", reason: (await failures.count(network)) ? "too_many_failures" : reason };
  };

  const dueUseRecord = (id: string): (() => Promise<void>) | null => {
    const time = now();
    if (time.getTime() < (usedAt.get(id) ?? 0) + USE_RECORDED_MS) return null;
    setBounded(usedAt, id, time.getTime(), MAX_ENTRIES);
    return () => recordTokenUse(backgroundDatabase, id, time);
  };

  return {
    async authenticate(header, address) {
      const presented = BEARER.exec(header ?? "")?.[1];
      if (presented === undefined)
        return { state: "refused", reason: serviceToken === undefined ? "not_configured" : "missing" };
      const hash = tokenHash(presented);
      const network = address === undefined ? undefined : networkOf(address);
      // A blocked network learns nothing, not even that a guess was right. Cached tokens from the same network continue
      // to work, because they cannot be guessed.
      const isBlocked = failures.isBlocked(network);
      const isServiceNetwork = now().getTime() < (serviceUsedAt.get(network ?? "") ?? 0) + SERVICE_NETWORK_MS;
      if (isBlocked && !isServiceNetwork && !cache.has(hash, now()))
        return { state: "refused", reason: "too_many_failures" };
      if (serviceToken !== undefined && sameSecret(presented, serviceToken)) {
        setBounded(serviceUsedAt, network ?? "", now().getTime(), MAX_ENTRIES);
        return { state: "accepted", caller: SERVICE_CALLER, recordUse: null, session: null };
      }
      if (isBlocked && !cache.has(hash, now())) return { state: "refused", reason: "too_many_failures" };
      if (!isToken(presented))
        return refuseWrongToken(serviceToken === undefined ? "not_configured" : "unknown", network);
      const token = await cache.find(hash, now(), () => findAccessToken(database, hash));
      if (token === null) return refuseWrongToken("unknown", network);
      const { id, owner_id: owner, name, scopes, domains } = token;
      const expiresAt = token.expires_at === null ? null : new Date(token.expires_at);
      if (token.revoked_at !== null) return refuseWrongToken("revoked", network);
      if (expiresAt !== null && now() >= expiresAt) return refuseWrongToken("expired", network);
      return {
        state: "accepted",
        caller: { id, owner, name, scopes, expiresAt, domains, person: null },
        recordUse: dueUseRecord(id),
        session: null,
      };
    },
    drop: cache.drop,
  };
}
