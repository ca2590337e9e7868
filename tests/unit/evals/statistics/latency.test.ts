import { describe, expect, it } from "vitest";
import { latencyOf } from "../../../../evals/statistics/latency.ts";
import { caseOf } from "../sample-runs.ts";

describe("latency", () => {
  it("includes the time of timeouts and leaves out failed trials", () => {
    const cases = [
      caseOf("a", [{ elapsedMs: 100 }, { elapsedMs: 200 }]),
      caseOf("b", [
        { elapsedMs: 30_000, status: "timed_out" },
        { elapsedMs: 1, status: "failed" },
      ]),
    ];
    expect(latencyOf(cases)).toMatchObject({ trials: 3, timedOut: 1, p50: 200, p90: 24_040 });
  });

  it("is null when no trial was answered", () => {
    expect(latencyOf([caseOf("a", [{ status: "failed" }])])).toBeNull();
    expect(latencyOf([])).toBeNull();
  });
});
