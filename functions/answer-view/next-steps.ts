// What people can do after an answer: facts that each rendering puts into its own commands, buttons or links. Pure functions.

import { isSessionRecap } from "../schemas/text-kind.ts";
import type { TriageResult } from "../schemas/triage-result.ts";

/**
 * `resolve`: record what fixed it. `show`: read the whole answer. `similar`: search past incidents. `feedback`: rate the answer.
 * `add_logs`: triage again with logs. `add_runbook`: add a runbook for such failures.
 */
export type NextStep =
  | { readonly action: "resolve" | "show" | "feedback" | "add_runbook" }
  /** `words` of the title, without characters that a shell reads. */
  | { readonly action: "similar" | "add_logs"; readonly words: string };

/** Characters of a search query or a title. */
const MAX_WORDS_LENGTH = 60;

/**
 * The most useful step first. Steps that need the stored incident are left out if the answer is not stored. While it waits
 * for the database, a fix is accepted; the other steps read the incident first.
 */
export function nextSteps(result: TriageResult): NextStep[] {
  const { outcome, persisted, guardrails, sources } = result;
  if (guardrails.injection_blocked !== null || isSessionRecap({ sources })) return [];
  const stored = (action: "resolve" | "show" | "feedback"): NextStep[] =>
    persisted === true || (persisted === "pending" && action === "resolve") ? [{ action }] : [];
  const words = plainWords(result.title);
  const titled = (action: "similar" | "add_logs"): NextStep[] => (words === "" ? [] : [{ action, words }]);
  if (outcome === "benign") return [...stored("show"), ...stored("feedback")];
  if (outcome === "unknown") {
    return [
      ...(hasLogLines(result) ? [] : titled("add_logs")),
      ...titled("similar"),
      ...stored("resolve"),
      { action: "add_runbook" },
    ];
  }
  return [...stored("resolve"), ...stored("show"), ...titled("similar"), ...stored("feedback")];
}

/** Whether the logs of the report have a line that shows the failure. */
function hasLogLines({ answer }: TriageResult): boolean {
  return answer.evidence.some(({ place }) => place !== null);
}

/**
 * The beginning of a title as words that any shell can have in double quotes: the title is foreign text, and its quotes, `$` or
 * backticks would be read as commands.
 */
export function plainWords(title: string): string {
  const words = title.replace(/[^\p{L}\p{N}._:/@-]+/gu, " ").match(/[\p{L}\p{N}]\S*/gu) ?? [];
  let text = "";
  for (const word of words) {
    const longer = text === "" ? [...word].slice(0, MAX_WORDS_LENGTH).join("") : `${text} ${word}`;
    if (longer.length > MAX_WORDS_LENGTH) break;
    text = longer;
  }
  return text;
}
