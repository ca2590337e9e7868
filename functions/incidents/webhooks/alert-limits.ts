// Length limits of an alert's fields. Longer values are cut, not refused: the sender cannot correct them. Pure functions.

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
  const bounded = Object.entries(labels).flatMap(([name, value]): [string, string][] => {
    const key = truncateToLimit(name, LIMITS.labelName);
    const text = truncateToLimit(value, LIMITS.labelValue);
    return key === null || text === null ? [] : [[key, text]];
  });
  return Object.fromEntries(bounded.slice(0, LIMITS.labels));
}
