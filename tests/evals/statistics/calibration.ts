// Owns how far the confidence of the answers can be believed. Pure.

import type { CaseResult } from "../runs/run-file.ts";
import { mean } from "./mean.ts";
import { type Interval, wilsonInterval } from "./wilson.ts";

/** An answer of which somebody knows whether it is right. */
export interface Judgement {
  readonly caseId: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly isRight: boolean;
}

export interface CalibrationBin {
  /** Confidences from `from` on and below `to`; the last bin holds 1 as well. */
  readonly from: number;
  readonly to: number;
  readonly answers: number;
  /** Distinct cases among them. */
  readonly cases: number;
  readonly meanConfidence: number;
  readonly shareRight: number;
  /** Of the share; each case counts once, since askings of one case resemble each other. */
  readonly interval: Interval;
}

export interface Calibration {
  readonly answers: number;
  readonly cases: number;
  readonly shareRight: number;
  /** Those that hold an answer, in order. */
  readonly bins: readonly CalibrationBin[];
  /** 0 to 1, lower is better. */
  readonly expectedCalibrationError: number;
  /** 0 to 1, lower is better. */
  readonly brierScore: number;
  /** The Brier score of giving each answer the share of right ones as its confidence. */
  readonly brierOfBaseRate: number;
}

/** Few enough that some fifty cases leave several in each. */
export const CALIBRATION_BINS = 5;

/** Of answers that say something: "unknown" is right to have a low confidence. */
export function judgementsOf(cases: readonly CaseResult[]): Judgement[] {
  return cases.flatMap(({ id, trials }) =>
    trials.flatMap(({ confidence, isRight, outcome }) =>
      confidence === null || isRight === null || outcome === "unknown" ? [] : [{ caseId: id, confidence, isRight }],
    ),
  );
}

/** Null where there is nothing to judge by. */
export function calibrationOf(judgements: readonly Judgement[]): Calibration | null {
  const shareRight = mean(judgements.map(rightness));
  if (shareRight === null) return null;
  const bins = binsOf(judgements);
  return {
    answers: judgements.length,
    cases: distinctCases(judgements),
    shareRight,
    bins,
    expectedCalibrationError: expectedCalibrationError(bins),
    brierScore: brierScore(judgements) ?? 0,
    brierOfBaseRate: shareRight * (1 - shareRight),
  };
}

/**
 * The mean squared distance between confidence and truth; null of nothing.
 *
 * Source: G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78 (1950), in
 * the form for one event, which is half of the original.
 */
export function brierScore(judgements: readonly Judgement[]): number | null {
  return mean(judgements.map((each) => (each.confidence - rightness(each)) ** 2));
}

/**
 * The distance between confidence and share of right answers, averaged over the bins by their answers.
 *
 * Source: M. Naeini, G. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using Bayesian binning", AAAI
 * (2015), with bins of equal width.
 */
export function expectedCalibrationError(bins: readonly CalibrationBin[]): number {
  const answers = bins.reduce((sum, bin) => sum + bin.answers, 0);
  return bins.reduce((sum, bin) => sum + (bin.answers / answers) * Math.abs(bin.shareRight - bin.meanConfidence), 0);
}

function binsOf(judgements: readonly Judgement[]): CalibrationBin[] {
  const held = Map.groupBy(judgements, ({ confidence }) =>
    Math.min(CALIBRATION_BINS - 1, Math.floor(confidence * CALIBRATION_BINS)),
  );
  return [...held]
    .toSorted(([a], [b]) => a - b)
    .map(([index, members]) => {
      const shareRight = mean(members.map(rightness)) ?? 0;
      const cases = distinctCases(members);
      return {
        from: index / CALIBRATION_BINS,
        to: (index + 1) / CALIBRATION_BINS,
        answers: members.length,
        cases,
        meanConfidence: mean(members.map(({ confidence }) => confidence)) ?? 0,
        shareRight,
        interval: wilsonInterval(shareRight, cases),
      };
    });
}

function distinctCases(judgements: readonly Judgement[]): number {
  return new Set(judgements.map(({ caseId }) => caseId)).size;
}

function rightness({ isRight }: Judgement): number {
  return isRight ? 1 : 0;
}
