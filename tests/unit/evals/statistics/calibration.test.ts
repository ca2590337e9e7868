import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALIBRATION_BINS, calibrationOf, gradedAnswersOf } from "../../../../evals/statistics/calibration.ts";
import { brierScore, type GradedAnswer } from "../../../../functions/quality/reliability.ts";
import { caseOf } from "../sample-runs.ts";

const gradedAnswers = fc.array(
  fc.record({
    caseId: fc.constantFrom("a", "b", "c", "d"),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    isRight: fc.boolean(),
  }),
  { minLength: 1, maxLength: 200 },
);

/** `all` answers with one confidence, each of its own case; the first `right` of them are right. */
function answers(confidence: number, right: number, all: number): GradedAnswer[] {
  return Array.from({ length: all }, (_, i) => ({ caseId: `${confidence}-${i}`, confidence, isRight: i < right }));
}

describe("calibration", () => {
  it("has no error when confidence equals the share of right answers", () => {
    const perfect = calibrationOf([...answers(0.1, 1, 10), ...answers(0.5, 5, 10), ...answers(0.9, 9, 10)]);
    expect(perfect?.expectedCalibrationError).toBeCloseTo(0, 12);
    expect(perfect?.bins.map(({ meanConfidence, shareRight }) => [meanConfidence.toFixed(2), shareRight])).toEqual([
      ["0.10", 0.1],
      ["0.50", 0.5],
      ["0.90", 0.9],
    ]);
  });

  it("weights the error of a bin by its number of answers", () => {
    // 30 answers with confidence 0.9, half of them right; 10 with 0.1, a tenth of them right.
    const calibration = calibrationOf([...answers(0.9, 15, 30), ...answers(0.1, 1, 10)]);
    expect(calibration?.expectedCalibrationError).toBeCloseTo(0.3, 12);
  });

  it("computes the Brier score and that of the base rate", () => {
    const two: GradedAnswer[] = [
      { caseId: "a", confidence: 0.8, isRight: true },
      { caseId: "b", confidence: 0.6, isRight: false },
    ];
    expect(brierScore(two)).toBeCloseTo(0.2, 12);
    expect(calibrationOf(two)?.brierOfBaseRate).toBeCloseTo(0.25, 12);
  });

  it("puts each answer into one bin, and confidence 1 into the last", () => {
    fc.assert(
      fc.property(gradedAnswers, (all) => {
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

  it("has a squared error of at most the Brier score", () => {
    fc.assert(
      fc.property(gradedAnswers, (all) => {
        const calibration = calibrationOf(all);
        const error = calibration?.expectedCalibrationError ?? Number.NaN;
        expect(error ** 2).toBeLessThanOrEqual((calibration?.brierScore ?? Number.NaN) + 1e-9);
      }),
    );
  });

  it("counts each case once in the interval", () => {
    const oneTrial = calibrationOf(answers(0.9, 3, 4));
    const threeTrials = calibrationOf([1, 2, 3].flatMap(() => answers(0.9, 3, 4)));
    expect(threeTrials).toMatchObject({ answers: 12, cases: 4 });
    expect(threeTrials?.bins[0]?.interval).toEqual(oneTrial?.bins[0]?.interval);
  });

  it("computes how well confidence separates right from wrong, and the coverage at a risk", () => {
    const mixed = calibrationOf([...answers(0.9, 19, 20), ...answers(0.5, 5, 10), ...answers(0.1, 0, 10)]);
    // 24 right and 16 wrong answers: 0.9 beats 0.5 and 0.1, equal confidences count half.
    expect(mixed?.auroc).toBeCloseTo((19 * (0.5 + 15) + 5 * (2.5 + 10)) / (24 * 16), 12);
    expect(mixed?.coverageAt5).toBeCloseTo(25 / 40, 12);
    expect(mixed?.coverageAt10).toBeCloseTo(26 / 40, 12);
    expect(calibrationOf(answers(0.9, 3, 3))?.auroc).toBeNull();
  });

  it("takes another number of bins", () => {
    const tenths = calibrationOf([...answers(0.82, 1, 1), ...answers(0.98, 1, 1)], 10);
    expect(tenths?.bins.map(({ from, to }) => [from, to])).toEqual([
      [0.8, 0.9],
      [0.9, 1],
    ]);
  });

  it("grades an answer with outcome possible by its first candidate", () => {
    const possible = { outcome: "possible", confidence: 0.5, isRight: false };
    const cases = [
      caseOf("right-candidate", [{ ...possible, isCandidateRight: true }]),
      caseOf("wrong-candidate", [{ ...possible, isCandidateRight: false }]),
      caseOf("no-expected-source", [{ ...possible, isCandidateRight: null }]),
    ];
    expect(gradedAnswersOf(cases)).toEqual([
      { caseId: "right-candidate", confidence: 0.5, isRight: true },
      { caseId: "wrong-candidate", confidence: 0.5, isRight: false },
    ]);
  });

  it("uses answers with a confidence and a known result, without those of outcome unknown", () => {
    const cases = [
      caseOf("graded", [{ confidence: 0.7, isRight: false }]),
      caseOf("ungraded", [{ confidence: null }, { isRight: null }]),
      caseOf("unknown", [{ confidence: 0.1, isRight: true, outcome: "unknown" }]),
    ];
    expect(gradedAnswersOf(cases)).toEqual([{ caseId: "graded", confidence: 0.7, isRight: false }]);
    expect(calibrationOf([])).toBeNull();
  });
});
