// Reliability of confidences: how often answers of a confidence are right. Pure functions.

import { type Interval, wilsonInterval } from "./wilson.ts";

/** An answer with a confidence whose correctness is known. */
export interface GradedAnswer {
  readonly caseId: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly isRight: boolean;
}

export interface ReliabilityBin {
  /** Confidences from `from` (inclusive) to `to` (exclusive; inclusive in the last bin). */
  readonly from: number;
  readonly to: number;
  readonly answers: number;
  /** Distinct cases among them. */
  readonly cases: number;
  readonly meanConfidence: number;
  readonly shareRight: number;
  /** 95 % interval of `shareRight`. Each case counts once, since trials of one case are not independent. */
  readonly interval: Interval;
}

/** Null without answers. */
export function shareOfRight(answers: readonly GradedAnswer[]): number | null {
  return mean(answers.map(rightness));
}

/** The non-empty bins, by ascending confidence. @param binCount bins of equal width between 0 and 1 */
export function reliabilityBins(answers: readonly GradedAnswer[], binCount: number): ReliabilityBin[] {
  const answersByBin = Map.groupBy(answers, ({ confidence }) =>
    Math.min(binCount - 1, Math.floor(confidence * binCount)),
  );
  return [...answersByBin]
    .toSorted(([a], [b]) => a - b)
    .map(([index, members]) => {
      const shareRight = mean(members.map(rightness)) ?? 0;
      const cases = distinctCases(members);
      return {
        from: index / binCount,
        to: (index + 1) / binCount,
        answers: members.length,
        cases,
        meanConfidence: mean(members.map(({ confidence }) => confidence)) ?? 0,
        shareRight,
        interval: wilsonInterval(shareRight, cases),
      };
    });
}

export function distinctCases(answers: readonly GradedAnswer[]): number {
  return new Set(answers.map(({ caseId }) => caseId)).size;
}

/**
 * The mean squared difference between confidence and correctness (1 or 0); null for an empty list.
 *
 * Source: G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78 (1950), in
 * the form for one event, which is half of the original.
 */
export function brierScore(answers: readonly GradedAnswer[]): number | null {
  return mean(answers.map((answer) => (answer.confidence - rightness(answer)) ** 2));
}

/**
 * The mean over bins of |share right − mean confidence|, weighted by the number of answers in each bin.
 *
 * Source: M. Naeini, G. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI
 * (2015), with bins of equal width.
 */
export function expectedCalibrationError(bins: readonly ReliabilityBin[]): number {
  const answers = bins.reduce((sum, bin) => sum + bin.answers, 0);
  return bins.reduce((sum, bin) => sum + (bin.answers / answers) * Math.abs(bin.shareRight - bin.meanConfidence), 0);
}

function rightness({ isRight }: GradedAnswer): number {
  return isRight ? 1 : 0;
}

function mean(sample: readonly number[]): number | null {
  return sample.length === 0 ? null : sample.reduce((sum, each) => sum + each, 0) / sample.length;
}
