// Records of job runs: a row for each run, written when it starts and when it ends.

import { z } from "zod";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import { DependencyError } from "../dependencies.ts";

export const JOB_TRIGGERS = ["cron", "manual", "queue"] as const;
export type JobTrigger = (typeof JOB_TRIGGERS)[number];

const time = z.string().transform((value) => new Date(value).toISOString());

export const jobRunSchema = z
  .object({
    id: z.string(),
    job: z.string(),
    trigger: z.enum(JOB_TRIGGERS),
    started_at: time,
    finished_at: time.nullable().describe("Null while it runs, or if its Worker died."),
    counts: z.record(z.string(), z.number()).describe("Number of items processed, by outcome."),
    error: z.string().nullable().describe("Failure code; null for a run that succeeded."),
  })
  .meta({
    example: {
      id: "c40bb2a7-5d0e-4f43-9d7b-1c0a5f0f9e21",
      job: "retry-outbox",
      trigger: "cron",
      started_at: "2026-03-01T03:02:00.000Z",
      finished_at: "2026-03-01T03:02:01.000Z",
      counts: { written: 3, failed: 0 },
      error: null,
    },
  });
export type JobRun = z.infer<typeof jobRunSchema>;

/** @throws DependencyError */
export async function recordJobStart(database: Database, run: JobRun): Promise<void> {
  const args = { p_id: run.id, p_job: run.job, p_trigger: run.trigger, p_now: run.started_at };
  await database.call("start_job", args, IGNORE_RESULT, { retries: 1 });
}

/** @throws DependencyError */
export async function recordJobFinish(
  database: Database,
  { id, counts, error }: Pick<JobRun, "id" | "counts" | "error">,
  now: Date,
): Promise<void> {
  const args = { p_id: id, p_now: now.toISOString(), p_counts: counts };
  await database.call("finish_job", error === null ? args : { ...args, p_error: error }, IGNORE_RESULT, { retries: 1 });
}

/** The last runs of a job, newest first. @throws DependencyError */
export async function listJobRuns(database: Database, job: string, limit: number): Promise<JobRun[]> {
  return database.call("list_job_runs", { p_limit: limit, p_job: job }, z.array(jobRunSchema), { retries: 1 });
}

/** The code of an expected failure, such as "database unreachable"; undefined for a bug. */
export function failureCode(error: unknown): string | undefined {
  return error instanceof DependencyError ? `${error.dependency} ${error.failure}` : undefined;
}

/** The same, or the name of a bug's error: a message may contain content. */
export function errorCode(error: unknown): string {
  return failureCode(error) ?? (error instanceof Error ? error.name : "unknown");
}
