// Maps severities and priorities of other systems to ours. Pure functions.

import type { Severity } from "../../schemas/incident.ts";

const WORDS: ReadonlyMap<string, Severity> = new Map<string, Severity>([
  ["critical", "critical"],
  ["page", "critical"],
  ["emergency", "critical"],
  ["fatal", "critical"],
  ["error", "high"],
  ["high", "high"],
  ["major", "high"],
  ["warning", "medium"],
  ["warn", "medium"],
  ["medium", "medium"],
  ["minor", "low"],
  ["low", "low"],
  ["info", "info"],
  ["informational", "info"],
  ["none", "info"],
  ["notice", "info"],
  ["debug", "info"],
]);
const BY_NUMBER: readonly Severity[] = ["critical", "high", "medium", "low", "info"];
/** P1 to P5, SEV1 to SEV5, SEV-1. */
const NUMBERED = /^(?:p|sev-?)([1-5])\b/;

const DEFAULT_SEVERITY: Severity = "medium";

/** The severity of the first recognised word; medium when none is recognised. */
export function severityOf(...words: readonly (string | null | undefined)[]): Severity {
  for (const value of words) {
    const word = (value ?? "").trim().toLowerCase();
    const severity = WORDS.get(word) ?? BY_NUMBER[Number(NUMBERED.exec(word)?.[1] ?? 0) - 1];
    if (severity !== undefined) return severity;
  }
  return DEFAULT_SEVERITY;
}
