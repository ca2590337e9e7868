// Fits the weights of the verdicts of checks: what a verdict adds to the log-odds that a runbook is right. Pure functions.

import { probabilityOf } from "../../functions/investigation/relevance/relevance.ts";
import type { TriageResult } from "../../functions/schemas/triage-result.ts";
import type { CheckCase } from "./check-case.ts";

export interface VerdictExample {
  readonly verdict: "confirmed" | "refuted";
  /** Log-odds of the runbook without its checks. */
  readonly offset: number;
  readonly isRight: boolean;
}

/** The runbooks of an answer that their checks confirmed or refuted. */
export function verdictExamples({ right }: CheckCase, { recalled }: TriageResult): VerdictExample[] {
  const runbooks = new Map(recalled.runbooks.map((hit) => [hit.source, hit.relevance]));
  return [...runbooks].flatMap(([source, relevance]): VerdictExample[] => {
    const checks = relevance?.contributions.checks;
    if (!relevance || checks === undefined) return [];
    const isRight = right !== null && source === right.source;
    return [{ verdict: checks > 0 ? "confirmed" : "refuted", offset: relevance.log_odds - checks, isRight }];
  });
}

const MAX_STEPS = 100;

/**
 * The weight of one verdict with the highest likelihood, by Newton's method. One more example contradicts the verdict, at the
 * mean offset: without it, examples that all agree would give an infinite weight.
 */
export function fitWeight(examples: readonly VerdictExample[]): number {
  const mean = examples.reduce((sum, { offset }) => sum + offset, 0) / examples.length;
  const contradiction = { offset: mean, isRight: examples[0]?.verdict === "refuted" };
  const all = [...examples, contradiction];
  let weight = 0;
  for (let step = 0; step < MAX_STEPS; step++) {
    const shares = all.map(({ offset }) => probabilityOf(offset + weight));
    const gradient = all.reduce((sum, { isRight }, i) => sum + Number(isRight) - (shares[i] ?? 0), 0);
    const curvature = shares.reduce((sum, share) => sum + share * (1 - share), 0);
    weight += gradient / curvature;
  }
  return weight;
}
