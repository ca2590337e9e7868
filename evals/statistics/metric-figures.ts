// Mean and spread of one metric over the cases of a run. Pure functions.

import type { Interval } from "../../functions/quality/wilson.ts";
import { type CaseResult, JUDGED_METRICS, METRIC_NAMES, type MetricName, type Trial } from "../runs/run-file.ts";
import { mean, present } from "./mean.ts";

export interface MetricFigure {
  /** Mean over cases; the value of a case is the mean over its trials. 0 to 1. */
  readonly mean: number;
  readonly cases: number;
  /** The mean over cases of each repeat. */
  readonly repeats: readonly number[];
  /** The lowest and the highest of the repeats. */
  readonly range: Interval;
  /** The lowest and the highest mean of the judge's passes; null without a judge. */
  readonly judgeRange: Interval | null;
}

/** Reads a figure from one trial; null when it does not apply. */
export type TrialFigure = (trial: Trial) => number | null;

/** Null when the metric applies to none of the cases. */
export function metricFigure(cases: readonly CaseResult[], metric: MetricName): MetricFigure | null {
  return figureOver(cases, (trial) => trial.metrics[metric] ?? null, judgePasses(cases, metric));
}

/** The figures of all metrics that apply to at least one case. */
export function metricFigures(cases: readonly CaseResult[]): (MetricFigure & { readonly metric: MetricName })[] {
  return METRIC_NAMES.flatMap((metric) => {
    const figure = metricFigure(cases, metric);
    return figure === null ? [] : [{ metric, ...figure }];
  });
}

/** The share of the trials without a failure. */
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
  const caseMeans = present(cases.map(({ trials }) => mean(present(trials.map(read)))));
  const total = mean(caseMeans);
  if (total === null) return null;
  const repeats = meansByIndex(cases, ({ trials }) => trials.map(read));
  return { mean: total, cases: caseMeans.length, repeats, range: rangeOf(repeats), judgeRange };
}

/** The range of the means of the judge's passes over the same answers: the variance of the judge alone. */
function judgePasses(cases: readonly CaseResult[], metric: MetricName): Interval | null {
  if (!isJudged(metric)) return null;
  const passes = meansByIndex(
    cases.flatMap(({ trials }) => trials),
    ({ judged }) => judged[metric] ?? [],
  );
  return passes.length === 0 ? null : rangeOf(passes);
}

/** The mean over items of their first values, of their second values, and so on. */
function meansByIndex<T>(items: readonly T[], valuesOf: (item: T) => readonly (number | null)[]): number[] {
  const rows = items.map(valuesOf);
  const length = Math.max(0, ...rows.map((row) => row.length));
  return present(Array.from({ length }, (_, i) => mean(present(rows.map((row) => row[i])))));
}

function rangeOf(sample: readonly number[]): Interval {
  return { low: Math.min(...sample), high: Math.max(...sample) };
}

function isJudged(metric: MetricName): metric is keyof typeof JUDGED_METRICS {
  return Object.hasOwn(JUDGED_METRICS, metric);
}
