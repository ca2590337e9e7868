// Owns what a token looks like, and what of it may be kept.

import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";

/** Random bytes in a token: as hard to guess as its digest is to turn back. */
export const TOKEN_BYTES = 32;

const PREFIX = "djv_";
const TOKEN = /^djv_[A-Za-z0-9_-]{43}$/;

/** @param bytes TOKEN_BYTES that nobody can foretell */
export function formatToken(bytes: Uint8Array): string {
  return PREFIX + Buffer.from(bytes).toString("base64url");
}

/** Whether it could be a token of ours: what could not needs no look into the database. */
export function isToken(presented: string): boolean {
  return TOKEN.test(presented);
}

/**
 * What is kept: SHA-256 in hex. No salt and no slow function, which are for passwords: nobody can try 2^256 tokens, and
 * each request has to be checked.
 */
export function tokenHash(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares digests, so that neither the time nor the length says how close a guess was. */
export function sameSecret(presented: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(presented), digest(expected));
}
