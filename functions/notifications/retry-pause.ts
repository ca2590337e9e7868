// When a message that was not delivered is tried again. Pure functions.

import type { DependencyError } from "../dependencies.ts";

const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 1_800_000;
/** Time after which a message is given up. */
export const GIVE_UP_AFTER_MS = 86_400_000;
/** Share of a pause that chance adds or takes, so that messages do not come back together. */
const JITTER = 0.2;

/**
 * 15 s, doubling up to half an hour, with jitter; at least as long as the target asks for (`Retry-After`).
 * @param attempts this one included @param random 0 to 1
 */
export function retryPauseMs(
  attempts: number,
  { retryAfterMs = 0 }: { readonly retryAfterMs?: number | undefined },
  random: number,
): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(30, Math.max(0, attempts - 1)), MAX_PAUSE_MS);
  return Math.max(Math.round(pause * (1 + JITTER * (2 * random - 1))), Math.min(retryAfterMs, GIVE_UP_AFTER_MS));
}

/** Whether the failure concerns the target as a whole, so that its other messages wait as well. */
export function concernsTarget({ failure }: DependencyError): boolean {
  return failure === "timeout" || failure === "unreachable" || failure === "busy";
}
