// The causes of an answer with their checks: confirmed, not checked, ruled out. Pure functions.

import { checksOfCauses } from "../../../../../../functions/answer-view/checks-of-causes.ts";
import { sourceNote } from "../../../../../../functions/answer-view/source-text.ts";
import type { PossibleCause, RuledOut, Statement, Step } from "../../../../../../functions/schemas/answer.ts";
import type { TriageResult } from "../../../../../../functions/schemas/triage-result.ts";
import type { CheckResult } from "../../../../../../lib/checks/check.ts";

/** `undecided`: a check ran and decided nothing. `contradictory`: one check confirms it and another refutes it. */
export type CauseState = "confirmed" | "contradictory" | "undecided" | "not_checked";

export interface ShownCause {
  /** Its first sentence, and the others. */
  readonly lead: string;
  readonly rest: string;
  readonly state: CauseState;
  readonly checks: readonly CheckResult[];
  /** Ids, without those of its checks. */
  readonly citations: readonly string[];
  /** Such as "no source says this"; null for a supported cause. */
  readonly note: string | null;
  /** The check that a person runs for this cause alone; null without one. */
  readonly ownStep: Step | null;
}

export interface ShownCauses {
  readonly causes: readonly ShownCause[];
  readonly ruledOut: readonly RuledOut[];
  readonly candidates: readonly PossibleCause[];
  /** Hypotheses of a language model that are neither causes nor candidates. */
  readonly considered: TriageResult["answer"]["hypotheses"];
  /** Checks that belong to no shown cause. */
  readonly otherChecks: readonly CheckResult[];
}

export function causesOf({ answer, checks, sources, outcome }: TriageResult): ShownCauses {
  const ownSteps = checksOfCauses(answer.likely_causes, answer, sources);
  const runbooks = new Map(sources.map(({ id, source }) => [id, source]));
  const causes = answer.likely_causes.map((cause) => {
    const own = checks.filter((check) => isOfCause(check, cause, runbooks));
    return shownCause(cause, own, ownSteps.get(cause) ?? null);
  });
  const shown = new Set([
    ...causes.flatMap((cause) => cause.checks.map(({ id }) => id)),
    ...answer.ruled_out.flatMap(({ citations }) => citations),
  ]);
  const areKeptShown = outcome === "cause" || outcome === "possible";
  return {
    causes,
    ruledOut: answer.ruled_out,
    candidates: answer.possible_causes,
    considered: areKeptShown ? answer.hypotheses.filter(({ verdict }) => verdict !== "kept") : answer.hypotheses,
    otherChecks: checks.filter(({ id }) => !shown.has(id)),
  };
}

function shownCause(cause: Statement, own: readonly CheckResult[], ownStep: Step | null): ShownCause {
  const ids = new Set(own.map(({ id }) => id));
  return {
    ...divided(cause.text),
    state: stateOf(own),
    checks: own,
    citations: cause.citations.filter((id) => !ids.has(id)),
    note: sourceNote(cause),
    ownStep,
  };
}

/**
 * A check confirms the causes that cite it. An undecided one names its cause in the words of the runbook.
 * @param runbooks the document of each cited section
 */
function isOfCause(
  { id, cause, runbook }: CheckResult,
  statement: Statement,
  runbooks: ReadonlyMap<string, string | null>,
): boolean {
  if (statement.citations.includes(id)) return true;
  const isOfRunbook = statement.citations.some((cited) => runbooks.get(cited) === runbook);
  return cause !== null && isOfRunbook && plain(statement.text).startsWith(plain(divided(cause).lead));
}

function stateOf(checks: readonly CheckResult[]): CauseState {
  const verdicts = new Set(checks.map(({ verdict }) => verdict));
  if (verdicts.has("confirmed")) return verdicts.has("refuted") ? "contradictory" : "confirmed";
  return verdicts.has("inconclusive") ? "undecided" : "not_checked";
}

/** The first sentence names a cause; the others explain it. */
export function divided(text: string): { readonly lead: string; readonly rest: string } {
  const lead = /^[^.]{1,160}\.(?=\s)/.exec(text)?.[0] ?? text;
  return { lead, rest: text.slice(lead.length).trim() };
}

function plain(text: string): string {
  return text
    .replace(/[*_`]/g, "")
    .replace(/\s+/g, " ")
    .replace(/[.\s]{1,9}$/, "")
    .trim()
    .toLowerCase();
}
