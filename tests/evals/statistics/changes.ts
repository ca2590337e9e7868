// Owns which differences between two runs count: of a whole metric, and of each case. Pure.

import { type CaseResult, type EvalRun, METRIC_NAMES, type MetricName } from "../runs/run-file.ts";
import { mean, present } from "./mean.ts";
import { metricFigure, passFigure, type TrialFigure, trialPassed } from "./metric-figures.ts";

/** Of one case: less is nothing that anybody would act on, however steady it is. */
export const SMALLEST_CASE_DIFFERENCE = 0.02;
/** Of a whole metric: less is not shown. */
const SMALLEST_METRIC_DIFFERENCE = 0.0005;

export type Direction = "rose" | "fell" | "same";

export interface Change {
  /** Of what both runs asked. */
  readonly before: number;
  readonly now: number;
  /** "same" where the difference may be chance, or is too small to matter. */
  readonly direction: Direction;
}

export interface MetricChange extends Change {
  /** That both runs asked. */
  readonly cases: number;
}

/** "Passed" is the share of the askings in which all was as expected. */
export type Measure = MetricName | "Passed";

export interface CaseChange {
  readonly case: CaseResult;
  /** Regressed where anything fell, mended where something rose and nothing fell. */
  readonly verdict: "regressed" | "mended";
  readonly moves: readonly (Change & { readonly measure: Measure })[];
}

export interface Comparison {
  readonly changes: readonly CaseChange[];
  /** Ids of cases in one of the two runs only. */
  readonly added: readonly string[];
  readonly dropped: readonly string[];
}

/**
 * Whether repeats of one thing differ from those before by more than they differ among themselves: all of them lie beyond
 * all of the others. By chance alone that happens once in C(n + m, n) times in each direction, 1 in 20 for three and three;
 * of one repeat and one it says next to nothing.
 *
 * Source: the extreme case, U = 0, of H. B. Mann and D. R. Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", Annals of Mathematical Statistics 18 (1947).
 *
 * @param smallest a difference of the means that is less counts as none
 */
export function directionOf(before: readonly number[], now: readonly number[], smallest: number): Direction {
  const difference = (mean(now) ?? 0) - (mean(before) ?? 0);
  if (before.length === 0 || now.length === 0 || Math.abs(difference) < smallest) return "same";
  if (Math.min(...now) > Math.max(...before)) return "rose";
  return Math.max(...now) < Math.min(...before) ? "fell" : "same";
}

/** How often chance alone separates `n` repeats from `m`, in one direction: 1 in this many. */
export function oddsOfChance(n: number, m: number): number {
  let odds = 1;
  for (let i = 1; i <= Math.min(n, m); i++) odds = (odds * (Math.max(n, m) + i)) / i;
  return Math.round(odds);
}

/** How a metric of all cases changed, over those that both runs asked; null where there are none. */
export function metricChange(before: EvalRun, now: EvalRun, measure: Measure): MetricChange | null {
  const saysIt = (each: CaseResult) => each.trials.some((trial) => reader(measure)(trial) !== null);
  const ids = idsOf(before.cases.filter(saysIt)).intersection(idsOf(now.cases.filter(saysIt)));
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
    direction: directionOf(old.repeats, current.repeats, SMALLEST_METRIC_DIFFERENCE),
  };
}

export function compareRuns(before: EvalRun, now: EvalRun): Comparison {
  const earlier = new Map(before.cases.map((each) => [each.id, each]));
  const ids = idsOf(now.cases);
  return {
    changes: now.cases.flatMap((each) => {
      const old = earlier.get(each.id);
      return old === undefined ? [] : caseChange(old, each);
    }),
    added: [...ids.difference(idsOf(before.cases))],
    dropped: [...idsOf(before.cases).difference(ids)],
  };
}

function caseChange(before: CaseResult, now: CaseResult): CaseChange[] {
  const measures: readonly Measure[] = ["Passed", ...METRIC_NAMES];
  const moves = measures.flatMap((measure) => {
    const [old, current] = [before, now].map(({ trials }) => present(trials.map(reader(measure))));
    const direction = directionOf(old ?? [], current ?? [], SMALLEST_CASE_DIFFERENCE);
    return direction === "same"
      ? []
      : [{ measure, direction, before: mean(old ?? []) ?? 0, now: mean(current ?? []) ?? 0 }];
  });
  if (moves.length === 0) return [];
  const verdict = moves.some(({ direction }) => direction === "fell") ? "regressed" : "mended";
  return [{ case: now, verdict, moves }];
}

function reader(measure: Measure): TrialFigure {
  return measure === "Passed" ? trialPassed : ({ metrics }) => metrics[measure] ?? null;
}

function idsOf(cases: readonly CaseResult[]): Set<string> {
  return new Set(cases.map(({ id }) => id));
}
