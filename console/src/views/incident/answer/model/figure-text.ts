// What the figure of an answer is the probability of. Pure functions.

import type { Verdict } from "../../../../../../functions/answer-view/verdict.ts";
import type { TriageResult } from "../../../../../../functions/schemas/triage-result.ts";

type Judged = Pick<TriageResult, "mode" | "outcome" | "checks"> & {
  readonly answer: Pick<TriageResult["answer"], "likely_causes">;
};

/** Follows a percentage, such as `that this text fits; which of its causes is open`. */
export function figureText(
  { mode, outcome, answer, checks }: Judged,
  { figureName }: Pick<Verdict, "figureName">,
): string {
  if (mode === "model") return `${figureName}, as a critic scored it`;
  if (outcome === "possible") return "for the best candidate";
  if (outcome !== "cause") return figureName;
  const isOpen = answer.likely_causes.length > 1 && !checks.some(({ verdict }) => verdict === "confirmed");
  return isOpen ? "that this text fits; which of its causes is open" : "that this text fits";
}
