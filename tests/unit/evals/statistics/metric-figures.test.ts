import { describe, expect, it } from "vitest";
import { casePassed, metricFigure, passFigure } from "../../../../evals/statistics/metric-figures.ts";
import { caseOf } from "../sample-runs.ts";

const scored = (...values: number[]) => values.map((RetrievalRank) => ({ metrics: { RetrievalRank } }));

describe("metricFigure", () => {
  it("is the mean over cases of their means over trials, with the mean of each repeat", () => {
    const figure = metricFigure([caseOf("a", scored(1, 0.5)), caseOf("b", scored(0, 0.5))], "RetrievalRank");
    expect(figure).toEqual({
      mean: 0.5,
      cases: 2,
      repeats: [0.5, 0.5],
      range: { low: 0.5, high: 0.5 },
      judgeRange: null,
    });
  });

  it("gives each case the same weight, regardless of its number of trials", () => {
    expect(metricFigure([caseOf("a", scored(1, 1, 1)), caseOf("b", scored(0))], "RetrievalRank")).toMatchObject({
      mean: 0.5,
      repeats: [0.5, 1, 1],
    });
  });

  it("leaves out cases without the metric", () => {
    const withoutMetric = caseOf("b", [{}, {}]);
    expect(metricFigure([caseOf("a", scored(0.25, 0.75)), withoutMetric], "RetrievalRank")).toMatchObject({
      mean: 0.5,
      cases: 1,
      range: { low: 0.25, high: 0.75 },
    });
    expect(metricFigure([withoutMetric], "RetrievalRank")).toBeNull();
    expect(metricFigure([], "RetrievalRank")).toBeNull();
  });

  it("reports the spread of the judge's passes separately from that of the repeats", () => {
    const judged = (passes: number[], KeywordScore: number) => ({
      metrics: { KeywordScore },
      judged: { KeywordScore: passes },
    });
    const figure = metricFigure(
      [caseOf("a", [judged([0.5, 0.75], 0.625)]), caseOf("b", [judged([1, 0.75], 0.875)])],
      "KeywordScore",
    );
    expect(figure).toMatchObject({
      mean: 0.75,
      range: { low: 0.75, high: 0.75 },
      judgeRange: { low: 0.75, high: 0.75 },
    });
  });

  it("counts a case as passed when every trial is free of failures", () => {
    const unstable = caseOf("a", [{}, { failures: ["The outcome is unknown."] }]);
    expect(casePassed(unstable)).toBe(false);
    expect(casePassed(caseOf("b", [{}, {}]))).toBe(true);
    expect(passFigure([unstable])).toMatchObject({ mean: 0.5, repeats: [1, 0] });
  });
});
