// Format of the secrets of the console: the one in a session's cookie, and the one-time code of a link.

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";

/** Random bytes in a session's secret. */
export const SESSION_BYTES = 32;
/** Random bytes in a code: it is valid for minutes, and a person may have to type it. */
export const CODE_BYTES = 16;

const SESSION_PREFIX = "djs_";
const SESSION_PATTERN = /^djs_[A-Za-z0-9_-]{43}$/;
/** Lower case, as RFC 4648 orders it; its letters and digits are hard to confuse. */
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const CODE_PATTERN = /^[a-z2-7]{26}$/;

/** @param bytes SESSION_BYTES cryptographically secure random bytes */
export function formatSession(bytes: Uint8Array): string {
  return SESSION_PREFIX + Buffer.from(bytes).toString("base64url");
}

/** Whether it has the format of a session's secret; other strings need no database lookup. */
export function isSession(presented: string): boolean {
  return SESSION_PATTERN.test(presented);
}

/** @param bytes CODE_BYTES cryptographically secure random bytes */
export function formatCode(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
}

/** The code as a person may have typed it; undefined if it is none. */
export function readCode(text: string): string | undefined {
  const code = text.trim().toLowerCase();
  return CODE_PATTERN.test(code) ? code : undefined;
}

/**
 * Binds a session or code to a configured secret without storing anything that the secret could be guessed from: the key
 * is the random secret, which the database does not have. @returns HMAC-SHA-256 in hex
 */
export function proofOf(random: string, configured: string): string {
  return createHmac("sha256", random).update(configured).digest("hex");
}

/** Compares in constant time. */
export function sameProof(proof: string, expected: string): boolean {
  const [a, b] = [Buffer.from(proof, "hex"), Buffer.from(expected, "hex")];
  return a.length === b.length && timingSafeEqual(a, b);
}
