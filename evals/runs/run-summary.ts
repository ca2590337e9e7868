// The summary of a run, as the tested service stores it. Pure function.

import type { EvaluationRun } from "../../functions/quality/evaluation-runs.ts";
import { casePassed, metricFigures } from "../statistics/metric-figures.ts";
import type { EvalRun } from "./run-file.ts";

export function runSummaryOf({ id, startedAt, finishedAt, subject, repeats, cases }: EvalRun): EvaluationRun {
  const { version, commit, models, reranker, embedding } = subject;
  const figures = metricFigures(cases).map(({ metric, mean, cases: count }) => [metric, { mean, cases: count }]);
  return {
    id,
    started_at: startedAt,
    finished_at: finishedAt,
    version,
    revision: commit,
    models,
    reranker,
    embedding,
    repeats,
    cases: cases.length,
    passed: cases.filter(casePassed).length,
    metrics: Object.fromEntries(figures),
  };
}
