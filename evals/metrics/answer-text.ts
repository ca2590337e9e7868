// The text of an answer, and the check whether it states a fact. Pure functions.

import type { Step } from "../../functions/schemas/answer.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";

/** All statements of the answer. Leaves out recalled texts and quotes from the report: they are input, not answer. */
export function answerText({ answer }: Pick<TriageResult, "answer">): string {
  const kept = answer.hypotheses.filter(({ verdict }) => verdict === "kept");
  return [
    answer.summary.text,
    ...[...answer.evidence, ...answer.likely_causes].map(({ text }) => text),
    ...answer.possible_causes.flatMap(({ text, title, confirm }) => [title, text, ...confirm.map(stepText)]),
    ...kept.flatMap(({ cause, reason }) => [cause, reason]),
    ...[...answer.confirm, ...answer.mitigate].map(stepText),
    ...[...answer.worked_before, ...answer.prevention].map(({ text }) => text),
    ...answer.look_next.map(stepText),
  ].join("\n");
}

function stepText({ text, command, undo }: Step): string {
  return [text, command, undo].filter((part) => part !== null).join("\n");
}

/** Whether a text contains one of the wordings as whole words. Ignores case, whitespace and Markdown emphasis. */
export function states(text: string, wordings: readonly string[]): boolean {
  const plainText = normalise(text);
  return wordings.some((wording) => wholeWords(normalise(wording)).test(plainText));
}

/** Matches the wording where no further letter or digit touches it at either end. */
function wholeWords(wording: string): RegExp {
  const letter = "[\\p{L}\\p{N}_]";
  return new RegExp(`(?<!${letter}(?=${letter}))${RegExp.escape(wording)}(?!(?<=${letter})${letter})`, "u");
}

function normalise(text: string): string {
  return text.toLowerCase().replace(/[`*]/g, "").replace(/\s+/g, " ");
}
