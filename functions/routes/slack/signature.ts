// Owns whether a request is Slack's: its signature over the raw body, made not long ago, and not seen before.
// https://docs.slack.dev/authentication/verifying-requests-from-slack

import { createHmac, timingSafeEqual } from "node:crypto";

/** How far Slack's clock and ours may be apart, and how long a request may have been under way; either way. */
const WINDOW_MS = 5 * 60_000;

export interface SignedRequest {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  /** As it came. */
  readonly body: Uint8Array;
}

/** Why a request is not taken for Slack's. For the log: a stranger hears of no difference. */
export type Distrust = "missing" | "malformed" | "old" | "future" | "wrong" | "replayed";

/** @returns undefined for a request that is Slack's, as far as one request can tell. Pure; takes the same time for every guess. */
export function distrust(request: SignedRequest, secret: string, now: Date): Distrust | undefined {
  const { timestamp, signature, body } = request;
  if (timestamp === undefined || signature === undefined) return "missing";
  const presented = /^v0=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (!/^\d{1,12}$/.test(timestamp) || presented === undefined) return "malformed";
  const ageMs = now.getTime() - Number(timestamp) * 1_000;
  if (ageMs > WINDOW_MS) return "old";
  if (ageMs < -WINDOW_MS) return "future";
  const expected = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest();
  return timingSafeEqual(Buffer.from(presented, "hex"), expected) ? undefined : "wrong";
}

/** Signatures that the guard remembers: far more than people press in ten minutes; 100 bytes each. */
const MAX_REMEMBERED = 10_000;

export interface ReplayGuard {
  /** Whether this valid signature is new here; it is remembered for as long as it stays valid. */
  admits(signature: string, now: Date): boolean;
}

/**
 * Remembers the signatures that this isolate has seen, to refuse a replay at once. It is bounded, and other isolates
 * know nothing of it: the claim in the database decides that no work is done twice.
 */
export function createReplayGuard(): ReplayGuard {
  const validUntil = new Map<string, number>();
  return {
    admits(signature, now) {
      const time = now.getTime();
      for (const [known, until] of validUntil) {
        // In the order of their coming, and all live equally long.
        if (until > time && validUntil.size < MAX_REMEMBERED) break;
        validUntil.delete(known);
      }
      if (validUntil.has(signature)) return false;
      // Made by a clock that is ahead by the window, it stays valid for another one.
      validUntil.set(signature, time + 2 * WINDOW_MS);
      return true;
    },
  };
}
