// Owns whether a webhook comes from who knows the secret: the signatures of PagerDuty and Grafana over the raw body. Pure.

import { createHmac, timingSafeEqual } from "node:crypto";

/** How old or how far ahead a signed time may be. */
const TOLERANCE_SECONDS = 300;

/** @param header `v1=<hex>`, or several of them parted by commas while a secret is being changed */
export function isSignedByPagerDuty(body: Uint8Array, header: string | undefined, secret: string): boolean {
  const signatures = (header ?? "").split(",").map((part) => part.trim());
  const expected = `v1=${hmac(secret, body)}`;
  return signatures.some((signature) => isSame(signature, expected));
}

/**
 * Grafana signs the body alone, or, where it is told to send the time, `<unix seconds>:<body>`.
 * @param timestamp the header with that time; undefined where there is none
 */
export function isSignedByGrafana(
  body: Uint8Array,
  { signature, timestamp }: { readonly signature: string | undefined; readonly timestamp: string | undefined },
  { secret, now }: { readonly secret: string; readonly now: Date },
): boolean {
  if (timestamp === undefined) return isSame(signature ?? "", hmac(secret, body));
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const isFresh = Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  return isSame(signature ?? "", hmac(secret, `${timestamp}:`, body)) && isFresh;
}

function hmac(secret: string, ...parts: readonly (string | Uint8Array)[]): string {
  const digest = createHmac("sha256", secret);
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
}

/** In constant time; a length is no secret. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
