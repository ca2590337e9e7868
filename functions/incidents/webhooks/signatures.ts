// HMAC signatures of webhook bodies.

import { createHmac, timingSafeEqual } from "node:crypto";

/** HMAC-SHA256 over the parts, one after another, in lower-case hex. */
export function hmacSha256(secret: string, ...parts: readonly (string | Uint8Array)[]): string {
  const digest = createHmac("sha256", secret);
  for (const part of parts) digest.update(part);
  return digest.digest("hex");
}

/** Compares in constant time; the length is not secret. */
export function isSameSignature(signature: string, expected: string): boolean {
  const [a, b] = [Buffer.from(signature), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
