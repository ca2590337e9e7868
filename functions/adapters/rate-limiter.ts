// Owns the way to the platform's rate limits: one binding each, which counts by key and says whether there is room.

/** Counts one for the key. @returns whether that is within the limit; true where the limit cannot be asked */
export type RateLimiter = (key: string) => Promise<boolean>;

interface RateLimitBinding {
  limit(options: { readonly key: string }): Promise<{ readonly success: boolean }>;
}

/** The counters are on the same machine and answer within a millisecond. */
const TIMEOUT_MS = 250;

/**
 * Without a binding, as on other hosts, there is no limit. One that fails or hangs lets through: a limit protects the
 * service, and must never be what is down.
 * @param onFailure told of each time that the binding did not answer
 */
export function createRateLimiter(binding: unknown, onFailure: () => void): RateLimiter {
  if (!isRateLimit(binding)) return async () => true;
  return async (key) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("The rate limit did not answer.")), TIMEOUT_MS);
    });
    try {
      return (await Promise.race([binding.limit({ key }), late])).success;
    } catch {
      onFailure();
      return true;
    } finally {
      clearTimeout(timer);
    }
  };
}

function isRateLimit(value: unknown): value is RateLimitBinding {
  return typeof value === "object" && value !== null && "limit" in value && typeof value.limit === "function";
}
