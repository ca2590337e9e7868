// Which checks belong to which cause of an answer, and what they say of it. Pure functions.

import type { CheckResult } from "../../lib/checks/check.ts";
import type { Answer, Statement, Step } from "../schemas/answer.ts";
import type { TriageResult } from "../schemas/triage-result.ts";
import { firstSentence } from "./live-evidence-text.ts";

/**
 * The first check of each cause that has one of its own: the check cites a document that no other cause cites. The checks of one
 * runbook serve all causes of that runbook, so none of them is paired.
 * @param causes the shown ones
 */
export function checksOfCauses(
  causes: readonly Statement[],
  { confirm }: Pick<Answer, "confirm">,
  sources: TriageResult["sources"],
): ReadonlyMap<Statement, Step> {
  const documents = new Map(sources.map(({ id, source }) => [id, source ?? id]));
  const citedBy = ({ citations }: Pick<Statement, "citations">) =>
    new Set(citations.map((id) => documents.get(id) ?? id));
  const pairs = new Map<Statement, Step>();
  for (const check of confirm) {
    const cited = citedBy(check);
    // Node 20, on which the published command line runs, has no isDisjointFrom().
    const citing = causes.filter((cause) => [...citedBy(cause)].some((id) => cited.has(id)));
    const [cause] = citing;
    if (cause !== undefined && citing.length === 1 && causes.length > 1 && !pairs.has(cause)) pairs.set(cause, check);
  }
  return pairs;
}

/** Such as "Confirmed by a check"; `lead` is null for a cause that no check decided or tried to decide. */
export function causeState(
  cause: Statement,
  { checks, sources }: Pick<TriageResult, "checks" | "sources">,
): { readonly lead: string | null; readonly leadTone: "good" | "warn" | "dim" } {
  const runbooks = new Set(sources.flatMap(({ id, source }) => (cause.citations.includes(id) ? [source] : [])));
  const verdicts = checks.filter((check) => isOfCause(check, cause, runbooks)).map(({ verdict }) => verdict);
  if (verdicts.includes("confirmed"))
    return verdicts.includes("refuted")
      ? { lead: "Checks contradict each other", leadTone: "warn" }
      : { lead: "Confirmed by a check", leadTone: "good" };
  return verdicts.includes("inconclusive")
    ? { lead: "Checked, not decided", leadTone: "warn" }
    : { lead: null, leadTone: "dim" };
}

/** A check of one cause confirms the causes that cite it. An undecided one names its cause in the words of the runbook. */
function isOfCause(
  { id, cause, runbook }: CheckResult,
  { text, citations }: Statement,
  runbooks: ReadonlySet<string | null>,
): boolean {
  if (cause === null || citations.includes(id)) return cause !== null;
  return runbooks.has(runbook) && plain(text).startsWith(plain(firstSentence(cause)));
}

function plain(text: string): string {
  return text
    .replace(/[*_`]/g, "")
    .replace(/\s+/g, " ")
    .replace(/[.\s]{1,9}$/, "")
    .trim()
    .toLowerCase();
}
