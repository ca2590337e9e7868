import { describe, expect, it } from "vitest";
import { MIN_JUDGED_ANSWERS, reliabilityOf } from "../../../functions/quality/confidence-reliability.ts";

const answers = (count: number, confidence: number, right: number) =>
  Array.from({ length: count }, (_, i) => ({ caseId: `${confidence}-${i}`, confidence, isRight: i < right }));

describe("the reliability of confidences", () => {
  it("has no figures without answers", () => {
    expect(reliabilityOf([])).toMatchObject({ judged: 0, bins: [], brier_score: null, calibration_error: null });
  });

  it("has enough answers from the limit on", () => {
    expect(reliabilityOf(answers(MIN_JUDGED_ANSWERS - 1, 0.9, 40)).enough).toBe(false);
    expect(reliabilityOf(answers(MIN_JUDGED_ANSWERS, 0.9, 40)).enough).toBe(true);
  });

  it("has the share of right answers of each bin with an interval around it", () => {
    const { bins, right, calibration_error } = reliabilityOf([...answers(10, 0.5, 5), ...answers(10, 0.9, 5)]);
    expect(right).toBe(10);
    expect(bins.map(({ from, answers: count, share_right }) => [from, count, share_right])).toEqual([
      [0.4, 10, 0.5],
      [0.8, 10, 0.5],
    ]);
    for (const { low, high } of bins) expect(low < 0.5 && high > 0.5).toBe(true);
    expect(calibration_error).toBeCloseTo(0.2);
  });
});
