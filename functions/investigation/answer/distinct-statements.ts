// Drops statements that an answer has already made. Pure functions.

import { startsWithFix } from "../../answer-view/past-incident-text.ts";
import type { Answer, Step } from "../../schemas/answer.ts";

/** The words of a statement. Two statements with the same words say the same. */
export function statementKey(text: string): string {
  const words = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words === "" ? text.trim() : words;
}

/** An answer in which no statement stands twice: its first place in the order of the renderings wins. */
export function withDistinctStatements(answer: Answer): Answer {
  const keys = new Set([statementKey(answer.summary.text)]);
  const isNew = ({ text }: { readonly text: string }) => {
    const key = statementKey(text);
    return !keys.has(key) && keys.add(key).size > 0;
  };
  /** A repeated sentence before a new command is replaced by the command, so that the command stays. */
  const newSteps = (steps: readonly Step[]) =>
    steps.flatMap((step): Step[] => {
      if (isNew(step)) return [step];
      const renamed = { ...step, text: step.command ?? "" };
      return step.command !== null && isNew(renamed) ? [renamed] : [];
    });
  const evidence = answer.evidence.filter(({ text, quote }) => isNew({ text: `${quote ?? ""} ${text}` }));
  const causes = answer.likely_causes.filter(isNew);
  // A model's summary may be its only cause. The cause stays, because it has the citations.
  const likely_causes = causes.length > 0 ? causes : answer.likely_causes.slice(0, 1);
  const possible_causes = answer.possible_causes
    .filter(isNew)
    .map((candidate) => ({ ...candidate, confirm: newSteps(candidate.confirm) }));
  const confirm = newSteps(answer.confirm);
  const fixesFirst = startsWithFix(answer) ? answer.worked_before.filter(isNew) : undefined;
  const mitigate = newSteps(answer.mitigate);
  return {
    ...answer,
    evidence,
    likely_causes,
    possible_causes,
    confirm,
    mitigate,
    worked_before: fixesFirst ?? answer.worked_before.filter(isNew),
    prevention: answer.prevention.filter(isNew),
    look_next: newSteps(answer.look_next),
  };
}
