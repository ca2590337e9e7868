// Token cache of an isolate. It saves database lookups, and lets recent callers in while the database is unavailable.

import { setBounded } from "../bounded-map.ts";
import { settle } from "../dependencies.ts";

/** Some 300 bytes each. More callers within an hour only cost database lookups. */
const MAX_CACHED = 1_000;
/** Kept apart from valid tokens, so that a flood of guesses evicts none of them. */
const MAX_UNKNOWN = 1_000;
/** Long enough that repeated wrong tokens cost nothing, and short enough for a new token to work soon. */
const UNKNOWN_MS = 10_000;
/** How long a token works when it cannot be looked up: an unavailable database must not stop alerts. */
const STALE_MS = 3_600_000;
/** Pause between two lookups while the database is unavailable, so that not every request waits for a timeout. */
const PAUSE_MS = 10_000;

interface CachedToken<Token> {
  readonly token: Token;
  /** Time of the lookup; milliseconds, as all times here. */
  readonly confirmedAt: number;
  refreshAt: number;
}

export interface TokenCache<Token> {
  /** Whether a cached token exists, fresh or stale. */
  has(hash: string, now: Date): boolean;
  /**
   * Returns the cached token while it is fresh, otherwise the result of `lookUp`; null for an unknown token.
   * @throws DependencyError from `lookUp` when the token was not used within the last hour
   */
  find(hash: string, now: Date, lookUp: () => Promise<Token | null>): Promise<Token | null>;
  /** Removes the tokens with this id, so that the next request looks them up. */
  drop(id: string): void;
}

/**
 * A cache of access tokens, or of sessions.
 * @param cacheSeconds how long a lookup is cached; a revoked token may work for that long
 * @param idsOf the ids that drop a token: its own, and those that it depends on
 */
export function createTokenCache<Token>(
  cacheSeconds: number,
  idsOf: (token: Token) => readonly (string | undefined)[],
): TokenCache<Token> {
  // Keyed by digest, bounded, and as long-lived as the isolate. No token can be derived from the entries.
  const cachedTokens = new Map<string, CachedToken<Token>>();
  const unknownUntil = new Map<string, number>();
  const findCached = (hash: string, now: Date): CachedToken<Token> | undefined => {
    const cached = cachedTokens.get(hash);
    return cached && now.getTime() < cached.confirmedAt + STALE_MS ? cached : undefined;
  };
  return {
    has: (hash, now) => findCached(hash, now) !== undefined,

    async find(hash, now, lookUp) {
      const time = now.getTime();
      const cached = findCached(hash, now);
      if (cached && time < cached.refreshAt) return cached.token;
      if (time < (unknownUntil.get(hash) ?? 0)) return null;
      const lookup = await settle(lookUp());
      if (!lookup.ok) {
        if (!cached) throw lookup.error;
        cached.refreshAt = time + PAUSE_MS;
        return cached.token;
      }
      const token = lookup.value;
      if (token) {
        const entry = { token, confirmedAt: time, refreshAt: time + cacheSeconds * 1_000 };
        setBounded(cachedTokens, hash, entry, MAX_CACHED);
      } else {
        cachedTokens.delete(hash);
        setBounded(unknownUntil, hash, time + UNKNOWN_MS, MAX_UNKNOWN);
      }
      return token;
    },

    drop(id) {
      for (const [hash, { token }] of cachedTokens) if (idsOf(token).includes(id)) cachedTokens.delete(hash);
    },
  };
}
