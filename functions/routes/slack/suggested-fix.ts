// The fix that the dialog of "This resolved it" suggests. Pure functions.

import { startsWithFix } from "../../answer-view/past-incident-text.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";

export interface SuggestedFix {
  /** The recorded fix of a past incident, or the text of a step of the answer. */
  readonly text: string;
  readonly origin: "past_fix" | "step";
  /** The recorded fix, so that its proof grows; null for a step, and for a fix without a record. */
  readonly fixId: string | null;
}

/**
 * The fix of a past incident as it was recorded, or the first mitigation of the answer; the fix of the same failure comes
 * first. Never the answer's summary: "nothing is known" would be recalled as the fix of similar incidents.
 * @returns null for an answer without a fix
 */
export function suggestedFix({
  outcome,
  answer,
  recalled,
}: Pick<TriageResult, "outcome" | "answer" | "recalled">): SuggestedFix | null {
  if (outcome !== "cause") return null;
  const steps = answer.mitigate
    .filter(({ text }) => text.trim() !== "")
    .map(({ text }): SuggestedFix => ({ text, origin: "step", fixId: null }));
  const fixes = answer.worked_before.flatMap(({ fix, citations }): SuggestedFix[] => {
    if (fix === null || fix.text.trim() === "") return [];
    const record = recalled.incidents.find(({ id }) => citations.includes(id));
    const recorded = record?.fixes.find(({ text, retired }) => text === fix.text && retired === null);
    return [{ text: fix.text, origin: "past_fix", fixId: recorded?.id ?? null }];
  });
  const [first = null] = startsWithFix(answer) ? [...fixes, ...steps] : [...steps, ...fixes];
  return first;
}
