import { expect, it } from "vitest";
import { runSummaryOf } from "../../../evals/runs/run-summary.ts";
import { newEvaluationRunSchema } from "../../../functions/quality/evaluation-runs.ts";
import { sampleRuns } from "./sample-runs.ts";

it.each(sampleRuns())("is what the service takes, with the cases of which every trial passed: $id", (run) => {
  const summary = runSummaryOf(run);
  expect(newEvaluationRunSchema.safeParse(summary).error).toBeUndefined();
  const passed = run.cases.filter(({ trials }) => trials.every(({ failures }) => failures.length === 0));
  expect(summary).toMatchObject({ id: run.id, cases: run.cases.length, passed: passed.length });
});
