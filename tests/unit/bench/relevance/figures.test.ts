import { describe, expect, it } from "vitest";
import {
  aurocOf,
  calibrationErrorOf,
  coverageAt,
  type Graded,
  reliability,
} from "../../../../bench/relevance/figures.ts";

const right = (...confidences: number[]): Graded[] => confidences.map((confidence) => ({ confidence, isRight: true }));
const wrong = (...confidences: number[]): Graded[] => confidences.map((confidence) => ({ confidence, isRight: false }));

describe("AUROC", () => {
  it("is the share of pairs in which the right answer is surer", () => {
    expect(aurocOf([...right(0.9, 0.8), ...wrong(0.2, 0.1)])).toBe(1);
    expect(aurocOf([...right(0.1), ...wrong(0.9)])).toBe(0);
    // 0.9 beats both; 0.3 beats 0.2 only.
    expect(aurocOf([...right(0.9, 0.3), ...wrong(0.5, 0.2)])).toBe(0.75);
  });

  it("counts a tie half", () => {
    expect(aurocOf([...right(0.5), ...wrong(0.5)])).toBe(0.5);
  });

  it("is null without a right or without a wrong answer", () => {
    expect([aurocOf(right(0.5)), aurocOf(wrong(0.5)), aurocOf([])]).toEqual([null, null, null]);
  });
});

describe("the calibration error", () => {
  it("is 0 if each tenth is right as often as it says", () => {
    expect(calibrationErrorOf([...right(0.75, 0.75, 0.75), ...wrong(0.75)])).toBe(0);
  });

  it("is the mean distance of confidence and share of right answers, by the size of each tenth", () => {
    // 0.9: 2 of 2 right, distance 0.1. 0.2: 1 of 2 right, distance 0.3.
    expect(calibrationErrorOf([...right(0.9, 0.9, 0.2), ...wrong(0.2)])).toBeCloseTo(0.2, 10);
    // 0.8: 3 of 3 wrong. 0.1: right.
    expect(calibrationErrorOf([...wrong(0.8, 0.8, 0.8), ...right(0.1)])).toBeCloseTo(0.75 * 0.8 + 0.25 * 0.9, 10);
  });

  it("is 0 without answers", () => {
    expect(calibrationErrorOf([])).toBe(0);
  });

  it("has the bins of the reliability plot, without the empty ones", () => {
    expect(reliability([...right(1, 0.95), ...wrong(0.05)])).toEqual([
      { confidence: 0.05, right: 0, count: 1 },
      { confidence: 0.975, right: 1, count: 2 },
    ]);
  });
});

describe("the coverage at a risk", () => {
  it("is the share of the surest answers with at most this share of wrong ones", () => {
    const graded = [...right(0.9, 0.8, 0.7), ...wrong(0.6), ...right(0.5), ...wrong(0.4)];
    // After four answers 1 of 4 is wrong, after five 1 of 5, after six 2 of 6.
    expect(coverageAt(graded, 0)).toBe(0.5);
    expect(coverageAt(graded, 0.2)).toBeCloseTo(5 / 6, 10);
    expect(coverageAt(graded, 0.25)).toBeCloseTo(5 / 6, 10);
    expect(coverageAt(graded, 1)).toBe(1);
  });

  it("is 0 if the surest answer is wrong and no later one makes up for it", () => {
    expect(coverageAt([...wrong(0.9), ...right(0.8)], 0.1)).toBe(0);
    expect(coverageAt([], 0.1)).toBe(0);
  });
});
