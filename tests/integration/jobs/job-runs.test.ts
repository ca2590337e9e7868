import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { DependencyError } from "../../../functions/dependencies.ts";
import worker from "../../../functions/index.ts";
import { type JobRun, jobRunSchema } from "../../../functions/jobs/job-records.ts";
import { QUEUES } from "../../../functions/jobs/queues.ts";
import { runJob } from "../../../functions/jobs/run-job.ts";
import { JOB_NAMES, SCHEDULE } from "../../../functions/jobs/schedule.ts";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import type { Services } from "../../../functions/services.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { shift, storeTurns } from "./support.ts";

const harness = createHarness();
const { services, clock } = harness;
const UNREACHABLE_URL = "http://127.0.0.1:9";
const byCron = { trigger: "cron", runInBackground: () => {} } as const;

beforeEach(() => emptyStores(services));

async function recordedRuns(): Promise<JobRun[]> {
  const rows =
    await sql`select id, job, trigger, started_at, finished_at, counts, error from public.job_runs order by started_at`;
  return rows.map((row) =>
    jobRunSchema.parse({
      ...row,
      started_at: row.started_at.toISOString(),
      finished_at: row.finished_at?.toISOString() ?? null,
    }),
  );
}

/** The same services, but calls of one SQL function fail with the error. */
function withFailing(name: string, error: Error): Services {
  const { database } = services.background;
  const call: typeof database.call = async (called, args, schema, options) => {
    if (called === name) throw error;
    return database.call(called, args, schema, options);
  };
  return { ...services, background: { ...services.background, database: { call } } };
}

const unavailable = new DependencyError("database", "unreachable", "made unavailable by the test");

describe("a run of a job", () => {
  it("is recorded with its start, its end and its counts", async () => {
    let now = clock.now();
    const withTickingClock = { ...services, now: () => (now = shift(now, 1_000)) };
    const { run, unrecorded } = await runJob(withTickingClock, "delete-expired", byCron);
    expect(unrecorded).toBeNull();
    expect(await recordedRuns()).toEqual([run]);
    expect(run).toMatchObject({
      job: "delete-expired",
      trigger: "cron",
      started_at: shift(clock.now(), 1_000).toISOString(),
      finished_at: now.toISOString(),
      counts: { past_answers: 0, outbox: 0, idempotency_keys: 0, job_runs: 0, results: 0 },
      error: null,
    });
  });

  it("is recorded with an error code when it fails", async () => {
    const { run } = await runJob(withFailing("claim_outbox", unavailable), "retry-outbox", byCron);
    expect(run).toMatchObject({ counts: {}, error: "database unreachable" });
    expect(await recordedRuns()).toEqual([run]);
  });

  it("writes to the index although no notification can be read", async () => {
    await storeTurns(services, { count: 1 });
    const unreadable = async () => {
      throw new DependencyError("database", "invalid_response", "made unreadable by the test");
    };
    const { run } = await runJob({ ...services, deliverNotifications: unreadable }, "retry-outbox", byCron);
    expect(run.error).toBe("database invalid_response");
    expect(await sql`select 1 from public.outbox where done_at is null`).toHaveLength(0);
  });

  it("is recorded with the name of an unexpected error, without its message, and throws it", async () => {
    const bug = new TypeError("the content of somebody's incident");
    await expect(runJob(withFailing("claim_outbox", bug), "retry-outbox", byCron)).rejects.toBe(bug);
    expect(await recordedRuns()).toMatchObject([{ job: "retry-outbox", counts: {}, error: "TypeError" }]);
    expect(JSON.stringify(harness.log)).not.toContain("somebody's incident");
  });

  it.each(["start_job", "finish_job"])("is executed and logged although %s fails", async (name) => {
    const on = createHarness();
    const { run, unrecorded } = await runJob(
      { ...withFailing(name, unavailable), log: on.services.log },
      "delete-expired",
      byCron,
    );
    expect(run.error).toBeNull();
    expect(unrecorded).toBe(unavailable);
    expect(on.log.filter(({ event }) => event === "job.unrecorded")).toMatchObject([
      { fields: { job: "delete-expired", error: "database unreachable" } },
    ]);
  });

  it("ends with an error code when the database is unreachable", async () => {
    const withoutDatabase = createHarness({ SUPABASE_URL: UNREACHABLE_URL }).services;
    const { run, unrecorded } = await runJob(withoutDatabase, "recover-stuck-runs", byCron);
    expect(run.error).toBe("database unreachable");
    expect(unrecorded).toBeInstanceOf(DependencyError);
  });
});

describe("the Worker", () => {
  it.each(JOB_NAMES)("runs %s at its cron expression", async (name) => {
    const context = createExecutionContext();
    await worker.scheduled({ cron: SCHEDULE[name].cron }, workerEnv, context);
    await context.settled();
    expect(await recordedRuns()).toMatchObject([{ job: name, trigger: "cron", error: null }]);
  });

  it("runs nothing at an unknown expression", async () => {
    await worker.scheduled({ cron: "1 2 3 4 5" }, workerEnv, createExecutionContext());
    expect(await recordedRuns()).toEqual([]);
  });

  it.each([QUEUES.outbox, "dejavu-preview-outbox"])("retries the outbox when %s delivers a message", async (queue) => {
    await worker.queue({ queue, messages: [] }, workerEnv, createExecutionContext());
    expect(await recordedRuns()).toMatchObject([{ job: "retry-outbox", trigger: "queue", error: null }]);
  });

  it("runs nothing for an unknown queue", async () => {
    await worker.queue({ queue: "dejavu-other", messages: [] }, workerEnv, createExecutionContext());
    expect(await recordedRuns()).toEqual([]);
  });
});

const jobsSchema = z.object({
  jobs: z.array(
    z.object({ name: z.string(), schedule: z.string(), description: z.string(), last_run: jobRunSchema.nullable() }),
  ),
});

describe("the job endpoints", () => {
  const run = (name: string) => harness.request(`/v1/admin/jobs/${name}`, { method: "POST" });
  const jobs = async () => jobsSchema.parse(await (await harness.request("/v1/admin/jobs")).json()).jobs;

  it("list every job with its schedule, its description and its last run", async () => {
    expect((await jobs()).map(({ name, schedule }) => [name, schedule])).toEqual(
      JOB_NAMES.map((name) => [name, SCHEDULE[name].cron]),
    );
    expect((await jobs()).every(({ description, last_run }) => description !== "" && last_run === null)).toBe(true);
    const last = jobRunSchema.parse(await (await run("recover-stuck-runs")).json());
    expect((await jobs()).find(({ name }) => name === "recover-stuck-runs")?.last_run).toEqual(last);
  });

  it.each(JOB_NAMES)("run %s now and respond with its record", async (name) => {
    const response = await run(name);
    expect(response.status).toBe(200);
    const body = jobRunSchema.strict().parse(await response.json());
    expect(body).toMatchObject({ job: name, trigger: "manual", error: null });
    expect(await recordedRuns()).toEqual([body]);
  });

  it("name the jobs when a request asks for an unknown one", async () => {
    const response = await harness.request("/v1/admin/jobs/make-coffee", { method: "POST" });
    expect(response.status).toBe(404);
    const { detail } = problemSchema.parse(await response.json());
    for (const name of JOB_NAMES) expect(detail).toContain(name);
    expect(await recordedRuns()).toEqual([]);
  });

  it.each([
    ["GET", "/v1/admin/jobs?all=1", 422],
    ["POST", "/v1/admin/jobs/recover-stuck-runs?now=1", 422],
    ["GET", "/v1/admin/jobs/recover-stuck-runs", 405],
  ])("respond to %s %s with %d", async (method, path, status) => {
    expect((await harness.request(path, { method })).status).toBe(status);
    expect(await recordedRuns()).toEqual([]);
  });

  it.each([
    ["GET", "/v1/admin/jobs"],
    ["POST", "/v1/admin/jobs/recover-stuck-runs"],
  ])("require a token for %s %s and respond with 503 when the database is unavailable", async (method, path) => {
    const stranger = await harness.request(path, {
      method,
      headers: { authorization: "Bearer an-unknown-token-of-a-stranger" },
    });
    expect(stranger.status).toBe(401);
    expect(await recordedRuns()).toEqual([]);
    const cutOff = await createHarness({ SUPABASE_URL: UNREACHABLE_URL }).request(path, { method });
    expect(cutOff.status).toBe(503);
    expect(problemSchema.parse(await cutOff.json())).toMatchObject({ dependencies: ["database"] });
  });
});
