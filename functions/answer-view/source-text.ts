// The words for the sources of a statement. Pure functions.

import type { Step } from "../schemas/answer.ts";
import type { TriageResult } from "../schemas/triage-result.ts";

export type CitedSource = TriageResult["sources"][number];

/** What stands after a statement without a source; null for one with a source. */
export function sourceNote({
  supported,
  from_source = true,
}: Pick<Step, "supported"> & Partial<Pick<Step, "from_source">>): string | null {
  if (!from_source) return "the command is not from a source";
  return supported ? null : "no source says this";
}

/** Such as `shop/memory-limit.md › Root causes`. */
export function sourceName({ kind, title, source, heading }: CitedSource): string {
  if (kind === "incident") return `past incident "${title}"`;
  if (kind === "past_answer") return `past answer "${title}"`;
  // The heading of a check is the runbook that declares it; `source` is that of the evidence.
  if (kind === "check") return heading === "" ? title : `${title} of ${heading}`;
  const place = [source ?? title, heading].filter((part) => part !== "").join(" › ");
  return kind === "runbook" ? place : `${kind} ${place}`;
}
