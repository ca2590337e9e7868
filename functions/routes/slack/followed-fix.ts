// The fix that is recorded when people report that an answer resolved its incident. Pure functions.

import { startsWithFix } from "../../schemas/answer.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";

/** Characters; the same limit as in the API. */
const MAX_RESOLUTION = 4_000;

/**
 * The first mitigation of the answer, or what worked before; the fix of the same failure comes first. Never its summary: "nothing is known" would be recalled as
 * the fix of similar incidents.
 * @returns at most 4,000 characters; null for an answer without a fix
 */
export function followedFix({ outcome, answer }: Pick<TriageResult, "outcome" | "answer">): string | null {
  if (outcome !== "cause") return null;
  const { mitigate, worked_before } = answer;
  const steps = startsWithFix(answer) ? [...worked_before, ...mitigate] : [...mitigate, ...worked_before];
  const first = steps.find(({ text }) => text.trim() !== "");
  return first ? `Followed Dejavu's answer: ${first.text}`.slice(0, MAX_RESOLUTION).toWellFormed() : null;
}
