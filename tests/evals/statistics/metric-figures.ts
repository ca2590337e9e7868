// Owns what one metric says of a run, or of some of its cases. Pure.

import { type CaseResult, JUDGED_METRICS, METRIC_NAMES, type MetricName, type Trial } from "../runs/run-file.ts";
import { mean, present } from "./mean.ts";
import type { Interval } from "./wilson.ts";

export interface MetricFigure {
  /** Of the cases, each of which is the mean of its askings; 0 to 1. */
  readonly mean: number;
  readonly cases: number;
  /** What each repeat of the whole gave. */
  readonly repeats: readonly number[];
  /** The lowest and the highest of the repeats. */
  readonly range: Interval;
  /** Likewise of the passes of a judge; null where nothing was judged. */
  readonly judgeRange: Interval | null;
}

/** Reads a figure out of one asking; null where it says nothing. */
export type TrialFigure = (trial: Trial) => number | null;

/** Null where the metric says nothing of any of the cases. */
export function metricFigure(cases: readonly CaseResult[], metric: MetricName): MetricFigure | null {
  return figureOver(cases, (trial) => trial.metrics[metric] ?? null, judgePasses(cases, metric));
}

/** Of every metric that says something of the cases. */
export function metricFigures(cases: readonly CaseResult[]): (MetricFigure & { readonly metric: MetricName })[] {
  return METRIC_NAMES.flatMap((metric) => {
    const figure = metricFigure(cases, metric);
    return figure === null ? [] : [{ metric, ...figure }];
  });
}

/** The share of the askings in which all was as expected. */
export function passFigure(cases: readonly CaseResult[]): MetricFigure | null {
  return figureOver(cases, trialPassed, null);
}

export function trialPassed({ failures }: Trial): number {
  return failures.length === 0 ? 1 : 0;
}

export function casePassed({ trials }: CaseResult): boolean {
  return trials.every((trial) => trialPassed(trial) === 1);
}

function figureOver(cases: readonly CaseResult[], read: TrialFigure, judgeRange: Interval | null): MetricFigure | null {
  const byCase = cases.map(({ trials }) => mean(present(trials.map(read))));
  const total = mean(present(byCase));
  if (total === null) return null;
  const repeats = overCases(cases, ({ trials }) => trials.map(read));
  return { mean: total, cases: present(byCase).length, repeats, range: rangeOf(repeats), judgeRange };
}

/** The spread that the judge brings in: each pass's mean, all else being the same. */
function judgePasses(cases: readonly CaseResult[], metric: MetricName): Interval | null {
  if (!isJudged(metric)) return null;
  const passes = overCases(
    cases.flatMap(({ trials }) => trials),
    ({ judged }) => judged[metric] ?? [],
  );
  return passes.length === 0 ? null : rangeOf(passes);
}

/** The mean of all first values, of all second values, and so on. */
function overCases<T>(items: readonly T[], valuesOf: (item: T) => readonly (number | null)[]): number[] {
  const rows = items.map(valuesOf);
  const longest = Math.max(0, ...rows.map((row) => row.length));
  return present(Array.from({ length: longest }, (_, i) => mean(present(rows.map((row) => row[i])))));
}

function rangeOf(sample: readonly number[]): Interval {
  return { low: Math.min(...sample), high: Math.max(...sample) };
}

function isJudged(metric: MetricName): metric is keyof typeof JUDGED_METRICS {
  return Object.hasOwn(JUDGED_METRICS, metric);
}
