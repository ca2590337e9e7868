// Length limits of an alert's fields. Longer values are cut, not refused: the sender cannot correct them. Pure functions.

import { createHash } from "node:crypto";
import { redact } from "../../../lib/redaction/redact.ts";
import { createStreamScrubber } from "../../../lib/redaction/stream-scrubber.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { truncate } from "../../schemas/incident.ts";

/** In characters; `labels` is a number of labels. */
export const LIMITS = {
  labels: 64,
  labelName: 128,
  labelValue: 1_024,
  title: 1_000,
  name: 256,
  runbook: 2_048,
  description: 20_000,
} as const;

/** Characters read beyond a limit, so that a secret at the limit is recognised as a whole. A private key is the longest. */
const MARGIN = 16_384;

/**
 * Strips control characters, repairs lone surrogates, trims and cuts the text; null when nothing remains. A text that is
 * cut is redacted before: nobody recognises half a secret.
 */
export function truncateToLimit(text: string | null | undefined, limit: number): string | null {
  const plain = toPlain(text);
  const truncated = plain.length <= limit ? plain : cutRedacted(plain, limit);
  return truncated === "" ? null : truncated;
}

/** Its name shows that a value is a secret, so a value that is cut is redacted together with it. */
function truncateLabel(name: string, value: string | null | undefined): string | null {
  const plain = toPlain(value);
  const limit = LIMITS.labelValue;
  if (plain.length <= limit) return plain === "" ? null : plain;
  const prefix = `${name}=`;
  const pair = cutRedacted(prefix + plain, prefix.length + limit);
  return pair.startsWith(prefix) ? pair.slice(prefix.length) : cutRedacted(plain, limit);
}

function toPlain(text: string | null | undefined): string {
  return plainText((text ?? "").toWellFormed()).trim();
}

function cutRedacted(text: string, limit: number): string {
  if (text.length <= limit + MARGIN) return truncate(redact(text).text, limit);
  // A stream returns nothing that more text could change, so no half of a secret at the end of what is read.
  return truncate(`${createStreamScrubber().push(text.slice(0, limit + MARGIN))}…`, limit);
}

/** Drops entries whose value is blank or only control characters. */
export function withoutBlanks(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => plainText(text).trim() !== ""));
}

/** The first labels, each name and value cut to its limit; blank ones are dropped. */
export function boundedLabels(labels: Readonly<Record<string, string | null | undefined>>): Record<string, string> {
  const bounded = new Map<string, string>();
  for (const [name, value] of Object.entries(labels)) {
    if (bounded.size === LIMITS.labels) break;
    const key = truncateToLimit(name, LIMITS.labelName);
    const text = key === null ? null : truncateLabel(key, value);
    if (key !== null && text !== null) bounded.set(key, text);
  }
  return Object.fromEntries(bounded);
}

const FINGERPRINT = /^[\x21-\x7e]{1,128}$/;

/** The sender's id of an alert, or its SHA-256 if it is too long or has other characters; null for a blank one. */
export function alertFingerprint(id: string | null | undefined): string | null {
  if (id === null || id === undefined || id.trim() === "") return null;
  return FINGERPRINT.test(id) ? id : digest(id);
}

/** A fingerprint for an alert without an id: the same for the same labels in any order. Null without labels. */
export function fingerprintOfLabels(labels: Readonly<Record<string, string>>): string | null {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? null : digest(JSON.stringify(entries));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
