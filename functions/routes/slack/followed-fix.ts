// Owns what of an answer may be recorded as the fix of its incident, when people say that it resolved it. Pure.

import type { TriageResult } from "../../schemas/triage-result.ts";

const MAX_RESOLUTION = 4_000;

/**
 * What the answer said to do first: its first mitigation, else what worked before. Never its summary: "nothing is known"
 * is no fix, and the next incident like it would be told that it was.
 * @returns at most 4,000 characters; null for an answer that offers no fix
 */
export function followedFix({ outcome, answer }: Pick<TriageResult, "outcome" | "answer">): string | null {
  if (outcome !== "cause") return null;
  const first = [...answer.mitigate, ...answer.worked_before].find(({ text }) => text.trim() !== "");
  return first ? `Followed Dejavu's answer: ${first.text}`.slice(0, MAX_RESOLUTION).toWellFormed() : null;
}
