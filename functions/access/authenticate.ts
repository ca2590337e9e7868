// Owns who may come in with a bearer token: the service's own secret, or a token on record that is neither revoked nor
// expired. What is said of a refusal is the route's to decide; here are the reasons.

import type { Database } from "../adapters/database.ts";
import type { RateLimiter } from "../adapters/rate-limiter.ts";
import { setBounded } from "../bounded-map.ts";
import { findAccessToken, recordUse } from "./access-tokens.ts";
import { type Caller, SERVICE_CALLER } from "./caller.ts";
import { networkOf } from "./client-network.ts";
import { createTokenCache } from "./token-cache.ts";
import { isToken, sameSecret, tokenHash } from "./token-format.ts";

/**
 * - `missing`: no bearer token, or none that a header may carry
 * - `not_configured`: the service has no secret of its own, and this is no token of ours
 * - `unknown`: no such token
 * - `too_many_failures`: from this address came so many wrong tokens that this one was not looked at
 */
export type Refusal = "missing" | "not_configured" | "unknown" | "revoked" | "expired" | "too_many_failures";

export type Authentication =
  | {
      readonly state: "accepted";
      readonly caller: Caller;
      /** Work for behind the answer; null where nothing is due. Throws DependencyError. */
      readonly recordUse: (() => Promise<void>) | null;
    }
  | { readonly state: "refused"; readonly reason: Refusal };

export interface Authenticator {
  /**
   * @param header the header Authorization @param address where the request comes from, undefined where nobody knows
   * @throws DependencyError where the database has to be asked and is away
   */
  authenticate(header: string | undefined, address: string | undefined): Promise<Authentication>;
  /** Makes this isolate ask anew for a token that was changed. */
  drop(tokenId: string): void;
}

export interface AuthenticatorOptions {
  /** The service's own secret, which has every scope and needs no database. */
  readonly serviceToken: string | undefined;
  /** How long an answer of the database holds. */
  readonly freshSeconds: number;
  readonly database: Database;
  /** The same with the patience of work that nobody waits for. */
  readonly backgroundDatabase: Database;
  /** Counts wrong tokens by network. */
  readonly limitFailures: RateLimiter;
  readonly now: () => Date;
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
/** The last use is known to the minute: a write for each request would be more than the requests themselves do. */
const USE_RECORDED_MS = 60_000;
/** The window of the limit that was passed. */
const BLOCK_MS = 60_000;
const MAX_ENTRIES = 1_000;
/** As long as a token on record goes on without the database. */
const SERVICE_SEEN_MS = 3_600_000;

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { serviceToken, database, backgroundDatabase, limitFailures, now } = options;
  const cache = createTokenCache(options.freshSeconds);
  // Both live as long as the isolate and are bounded: when a use was last recorded, and which networks guess too much.
  const usedAt = new Map<string, number>();
  const blockedUntil = new Map<string, number>();
  // From where the service's own token came lately: a wrong token of a neighbour must not shut its holder out.
  const serviceSeenAt = new Map<string, number>();

  const wrong = async (reason: Refusal, network: string | undefined): Promise<Authentication> => {
    if (network === undefined || (await limitFailures(network))) return { state: "refused", reason };
    setBounded(blockedUntil, network, now().getTime() + BLOCK_MS, MAX_ENTRIES);
    return { state: "refused", reason: "too_many_failures" };
  };

  const dueUse = (id: string): (() => Promise<void>) | null => {
    const time = now();
    if (time.getTime() < (usedAt.get(id) ?? 0) + USE_RECORDED_MS) return null;
    setBounded(usedAt, id, time.getTime(), MAX_ENTRIES);
    return () => recordUse(backgroundDatabase, id, time);
  };

  return {
    async authenticate(header, address) {
      const presented = BEARER.exec(header ?? "")?.[1];
      if (presented === undefined)
        return { state: "refused", reason: serviceToken === undefined ? "not_configured" : "missing" };
      const hash = tokenHash(presented);
      const network = address === undefined ? undefined : networkOf(address);
      // Who guesses learns no more, not even that he guessed right. A neighbour behind the same address whose token is
      // known goes on: that one cannot be guessed.
      const isBlocked = network !== undefined && now().getTime() < (blockedUntil.get(network) ?? 0);
      const isNeighbour = now().getTime() < (serviceSeenAt.get(network ?? "") ?? 0) + SERVICE_SEEN_MS;
      if (isBlocked && !isNeighbour && !cache.knows(hash, now()))
        return { state: "refused", reason: "too_many_failures" };
      if (serviceToken !== undefined && sameSecret(presented, serviceToken)) {
        setBounded(serviceSeenAt, network ?? "", now().getTime(), MAX_ENTRIES);
        return { state: "accepted", caller: SERVICE_CALLER, recordUse: null };
      }
      if (isBlocked && !cache.knows(hash, now())) return { state: "refused", reason: "too_many_failures" };
      if (!isToken(presented)) return wrong(serviceToken === undefined ? "not_configured" : "unknown", network);
      const token = await cache.find(hash, now(), () => findAccessToken(database, hash));
      if (token === null) return wrong("unknown", network);
      const { id, name, scopes } = token;
      if (token.revoked_at !== null) return wrong("revoked", network);
      if (token.expires_at !== null && now().getTime() >= Date.parse(token.expires_at))
        return wrong("expired", network);
      return { state: "accepted", caller: { id, name, scopes }, recordUse: dueUse(id) };
    },
    drop: cache.drop,
  };
}
