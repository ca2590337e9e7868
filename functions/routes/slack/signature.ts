// Verifies Slack's request signature over the raw body, its age, and that it was not used before.
// https://docs.slack.dev/authentication/verifying-requests-from-slack

import { createHmac, timingSafeEqual } from "node:crypto";

/** Maximum difference between the request's timestamp and the clock, in both directions. */
const WINDOW_MS = 5 * 60_000;

export interface SignedRequest {
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  /** The raw body. */
  readonly body: Uint8Array;
}

/** Why a signature is rejected. For the log only: the response does not reveal it. */
export type SignatureRejection = "missing" | "malformed" | "old" | "future" | "wrong" | "replayed";

/** @returns undefined for a valid signature. Pure; compares in constant time. */
export function rejectionOf(request: SignedRequest, secret: string, now: Date): SignatureRejection | undefined {
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

/** Maximum number of stored signatures, 100 bytes each: far above the presses of ten minutes. */
const MAX_SIGNATURES = 10_000;

export interface ReplayGuard {
  /** Returns true for a new valid signature, and stores it for as long as it is valid. */
  admits(signature: string, now: Date): boolean;
}

/**
 * Stores the signatures that this isolate accepted, to reject a replay at once. The store is bounded and local to the
 * isolate: the claim in the database ensures that no work runs twice.
 */
export function createReplayGuard(): ReplayGuard {
  const validUntil = new Map<string, number>();
  return {
    admits(signature, now) {
      const time = now.getTime();
      for (const [stored, until] of validUntil) {
        // Entries are in order of arrival, and each is valid for the same time.
        if (until > time && validUntil.size < MAX_SIGNATURES) break;
        validUntil.delete(stored);
      }
      if (validUntil.has(signature)) return false;
      // Twice the window: a timestamp may be one window in the future.
      validUntil.set(signature, time + 2 * WINDOW_MS);
      return true;
    },
  };
}
