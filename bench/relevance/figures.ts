// Figures of answers: outcomes, discrimination and calibration. Pure functions.

import type { Answered } from "./answers.ts";

export interface Graded {
  /** 0 to 1. */
  readonly confidence: number;
  readonly isRight: boolean;
}

/** What the figures read of an answer. */
export type Judged = Omit<Answered, "report" | "cited" | "quotes">;

export interface RelevanceFigures {
  /** Reports that were asked while their runbook was stored. */
  readonly asked: number;
  readonly firstRight: number;
  readonly causeRight: number;
  readonly causeWrong: number;
  readonly possibleRight: number;
  readonly possibleWrong: number;
  readonly unknown: number;
  readonly benign: number;
  /** Of those whose right runbook ranks first, 0 to 1: a right `cause`; a right `cause` or `possible`. */
  readonly causeOfFirst: number;
  readonly causeOrPossibleOfFirst: number;
  /** Share of reports with a wrong `cause` while the runbook is removed, 0 to 1; null if none was asked so. */
  readonly removedCause: number | null;
  /** Over both conditions: of the best runbook's probability. */
  readonly auroc: number | null;
  readonly calibrationError: number;
  readonly brier: number;
  /** Share of the surest answers of which at most 5 % and 10 % are wrong, 0 to 1. */
  readonly coverageAt5: number;
  readonly coverageAt10: number;
}

export function figuresOf(answers: readonly Judged[]): RelevanceFigures {
  const stored = answers.filter(({ condition }) => condition === "stored");
  const removed = answers.filter(({ condition }) => condition === "removed");
  const count = (test: (answer: Judged) => boolean) => stored.filter(test).length;
  const first = stored.filter(({ isFirstRight }) => isFirstRight);
  const graded = answers.map(({ confidence, isBestRight }) => ({ confidence, isRight: isBestRight }));
  return {
    asked: stored.length,
    firstRight: first.length,
    causeRight: count(({ outcome, isRight }) => outcome === "cause" && isRight),
    causeWrong: count(({ outcome, isRight }) => outcome === "cause" && !isRight),
    possibleRight: count(({ outcome, isRight }) => outcome === "possible" && isRight),
    possibleWrong: count(({ outcome, isRight }) => outcome === "possible" && !isRight),
    unknown: count(({ outcome }) => outcome === "unknown"),
    benign: count(({ outcome }) => outcome === "benign"),
    causeOfFirst: shareOf(first, ({ outcome, isRight }) => outcome === "cause" && isRight),
    causeOrPossibleOfFirst: shareOf(first, ({ outcome, isRight }) => claims(outcome) && isRight),
    removedCause:
      removed.length === 0 ? null : shareOf(removed, ({ outcome, isRight }) => outcome === "cause" && !isRight),
    auroc: aurocOf(graded),
    calibrationError: calibrationErrorOf(graded),
    brier: meanOf(graded, ({ confidence, isRight }) => (confidence - Number(isRight)) ** 2),
    coverageAt5: coverageAt(graded, 0.05),
    coverageAt10: coverageAt(graded, 0.1),
  };
}

function claims(outcome: Answered["outcome"]): boolean {
  return outcome === "cause" || outcome === "possible";
}

function shareOf<T>(items: readonly T[], test: (item: T) => boolean): number {
  return items.length === 0 ? 0 : items.filter(test).length / items.length;
}

function meanOf<T>(items: readonly T[], valueOfItem: (item: T) => number): number {
  return items.length === 0 ? 0 : items.reduce((sum, item) => sum + valueOfItem(item), 0) / items.length;
}

/** The probability that a right answer is surer than a wrong one; ties count half. Null if all are right, or all wrong. */
export function aurocOf(graded: readonly Graded[]): number | null {
  const right = graded.filter(({ isRight }) => isRight);
  const wrong = graded.filter(({ isRight }) => !isRight);
  if (right.length === 0 || wrong.length === 0) return null;
  const wins = right.reduce(
    (sum, a) =>
      sum + wrong.reduce((n, b) => n + (a.confidence > b.confidence ? 1 : a.confidence === b.confidence ? 0.5 : 0), 0),
    0,
  );
  return wins / (right.length * wrong.length);
}

const BINS = 10;

/** Confidence and share of right answers of each tenth, empty ones left out. */
export function reliability(
  graded: readonly Graded[],
): { readonly confidence: number; readonly right: number; readonly count: number }[] {
  const bins = Map.groupBy(graded, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  return [...bins]
    .sort(([a], [b]) => a - b)
    .map(([, bin]) => ({
      confidence: meanOf(bin, ({ confidence }) => confidence),
      right: meanOf(bin, ({ isRight }) => Number(isRight)),
      count: bin.length,
    }));
}

/** Σ over tenths of share · |mean confidence − share of right answers|. */
export function calibrationErrorOf(graded: readonly Graded[]): number {
  if (graded.length === 0) return 0;
  return reliability(graded).reduce(
    (sum, { confidence, right, count }) => sum + (count / graded.length) * Math.abs(confidence - right),
    0,
  );
}

/** The largest share of answers, surest first, of which at most `risk` are wrong. */
export function coverageAt(graded: readonly Graded[], risk: number): number {
  const sorted = graded.toSorted((a, b) => b.confidence - a.confidence);
  let wrong = 0;
  let covered = 0;
  sorted.forEach(({ isRight }, i) => {
    if (!isRight) wrong += 1;
    if (wrong / (i + 1) <= risk) covered = i + 1;
  });
  return sorted.length === 0 ? 0 : covered / sorted.length;
}
