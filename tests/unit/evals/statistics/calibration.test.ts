import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  brierScore,
  CALIBRATION_BINS,
  calibrationOf,
  type Judgement,
  judgementsOf,
} from "../../../evals/statistics/calibration.ts";
import { caseOf } from "../sample-runs.ts";

const judgements = fc.array(
  fc.record({
    caseId: fc.constantFrom("a", "b", "c", "d"),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    isRight: fc.boolean(),
  }),
  { minLength: 1, maxLength: 200 },
);

/** So many answers of one confidence, each a case of its own, of which so many are right. */
function answers(confidence: number, right: number, all: number): Judgement[] {
  return Array.from({ length: all }, (_, i) => ({ caseId: `${confidence}-${i}`, confidence, isRight: i < right }));
}

describe("calibration", () => {
  it("finds no error where confidence is the share of right answers", () => {
    const perfect = calibrationOf([...answers(0.1, 1, 10), ...answers(0.5, 5, 10), ...answers(0.9, 9, 10)]);
    expect(perfect?.expectedCalibrationError).toBeCloseTo(0, 12);
    expect(perfect?.bins.map(({ meanConfidence, shareRight }) => [meanConfidence.toFixed(2), shareRight])).toEqual([
      ["0.10", 0.1],
      ["0.50", 0.5],
      ["0.90", 0.9],
    ]);
  });

  it("weighs the error of a bin by its answers", () => {
    // 0.9 where half is right, 30 times; 0.1 where a tenth is, 10 times.
    const calibration = calibrationOf([...answers(0.9, 15, 30), ...answers(0.1, 1, 10)]);
    expect(calibration?.expectedCalibrationError).toBeCloseTo(0.3, 12);
  });

  it("has the Brier score of squared distances, and that of the base rate", () => {
    const two: Judgement[] = [
      { caseId: "a", confidence: 0.8, isRight: true },
      { caseId: "b", confidence: 0.6, isRight: false },
    ];
    expect(brierScore(two)).toBeCloseTo(0.2, 12);
    expect(calibrationOf(two)?.brierOfBaseRate).toBeCloseTo(0.25, 12);
  });

  it("puts each answer into one bin, certainty into the last", () => {
    fc.assert(
      fc.property(judgements, (all) => {
        const bins = calibrationOf(all)?.bins ?? [];
        expect(bins.reduce((sum, bin) => sum + bin.answers, 0)).toBe(all.length);
        expect(bins.length).toBeLessThanOrEqual(CALIBRATION_BINS);
        for (const bin of bins) {
          expect(bin.meanConfidence).toBeGreaterThanOrEqual(bin.from - 1e-12);
          expect(bin.meanConfidence).toBeLessThanOrEqual(bin.to + 1e-12);
        }
      }),
    );
    expect(calibrationOf(answers(1, 1, 1))?.bins).toMatchObject([{ from: 0.8, to: 1, answers: 1 }]);
  });

  it("has an error whose square is never over the Brier score", () => {
    fc.assert(
      fc.property(judgements, (all) => {
        const calibration = calibrationOf(all);
        const error = calibration?.expectedCalibrationError ?? Number.NaN;
        expect(error ** 2).toBeLessThanOrEqual((calibration?.brierScore ?? Number.NaN) + 1e-9);
      }),
    );
  });

  it("counts each case once in how sure it is", () => {
    const askedOnce = calibrationOf(answers(0.9, 3, 4));
    const askedOften = calibrationOf([1, 2, 3].flatMap(() => answers(0.9, 3, 4)));
    expect(askedOften).toMatchObject({ answers: 12, cases: 4 });
    expect(askedOften?.bins[0]?.interval).toEqual(askedOnce?.bins[0]?.interval);
  });

  it("goes by answers that have a confidence and are known to be right or wrong", () => {
    const cases = [
      caseOf("known", [{ confidence: 0.7, isRight: false }]),
      caseOf("silent", [{ confidence: null }, { isRight: null }]),
      caseOf("modest", [{ confidence: 0.1, isRight: true, outcome: "unknown" }]),
    ];
    expect(judgementsOf(cases)).toEqual([{ caseId: "known", confidence: 0.7, isRight: false }]);
    expect(calibrationOf([])).toBeNull();
  });
});
