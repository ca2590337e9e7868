// Owns what an isolate knows of tokens, so that not every request asks the database, and so that those who called
// lately still get in while the database is away.

import { setBounded } from "../bounded-map.ts";
import { settle } from "../dependencies.ts";
import type { AccessToken } from "./access-tokens.ts";

/** Some 300 bytes each. More callers than that an hour only cost a look into the database. */
const MAX_CACHED = 1_000;
/** Apart from the known ones, so that a flood of guesses pushes nobody out. */
const MAX_UNKNOWN = 1_000;
/** Long enough that a client which insists costs nothing, and no longer: nobody waits for a token to become known. */
const UNKNOWN_MS = 10_000;
/** How long a token stays good that cannot be asked for: a database away must not silence the alarms. */
const STALE_MS = 3_600_000;
/** Between two attempts while the database is away: not every request shall wait for its time-out. */
const PAUSE_MS = 10_000;

interface Known {
  readonly token: AccessToken;
  /** When the database said so; milliseconds, as all times here. */
  readonly confirmedAt: number;
  askAgainAt: number;
}

export interface TokenCache {
  /** Whether there is a token to fall back on. */
  knows(hash: string, now: Date): boolean;
  /**
   * What is known, as long as it is fresh, else what `ask` finds; null for an unknown token.
   * @throws DependencyError from `ask`, where the token was not seen within the last hour
   */
  find(hash: string, now: Date, ask: () => Promise<AccessToken | null>): Promise<AccessToken | null>;
  /** Lets the next request ask anew. */
  drop(id: string): void;
}

/** @param freshSeconds for how long an answer of the database holds: so long may a revoked token go on */
export function createTokenCache(freshSeconds: number): TokenCache {
  // By digest. Both live as long as the isolate, are bounded, and hold nothing that a token could be made from.
  const known = new Map<string, Known>();
  const unknownUntil = new Map<string, number>();
  const lately = (hash: string, now: Date): Known | undefined => {
    const seen = known.get(hash);
    return seen && now.getTime() < seen.confirmedAt + STALE_MS ? seen : undefined;
  };
  return {
    knows: (hash, now) => lately(hash, now) !== undefined,

    async find(hash, now, ask) {
      const time = now.getTime();
      const seen = lately(hash, now);
      if (seen && time < seen.askAgainAt) return seen.token;
      if (time < (unknownUntil.get(hash) ?? 0)) return null;
      const lookup = await settle(ask());
      if (!lookup.ok) {
        if (!seen) throw lookup.error;
        seen.askAgainAt = time + PAUSE_MS;
        return seen.token;
      }
      const token = lookup.value;
      if (token) {
        const entry = { token, confirmedAt: time, askAgainAt: time + freshSeconds * 1_000 };
        setBounded(known, hash, entry, MAX_CACHED);
      } else {
        known.delete(hash);
        setBounded(unknownUntil, hash, time + UNKNOWN_MS, MAX_UNKNOWN);
      }
      return token;
    },

    drop(id) {
      for (const [hash, { token }] of known) if (token.id === id) known.delete(hash);
    },
  };
}
