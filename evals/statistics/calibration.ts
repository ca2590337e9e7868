// Calibration: how well the confidence of answers predicts whether they are right. Pure functions.

import { aurocOf, coverageAt } from "../../bench/relevance/figures.ts";
import {
  brierScore,
  distinctCases,
  expectedCalibrationError,
  type GradedAnswer,
  type ReliabilityBin,
  reliabilityBins,
  shareOfRight,
} from "../../functions/quality/reliability.ts";
import type { CaseResult, Trial } from "../runs/run-file.ts";

export interface Calibration {
  readonly answers: number;
  readonly cases: number;
  readonly shareRight: number;
  /** The non-empty bins, by ascending confidence. */
  readonly bins: readonly ReliabilityBin[];
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
  const shareRight = shareOfRight(answers);
  if (shareRight === null) return null;
  const bins = reliabilityBins(answers, binCount);
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
