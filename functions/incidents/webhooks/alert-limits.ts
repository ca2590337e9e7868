// Owns how much of an alert is kept: what is longer is cut and never refused, since whoever sends it cannot mend it. Pure.

import { plainText } from "../../retrieval/text/plain-text.ts";
import { truncate } from "../../schemas/incident.ts";

/** In characters; labels in pieces. */
export const LIMITS = {
  labels: 64,
  labelName: 128,
  labelValue: 1_024,
  title: 1_000,
  name: 256,
  runbook: 2_048,
  description: 20_000,
} as const;

/** The text as it can be stored: plain, well-formed, trimmed, not too long; null where nothing is left of it. */
export function truncateToLimit(text: string | null | undefined, most: number): string | null {
  const fit = truncate(plainText((text ?? "").toWellFormed()).trim(), most);
  return fit === "" ? null : fit;
}

/** The texts that say anything: blanks and control characters alone do not. */
export function speaking(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => plainText(text).trim() !== ""));
}

/** The first labels, each cut to its length; those that say nothing are left out. */
export function boundedLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const bounded = Object.entries(labels).flatMap(([name, value]): [string, string][] => {
    const key = truncateToLimit(name, LIMITS.labelName);
    const text = truncateToLimit(value, LIMITS.labelValue);
    return key === null || text === null ? [] : [[key, text]];
  });
  return Object.fromEntries(bounded.slice(0, LIMITS.labels));
}
