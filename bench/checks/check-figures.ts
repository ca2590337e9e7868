// Grades of the answers to cases with sources, and their figures. Pure functions.

import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import { beginsWithWords } from "../../lib/checks/parse-checks.ts";
import type { CheckCase } from "./check-case.ts";

export interface CheckGrade {
  readonly case: CheckCase;
  readonly outcome: TriageResult["outcome"];
  /** 0 to 1. */
  readonly confidence: number;
  /** Whether the right cause is the first that the answer names; without a right cause, whether it states none. */
  readonly isRight: boolean;
  /** Whether the answer states a cause that is not right. */
  readonly isWrongCause: boolean;
  /** What the system rules out, and the answer names as a cause or a candidate. */
  readonly refutedNamed: readonly string[];
  /** The first cause or candidate; null if the answer names none. */
  readonly first: string | null;
}

interface Named {
  readonly text: string;
  readonly sources: ReadonlySet<string>;
}

export function gradeChecks(checkCase: CheckCase, result: TriageResult): CheckGrade {
  const { outcome, confidence, answer } = result;
  const sourceOf = new Map(result.sources.map(({ id, source }) => [id, source]));
  const statements = outcome === "possible" ? answer.possible_causes : answer.likely_causes;
  const named = statements.map(({ text, citations }): Named => {
    return { text, sources: new Set(citations.flatMap((id) => sourceOf.get(id) ?? [])) };
  });
  const [first] = named;
  const { right } = checkCase;
  const isFirstRight = first !== undefined && right !== null && matches(first, right, outcome);
  const states = outcome === "cause";
  return {
    case: checkCase,
    outcome,
    confidence,
    isRight: right === null ? !states : isFirstRight,
    isWrongCause: states && !isFirstRight,
    refutedNamed: checkCase.ruledOut.filter((each) => named.some((one) => isRefuted(one, each))),
    first: first === undefined ? null : `${[...first.sources].join(", ")}: ${first.text.slice(0, 60)}`,
  };
}

/** A candidate may quote what its runbook is about, in place of one of its causes. */
function matches(
  { text, sources }: Named,
  { source, cause }: NonNullable<CheckCase["right"]>,
  outcome: TriageResult["outcome"],
): boolean {
  if (!sources.has(source)) return false;
  return cause === undefined || outcome === "possible" || beginsWithWords(text, cause);
}

function isRefuted({ text, sources }: Named, refuted: string): boolean {
  const [source = "", cause] = refuted.split("#");
  return sources.has(source) && (cause === undefined || beginsWithWords(text, cause));
}

export interface CheckFigures {
  readonly asked: number;
  readonly right: number;
  readonly causes: number;
  readonly wrongCauses: number;
  readonly refutedNamed: number;
}

export function checkFiguresOf(grades: readonly CheckGrade[]): CheckFigures {
  const count = (is: (grade: CheckGrade) => boolean) => grades.filter(is).length;
  return {
    asked: grades.length,
    right: count(({ isRight }) => isRight),
    causes: count(({ outcome }) => outcome === "cause"),
    wrongCauses: count(({ isWrongCause }) => isWrongCause),
    refutedNamed: count(({ refutedNamed }) => refutedNamed.length > 0),
  };
}
