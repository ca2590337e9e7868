// Length limits of an alert's fields. Longer values are cut, not refused: the sender cannot correct them. Pure functions.

import { createHash } from "node:crypto";
import { plainText } from "../../retrieval/text/plain-text.ts";
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

/** Strips control characters, repairs lone surrogates, trims and cuts the text; null when nothing remains. */
export function truncateToLimit(text: string | null | undefined, limit: number): string | null {
  const truncated = truncate(plainText((text ?? "").toWellFormed()).trim(), limit);
  return truncated === "" ? null : truncated;
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
    const text = truncateToLimit(value, LIMITS.labelValue);
    if (key !== null && text !== null) bounded.set(key, text);
  }
  return Object.fromEntries(bounded);
}

const FINGERPRINT = /^[\x21-\x7e]{1,128}$/;

/** The sender's id of an alert, or its SHA-256 if it is too long or has other characters; null for a blank one. */
export function fingerprintOf(id: string | null | undefined): string | null {
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
