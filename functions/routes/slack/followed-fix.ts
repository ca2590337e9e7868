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
 * The fix of a past incident as it was recorded, so that its proof grows, or the first mitigation of the answer; the fix of the
 * same failure comes first. Never the answer's summary: "nothing is known" would be recalled as the fix of similar incidents.
 * @returns null for an answer without a fix
 */
export function followedFix({
  outcome,
  answer,
  recalled,
}: Pick<TriageResult, "outcome" | "answer" | "recalled">): FollowedFix | null {
  if (outcome !== "cause") return null;
  const mitigations = answer.mitigate
    .filter(({ text }) => text.trim() !== "")
    .map(({ text }) => ({ resolution: `Followed Dejavu's answer: ${text}`, fixId: null }));
  const fixes = answer.worked_before.flatMap(({ fix, citations }) => {
    if (fix === null || fix.text.trim() === "") return [];
    const record = recalled.incidents.find(({ id }) => citations.includes(id));
    const recorded = record?.fixes.find(({ text, retired }) => text === fix.text && retired === null);
    return [{ resolution: fix.text, fixId: recorded?.id ?? null }];
  });
  const [first] = startsWithFix(answer) ? [...fixes, ...mitigations] : [...mitigations, ...fixes];
  return first ? { ...first, resolution: first.resolution.slice(0, MAX_RESOLUTION).toWellFormed() } : null;
}
