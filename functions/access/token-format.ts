// Format and digest of access tokens.

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";

/** Random bytes in a token: as hard to guess as SHA-256 is to invert. */
export const TOKEN_BYTES = 32;

const PREFIX = "djv_";
const TOKEN_PATTERN = /^djv_[A-Za-z0-9_-]{43}$/;

/** @param bytes TOKEN_BYTES cryptographically secure random bytes */
export function formatToken(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString("base64url");
}

/** Whether it has the format of an access token; other strings need no database lookup. */
export function isToken(presented: string): boolean {
  return TOKEN_PATTERN.test(presented);
}

/**
 * The stored form: SHA-256 in hex. Salt and slow hashing are for passwords: 2^256 tokens cannot be tried, and each
 * request is checked.
 */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares digests, so that neither time nor length reveals how close a guess was. */
export function sameSecret(presented: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(presented), digest(expected));
}
