// Rate limits of the platform: one binding for each limit, which counts by key.

import { type StartTimer, within } from "../timers.ts";

/** Counts one request for the key. @returns whether it is within the limit; true when the binding does not answer */
export type RateLimiter = (key: string) => Promise<boolean>;

interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** The counters are on the same machine and answer within a millisecond. */
const TIMEOUT_MS = 250;

/**
 * Without a binding, as on other hosts, there is no limit. A binding that fails or hangs allows the request: a rate
 * limit must never be the cause of an outage.
 * @param onFailure called each time that the binding fails or hangs
 */
export function createRateLimiter(binding: unknown, startTimer: StartTimer, onFailure: () => void): RateLimiter {
  if (!isRateLimit(binding)) return async () => true;
  const deadline = { startTimer, name: "rate_limit", ms: TIMEOUT_MS } as const;
  return async (key) => {
    try {
      const counted = await within(deadline, binding.limit({ key }), () => {
        throw new Error("The rate limit did not answer.");
      });
      return counted.success;
    } catch {
      onFailure();
      return true;
    }
  };
}

function isRateLimit(value: unknown): value is RateLimitBinding {
  return typeof value === "object" && value !== null && "limit" in value && typeof value.limit === "function";
}
