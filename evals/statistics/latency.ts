// Response times of trials. Pure functions.

import type { CaseResult, Trial } from "../runs/run-file.ts";

/** In milliseconds. */
export interface Latency {
  readonly trials: number;
  readonly timedOut: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Trials with a meaningful time. A timeout counts as a lower bound; a trial that failed early would lower the figures. */
export function timedTrials(cases: readonly CaseResult[]): Trial[] {
  return cases.flatMap(({ trials }) => trials.filter(({ status }) => status !== "failed"));
}

/** Null when no trial was answered or timed out. */
export function latencyOf(cases: readonly CaseResult[]): Latency | null {
  const trials = timedTrials(cases);
  const times = trials.map(({ elapsedMs }) => elapsedMs);
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((fraction) => quantile(times, fraction));
  if (p50 == null || p90 == null || p99 == null) return null;
  const timedOut = trials.filter(({ status }) => status === "timed_out").length;
  return { trials: times.length, timedOut, p50, p90, p99 };
}

/**
 * The quantile of a sample, interpolated linearly between neighbours; null for an empty sample.
 *
 * Source: type 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50
 * (1996).
 *
 * @param fraction 0 to 1
 */
export function quantile(sample: readonly number[], fraction: number): number | null {
  const sorted = sample.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) return null;
  return below + (above - below) * (position - Math.floor(position));
}
