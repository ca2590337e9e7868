// Counts wrong tokens, sessions and codes by network, and blocks a network that sent too many.

import type { RateLimiter } from "../adapters/rate-limiter.ts";
import { setBounded } from "../bounded-map.ts";

/** The window of the rate limit. */
const BLOCK_MS = 60_000;
const MAX_ENTRIES = 1_000;

export interface FailureLimit {
  /** @param network undefined when unknown: it is never blocked */
  isBlocked(network: string | undefined): boolean;
  /** Counts a failure. @returns whether the network is blocked now */
  count(network: string | undefined): Promise<boolean>;
}

export function createFailureLimit(limitFailures: RateLimiter, now: () => Date): FailureLimit {
  // Bounded, and as long-lived as the isolate.
  const blockedUntil = new Map<string, number>();
  return {
    isBlocked: (network) => network !== undefined && now().getTime() < (blockedUntil.get(network) ?? 0),
    async count(network) {
      if (network === undefined || (await limitFailures(network))) return false;
      setBounded(blockedUntil, network, now().getTime() + BLOCK_MS, MAX_ENTRIES);
      return true;
    },
  };
}
