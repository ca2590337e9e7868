// Owns how long answers took. Pure.

import type { CaseResult, Trial } from "../runs/run-file.ts";
import { quantile } from "./quantile.ts";

/** In milliseconds. */
export interface Latency {
  readonly askings: number;
  readonly timedOut: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Askings whose time says something: one that timed out took at least as long, one that failed at once would flatter. */
export function timedTrials(cases: readonly CaseResult[]): Trial[] {
  return cases.flatMap(({ trials }) => trials.filter(({ status }) => status !== "failed"));
}

/** Null where nothing was answered or timed out. */
export function latencyOf(cases: readonly CaseResult[]): Latency | null {
  const trials = timedTrials(cases);
  const times = trials.map(({ elapsedMs }) => elapsedMs);
  const [p50, p90, p99] = [0.5, 0.9, 0.99].map((part) => quantile(times, part));
  if (p50 == null || p90 == null || p99 == null) return null;
  const timedOut = trials.filter(({ status }) => status === "timed_out").length;
  return { askings: times.length, timedOut, p50, p90, p99 };
}
