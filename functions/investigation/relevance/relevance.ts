// Relevance of a recalled text: the probability that it is about the reported failure. Pure functions.

export interface Relevance {
  /** 0 to 1. */
  readonly probability: number;
  /** The sum of the contributions; ln(p / (1 − p)) before the calibration of the deployment. */
  readonly logOdds: number;
  /** Contribution of each feature to the log-odds, `bias` included. */
  readonly contributions: Readonly<Record<string, number>>;
}

/** ln(p / (1 − p)). */
export function logOddsOf(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/** 1 / (1 + e^−x). */
export function probabilityOf(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}
