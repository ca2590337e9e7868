// Calibration: how well the confidence of answers predicts whether they are right. Pure functions.

import { aurocOf, coverageAt } from "../../bench/relevance/figures.ts";
import type { CaseResult, Trial } from "../runs/run-file.ts";
import { mean } from "./mean.ts";
import { type Interval, wilsonInterval } from "./wilson.ts";

/** An answer with a confidence whose correctness is known. */
export interface GradedAnswer {
  readonly caseId: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly isRight: boolean;
}

export interface CalibrationBin {
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

export interface Calibration {
  readonly answers: number;
  readonly cases: number;
  readonly shareRight: number;
  /** The non-empty bins, by ascending confidence. */
  readonly bins: readonly CalibrationBin[];
  /** 0 to 1, lower is better. */
  readonly expectedCalibrationError: number;
  /** 0 to 1, lower is better. */
  readonly brierScore: number;
  /** The Brier score if every answer had `shareRight` as its confidence. */
  readonly brierOfBaseRate: number;
  /** The probability that a right answer is surer than a wrong one; null when all are right, or all are wrong. */
  readonly auroc: number | null;
  /** The largest share of the answers, surest first, of which at most 5 % are wrong, and at most 10 %. */
  readonly coverageAt5: number;
  readonly coverageAt10: number;
}

/** With about fifty cases, five bins hold several cases each. */
export const CALIBRATION_BINS = 5;

/**
 * Leaves out answers with the outcome "unknown": they claim nothing. An answer with the outcome "possible" is right when its
 * first candidate is, since its confidence is the probability of that candidate.
 */
export function gradedAnswersOf(cases: readonly CaseResult[]): GradedAnswer[] {
  return cases.flatMap(({ id, trials }) =>
    trials.flatMap((trial) => {
      const isRight = gradeOf(trial);
      return trial.confidence === null || isRight === null
        ? []
        : [{ caseId: id, confidence: trial.confidence, isRight }];
    }),
  );
}

function gradeOf({ outcome, isRight, isCandidateRight }: Trial): boolean | null {
  if (outcome === "unknown") return null;
  return outcome === "possible" ? isCandidateRight : isRight;
}

/** Null without graded answers. @param binCount bins of equal width between 0 and 1 */
export function calibrationOf(answers: readonly GradedAnswer[], binCount = CALIBRATION_BINS): Calibration | null {
  const shareRight = mean(answers.map(rightness));
  if (shareRight === null) return null;
  const bins = binsOf(answers, binCount);
  return {
    answers: answers.length,
    cases: distinctCases(answers),
    shareRight,
    bins,
    expectedCalibrationError: expectedCalibrationError(bins),
    brierScore: brierScore(answers) ?? 0,
    brierOfBaseRate: shareRight * (1 - shareRight),
    auroc: aurocOf(answers),
    coverageAt5: coverageAt(answers, 0.05),
    coverageAt10: coverageAt(answers, 0.1),
  };
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
export function expectedCalibrationError(bins: readonly CalibrationBin[]): number {
  const answers = bins.reduce((sum, bin) => sum + bin.answers, 0);
  return bins.reduce((sum, bin) => sum + (bin.answers / answers) * Math.abs(bin.shareRight - bin.meanConfidence), 0);
}

function binsOf(answers: readonly GradedAnswer[], binCount: number): CalibrationBin[] {
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

function distinctCases(answers: readonly GradedAnswer[]): number {
  return new Set(answers.map(({ caseId }) => caseId)).size;
}

function rightness({ isRight }: GradedAnswer): number {
  return isRight ? 1 : 0;
}
