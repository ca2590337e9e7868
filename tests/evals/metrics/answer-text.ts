// Owns what of an answer counts as said, and whether a fact is among it. Pure.

import type { Step, TriageResult } from "../../../functions/schemas/triage-result.ts";

/** Everything that the answer says, not what it was written from: no recalled texts, no words of the report quoted back. */
export function answerText({ answer }: Pick<TriageResult, "answer">): string {
  const kept = answer.hypotheses.filter(({ verdict }) => verdict === "kept");
  return [
    answer.summary.text,
    ...[...answer.evidence, ...answer.likely_causes].map(({ text }) => text),
    ...kept.flatMap(({ cause, reason }) => [cause, reason]),
    ...[...answer.confirm, ...answer.mitigate].map(stepText),
    ...[...answer.worked_before, ...answer.prevention].map(({ text }) => text),
    ...answer.look_next.map(stepText),
  ].join("\n");
}

function stepText({ text, command, undo }: Step): string {
  return [text, command, undo].filter((part) => part !== null).join("\n");
}

/** Whether a text holds one of the wordings as whole words, whatever its case, blanks and marks of emphasis. */
export function states(text: string, wordings: readonly string[]): boolean {
  const said = plain(text);
  return wordings.some((wording) => wholeWords(plain(wording)).test(said));
}

/** Where a wording begins or ends with a letter or digit, no other goes before or follows. */
function wholeWords(wording: string): RegExp {
  const letter = "[\\p{L}\\p{N}_]";
  return new RegExp(`(?<!${letter}(?=${letter}))${RegExp.escape(wording)}(?!(?<=${letter})${letter})`, "u");
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[`*]/g, "").replace(/\s+/g, " ");
}
