// Summaries of evaluation runs, as `npm run dejavu -- eval` sends them.

import { z } from "zod";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";

/** Older runs are deleted when a new one is stored. */
const MAX_STORED_RUNS = 200;

const time = z.iso.datetime({ offset: true }).transform((value) => new Date(value).toISOString());
const name = z.string().min(1).max(200);

export const evaluationRunSchema = z.object({
  id: z.string().min(1).max(100).describe("The id that the evaluation gave it. A repeated id changes nothing."),
  started_at: time,
  finished_at: time,
  version: name.describe("Version of the service under test."),
  revision: name.nullable().describe("Revision of its source; null if unknown."),
  models: name.nullable().describe("The language models that answered; null for extractive answers."),
  reranker: name.nullable(),
  embedding: name.nullable(),
  repeats: z.int().min(1).max(100).describe("Trials of each case."),
  cases: z.int().min(1).max(100_000),
  passed: z.int().min(0).max(100_000).describe("Cases of which every trial passed."),
  metrics: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/),
      z.object({ mean: z.number().min(0).max(1), cases: z.int().min(1) }),
    )
    .describe("Each metric that applied to a case; the mean over cases, 0 to 1, higher is better."),
});
export type EvaluationRun = z.infer<typeof evaluationRunSchema>;

/** A run as the evaluation sends it. */
export const newEvaluationRunSchema = z
  .strictObject(evaluationRunSchema.shape)
  .refine(({ passed, cases }) => passed <= cases, { path: ["passed"], message: "must not be more than `cases`" });

/** Idempotent. @throws DependencyError */
export async function recordEvaluationRun(database: Database, run: EvaluationRun): Promise<void> {
  await database.call("record_evaluation_run", { p: run, p_keep: MAX_STORED_RUNS }, IGNORE_RESULT, { retries: 1 });
}

/** Newest first. @throws DependencyError */
export async function listEvaluationRuns(database: Database, limit: number): Promise<EvaluationRun[]> {
  return database.call("list_evaluation_runs", { p_limit: limit }, z.array(evaluationRunSchema), { retries: 1 });
}
