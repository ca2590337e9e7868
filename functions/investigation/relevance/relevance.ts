// Relevance of a recalled text: the probability that it is about the reported failure. Pure functions.

import { type Calibration, DEFAULT_CALIBRATION } from "../../schemas/calibration.ts";

export interface Relevance {
  /** 0 to 1. */
  readonly probability: number;
  /** The sum of the contributions; ln(p / (1 − p)) before the calibration of the deployment. */
  readonly logOdds: number;
  /** Contribution of each feature to the log-odds, `bias` included. */
  readonly contributions: Readonly<Record<string, number>>;
}

/** Smaller standard deviations are rounding errors. */
const MIN_DEVIATION = 1e-9;

/** ln(p / (1 − p)). */
export function logOddsOf(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/** 1 / (1 + e^−x). */
export function probabilityOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** The relevance with the probability of the calibration. Log-odds and contributions stay those of the model. */
export function calibrated(relevance: Relevance, { slope, intercept }: Calibration): Relevance {
  if (slope === DEFAULT_CALIBRATION.slope && intercept === DEFAULT_CALIBRATION.intercept) return relevance;
  return { ...relevance, probability: probabilityOf(slope * relevance.logOdds + intercept) };
}

/** The relevance with one more contribution, and its probability by the calibration. */
export function withContribution(
  { logOdds, contributions }: Relevance,
  name: string,
  value: number,
  calibration: Calibration,
): Relevance {
  const sum = logOdds + value;
  return calibrated(
    { probability: probabilityOf(sum), logOdds: sum, contributions: { ...contributions, [name]: value } },
    calibration,
  );
}

/** Distance of a value from the mean of all, in standard deviations; 0 if all are equal. */
export function standardScore(values: readonly number[], value: number): number {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / values.length);
  return deviation < MIN_DEVIATION ? 0 : (value - mean) / deviation;
}

/** Rounds to two digits. Shown and compared values are the same. A value below 1 never becomes 1: no estimate is certain. */
export function roundShare(value: number): number {
  const rounded = Math.round(value * 100) / 100;
  return value < 1 ? Math.min(rounded, 0.99) : rounded;
}

/** The relevance with at most these log-odds; the named contribution makes up the difference. */
export function atMost(relevance: Relevance, logOdds: number, name: string): Relevance {
  if (relevance.logOdds <= logOdds) return relevance;
  return {
    probability: probabilityOf(logOdds),
    logOdds,
    contributions: { ...relevance.contributions, [name]: logOdds - relevance.logOdds },
  };
}

/** The relevance with at least this probability; the named contribution fills the gap. */
export function atLeast(relevance: Relevance, probability: number, name: string): Relevance {
  if (relevance.probability >= probability) return relevance;
  const logOdds = logOddsOf(probability);
  return { probability, logOdds, contributions: { ...relevance.contributions, [name]: logOdds - relevance.logOdds } };
}
