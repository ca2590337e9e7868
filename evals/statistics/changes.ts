// Differences between two runs, by metric and by case, without those that chance explains. Pure functions.

import { type CaseResult, type EvalRun, METRIC_NAMES, type MetricName } from "../runs/run-file.ts";
import { mean, present } from "./mean.ts";
import { metricFigure, passFigure, type TrialFigure, trialPassed } from "./metric-figures.ts";

/** Smaller differences of one case are ignored: nobody would act on them. */
export const MIN_CASE_DIFFERENCE = 0.02;
/** Smaller differences of a metric over all cases round to 0.000. */
const MIN_METRIC_DIFFERENCE = 0.0005;

export type Direction = "rose" | "fell" | "same";

export interface Change {
  /** Means over the cases of both runs. */
  readonly before: number;
  readonly now: number;
  /** "same" when the difference may be chance or is too small to matter. */
  readonly direction: Direction;
}

export interface MetricChange extends Change {
  /** Cases of both runs. */
  readonly cases: number;
}

/** "Passed" is the share of the trials without a failure. */
export type Measure = MetricName | "Passed";

export interface CaseChange {
  readonly case: CaseResult;
  /** Regressed when a measure fell; improved when a measure rose and none fell. */
  readonly verdict: "regressed" | "improved";
  readonly moves: readonly (Change & { readonly measure: Measure })[];
}

export interface Comparison {
  readonly changes: readonly CaseChange[];
  /** Ids of cases in one of the two runs only. */
  readonly added: readonly string[];
  readonly dropped: readonly string[];
}

/**
 * Compares the repeats of two runs: "rose" when each new value is above each old one, "fell" when each is below. Chance
 * alone gives each result once in C(n + m, n) times: 1 in 20 for three repeats each, 1 in 2 for one repeat each.
 *
 * Source: the extreme case, U = 0, of H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", Annals of Mathematical Statistics 18 (1947).
 *
 * @param minDifference smaller differences of the means count as none
 */
export function directionOf(before: readonly number[], now: readonly number[], minDifference: number): Direction {
  const difference = (mean(now) ?? 0) - (mean(before) ?? 0);
  if (before.length === 0 || now.length === 0 || Math.abs(difference) < minDifference) return "same";
  if (Math.min(...now) > Math.max(...before)) return "rose";
  return Math.max(...now) < Math.min(...before) ? "fell" : "same";
}

/** C(n + m, n): chance alone separates `n` repeats from `m` in one direction once in this many times. */
export function oddsOfChance(n: number, m: number): number {
  let odds = 1;
  for (let i = 1; i <= Math.min(n, m); i++) odds = (odds * (Math.max(n, m) + i)) / i;
  return Math.round(odds);
}

/** The change of a measure over the cases of both runs; null when there are none. */
export function metricChange(before: EvalRun, now: EvalRun, measure: Measure): MetricChange | null {
  const hasMeasure = ({ trials }: CaseResult) => trials.some((trial) => reader(measure)(trial) !== null);
  const ids = idsOf(before.cases.filter(hasMeasure)).intersection(idsOf(now.cases.filter(hasMeasure)));
  const figureOf = (run: EvalRun) => {
    const shared = run.cases.filter(({ id }) => ids.has(id));
    return measure === "Passed" ? passFigure(shared) : metricFigure(shared, measure);
  };
  const old = figureOf(before);
  const current = figureOf(now);
  if (old === null || current === null) return null;
  return {
    before: old.mean,
    now: current.mean,
    cases: current.cases,
    direction: directionOf(old.repeats, current.repeats, MIN_METRIC_DIFFERENCE),
  };
}

export function compareRuns(before: EvalRun, now: EvalRun): Comparison {
  const oldResults = new Map(before.cases.map((result) => [result.id, result]));
  const ids = idsOf(now.cases);
  return {
    changes: now.cases.flatMap((result) => {
      const old = oldResults.get(result.id);
      return old === undefined ? [] : caseChange(old, result);
    }),
    added: [...ids.difference(idsOf(before.cases))],
    dropped: [...idsOf(before.cases).difference(ids)],
  };
}

function caseChange(before: CaseResult, now: CaseResult): CaseChange[] {
  const measures: readonly Measure[] = ["Passed", ...METRIC_NAMES];
  const moves = measures.flatMap((measure) => {
    const [old, current] = [before, now].map(({ trials }) => present(trials.map(reader(measure))));
    const direction = directionOf(old ?? [], current ?? [], MIN_CASE_DIFFERENCE);
    return direction === "same"
      ? []
      : [{ measure, direction, before: mean(old ?? []) ?? 0, now: mean(current ?? []) ?? 0 }];
  });
  if (moves.length === 0) return [];
  const verdict = moves.some(({ direction }) => direction === "fell") ? "regressed" : "improved";
  return [{ case: now, verdict, moves }];
}

function reader(measure: Measure): TrialFigure {
  return measure === "Passed" ? trialPassed : ({ metrics }) => metrics[measure] ?? null;
}

function idsOf(cases: readonly CaseResult[]): Set<string> {
  return new Set(cases.map(({ id }) => id));
}
