// Fits the calibration of a deployment to its labels: Platt scaling, a logistic regression with one feature. The targets
// are smoothed as in J. Platt, "Probabilistic Outputs for Support Vector Machines" (1999), section 2.2: (n₊ + 1) / (n₊ + 2)
// for a right answer and 1 / (n₋ + 2) for a wrong one. Pure functions.

import { type Calibration, DEFAULT_CALIBRATION } from "../../schemas/calibration.ts";
import { probabilityOf } from "./relevance.ts";

/** An answer that people judged. */
export interface CalibrationLabel {
  /** Log-odds of the text that the answer rests on. */
  readonly logOdds: number;
  /** Whether the answer was right. */
  readonly isRight: boolean;
}

export interface CalibrationFit extends Calibration {
  readonly labels: number;
  /** The number of right answers. */
  readonly positives: number;
  /** Mean squared error of the probabilities on the labels, with the default and with the fit; null without labels. */
  readonly brierBefore: number | null;
  readonly brierAfter: number | null;
}

/** Fewer labels keep the default. */
export const MIN_LABELS = 50;
/** Fewer labels of one kind keep the default. */
const MIN_LABELS_OF_KIND = 5;
/** The prior counts like this many labels, spread over the same log-odds, that agree with the default. */
const PRIOR_LABELS = 50;
export const MIN_SLOPE = 0.5;
export const MAX_SLOPE = 2;
export const MAX_INTERCEPT = 1.5;
/** Larger log-odds are limited: one far answer must not decide the fit. */
const MAX_LOG_ODDS = 10;
const NEWTON_STEPS = 25;
/** Halvings of a step that would increase the loss. */
const MAX_HALVINGS = 12;
/** Added to the diagonal of the Hessian, so that the two numbers stay apart when all log-odds are equal. */
const RIDGE = 1;
const DECIMALS = 10_000;

interface Target {
  readonly logOdds: number;
  /** Weighted mean of the smoothed label and the prior's probability. */
  readonly probability: number;
}

/** Labels with log-odds that are not finite are ignored. */
export function fitCalibration(labels: readonly CalibrationLabel[]): CalibrationFit {
  const used = labels
    .filter(({ logOdds }) => Number.isFinite(logOdds))
    .map(({ logOdds, isRight }) => ({ logOdds: clamp(logOdds, -MAX_LOG_ODDS, MAX_LOG_ODDS), isRight }));
  const positives = used.filter(({ isRight }) => isRight).length;
  const isEnough = used.length >= MIN_LABELS && Math.min(positives, used.length - positives) >= MIN_LABELS_OF_KIND;
  const calibration = isEnough ? minimise(targetsOf(used, positives), used.length) : DEFAULT_CALIBRATION;
  return {
    slope: round(calibration.slope),
    intercept: round(calibration.intercept),
    labels: used.length,
    positives,
    brierBefore: brierScore(used, DEFAULT_CALIBRATION),
    brierAfter: brierScore(used, calibration),
  };
}

/** Two weighted targets at the same log-odds have the same minimum as their mean. */
function targetsOf(labels: readonly CalibrationLabel[], positives: number): Target[] {
  const right = (positives + 1) / (positives + 2);
  const wrong = 1 / (labels.length - positives + 2);
  const priorWeight = PRIOR_LABELS / labels.length;
  return labels.map(({ logOdds, isRight }) => ({
    logOdds,
    probability: ((isRight ? right : wrong) + priorWeight * probabilityOf(logOdds)) / (1 + priorWeight),
  }));
}

/** Newton's method inside the bounds, from the default. A number at its bound stays there while the loss falls outwards. */
function minimise(targets: readonly Target[], labels: number): Calibration {
  const weight = 1 + PRIOR_LABELS / labels;
  let current = DEFAULT_CALIBRATION;
  let loss = lossOf(targets, weight, current);
  for (let step = 0; step < NEWTON_STEPS; step++) {
    const direction = newtonDirection(targets, weight, current);
    let share = 1;
    let next = moved(current, direction, share);
    let nextLoss = lossOf(targets, weight, next);
    for (let halving = 0; halving < MAX_HALVINGS && nextLoss > loss; halving++) {
      share /= 2;
      next = moved(current, direction, share);
      nextLoss = lossOf(targets, weight, next);
    }
    if (nextLoss >= loss) break;
    current = next;
    loss = nextLoss;
  }
  return current;
}

function newtonDirection(targets: readonly Target[], weight: number, { slope, intercept }: Calibration): Calibration {
  let slopeGradient = RIDGE * (slope - DEFAULT_CALIBRATION.slope);
  let interceptGradient = RIDGE * (intercept - DEFAULT_CALIBRATION.intercept);
  let [slopeCurve, mixedCurve, interceptCurve] = [RIDGE, 0, RIDGE];
  for (const { logOdds, probability } of targets) {
    const predicted = probabilityOf(slope * logOdds + intercept);
    const error = weight * (predicted - probability);
    const curve = weight * predicted * (1 - predicted);
    slopeGradient += error * logOdds;
    interceptGradient += error;
    slopeCurve += curve * logOdds * logOdds;
    mixedCurve += curve * logOdds;
    interceptCurve += curve;
  }
  const isSlopeFixed = isAtBound(slope, slopeGradient, MIN_SLOPE, MAX_SLOPE);
  const isInterceptFixed = isAtBound(intercept, interceptGradient, -MAX_INTERCEPT, MAX_INTERCEPT);
  if (isSlopeFixed || isInterceptFixed)
    return {
      slope: isSlopeFixed ? 0 : -slopeGradient / slopeCurve,
      intercept: isInterceptFixed ? 0 : -interceptGradient / interceptCurve,
    };
  const determinant = slopeCurve * interceptCurve - mixedCurve * mixedCurve;
  return {
    slope: -(interceptCurve * slopeGradient - mixedCurve * interceptGradient) / determinant,
    intercept: -(slopeCurve * interceptGradient - mixedCurve * slopeGradient) / determinant,
  };
}

function isAtBound(value: number, gradient: number, min: number, max: number): boolean {
  return (value <= min && gradient > 0) || (value >= max && gradient < 0);
}

function moved({ slope, intercept }: Calibration, direction: Calibration, share: number): Calibration {
  return {
    slope: clamp(slope + share * direction.slope, MIN_SLOPE, MAX_SLOPE),
    intercept: clamp(intercept + share * direction.intercept, -MAX_INTERCEPT, MAX_INTERCEPT),
  };
}

/** Cross-entropy of the targets and the ridge. */
function lossOf(targets: readonly Target[], weight: number, { slope, intercept }: Calibration): number {
  const slopeShift = slope - DEFAULT_CALIBRATION.slope;
  const interceptShift = intercept - DEFAULT_CALIBRATION.intercept;
  return targets.reduce(
    (sum, { logOdds, probability }) => {
      const calibratedOdds = slope * logOdds + intercept;
      return sum + weight * (softplus(calibratedOdds) - probability * calibratedOdds);
    },
    (RIDGE / 2) * (slopeShift * slopeShift + interceptShift * interceptShift),
  );
}

/** ln(1 + e^x) without overflow. */
function softplus(x: number): number {
  return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
}

function brierScore(labels: readonly CalibrationLabel[], { slope, intercept }: Calibration): number | null {
  if (labels.length === 0) return null;
  const squares = labels.map(
    ({ logOdds, isRight }) => (probabilityOf(slope * logOdds + intercept) - Number(isRight)) ** 2,
  );
  return round(squares.reduce((sum, square) => sum + square, 0) / labels.length);
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

function round(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}
