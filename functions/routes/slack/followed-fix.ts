// The fix that is recorded when people report that an answer resolved its incident. Pure functions.

import { startsWithFix } from "../../schemas/answer.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";

/** Characters; the same limit as in the API. */
const MAX_RESOLUTION = 4_000;

export interface FollowedFix {
  readonly resolution: string;
  /** The recorded fix of a past incident; null for a mitigation. */
  readonly fixId: string | null;
}

/**
 * The first mitigation of the answer, or what worked before; the fix of the same failure comes first. Never its summary: "nothing is known" would be recalled as
 * the fix of similar incidents. The fix of a past incident has worked once more, so it keeps its own text.
 * @returns null for an answer without a fix
 */
export function followedFix({
  outcome,
  answer,
  recalled,
}: Pick<TriageResult, "outcome" | "answer" | "recalled">): FollowedFix | null {
  if (outcome !== "cause") return null;
  const { mitigate, worked_before } = answer;
  const steps = startsWithFix(answer) ? [...worked_before, ...mitigate] : [...mitigate, ...worked_before];
  const first = steps.find(({ text }) => text.trim() !== "");
  if (first === undefined) return null;
  const past = mitigate.some((step) => step === first)
    ? undefined
    : recalled.incidents.find(({ id }) => first.citations.includes(id));
  const fix = past?.fixes.find(({ retired, worked }) => retired === null && worked > 0);
  if (fix !== undefined) return { resolution: fix.text, fixId: fix.id };
  return {
    resolution: `Followed Dejavu's answer: ${first.text}`.slice(0, MAX_RESOLUTION).toWellFormed(),
    fixId: null,
  };
}
