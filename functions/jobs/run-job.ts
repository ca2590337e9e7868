// Owns one run of a job, whoever asked for it: it is written down when it begins and when it ends, with what it did or
// why it ended early.

import type { RunInBackground } from "../background-tasks.ts";
import type { InvestigationServices } from "../investigation/run/services.ts";
import { requestContext, withContext } from "../telemetry/request-context.ts";
import { compressSessions } from "./compress-sessions.ts";
import { decayProcedures } from "./decay-procedures.ts";
import { deleteExpired } from "./delete-expired.ts";
import { beginJob, errorCode, failureCode, finishJob, type JobRun, type JobTrigger } from "./job-records.ts";
import { recoverStuckRuns } from "./recover-stuck-runs.ts";
import { retryAnnotations } from "./retry-annotations.ts";
import { retryOutbox } from "./retry-outbox.ts";
import type { JobName } from "./schedule.ts";

/** @returns what it did, in numbers. @throws DependencyError */
type Job = (services: InvestigationServices, runInBackground: RunInBackground) => Promise<Record<string, number>>;

const JOBS: Readonly<Record<JobName, Job>> = {
  "retry-outbox": async (services) => ({ ...(await retryOutbox(services)), ...(await retryAnnotations(services)) }),
  sweep: async (services, runInBackground) => ({ ...(await recoverStuckRuns(services, runInBackground)) }),
  "compress-sessions": async (services, runInBackground) => ({
    ...(await compressSessions(services, runInBackground)),
  }),
  "decay-procedures": async (services) => ({ ...(await decayProcedures(services)) }),
  retention: async (services) => ({ ...(await deleteExpired(services)) }),
};

export interface RanJob {
  readonly run: JobRun;
  /** Why the database does not hold it; null where it does. */
  readonly unrecorded: Error | null;
}

interface JobOptions {
  readonly trigger: JobTrigger;
  readonly runInBackground: RunInBackground;
}

/** Runs a job now. Its expected failure is its record's `error`; a bug is recorded by its name and thrown. */
export function runJob(services: InvestigationServices, job: JobName, options: JobOptions): Promise<RanJob> {
  const id = services.newId();
  // What it does is told under the id of whoever asked for it by a request, else under its own.
  return withContext({ requestId: requestContext().requestId ?? id }, () => runAs(id, services, job, options));
}

async function runAs(
  id: string,
  services: InvestigationServices,
  job: JobName,
  { trigger, runInBackground }: JobOptions,
): Promise<RanJob> {
  const { now, log } = services;
  const { database } = services.background;
  const started: JobRun = {
    id,
    job,
    trigger,
    started_at: now().toISOString(),
    finished_at: null,
    counts: {},
    error: null,
  };
  let unrecorded: Error | null = null;
  /** A database that is away now may be back for the job. */
  const record = async (write: Promise<void>) => {
    try {
      await write;
    } catch (error) {
      const code = failureCode(error);
      if (code === undefined || !(error instanceof Error)) throw error;
      log("warn", "job.unrecorded", { job, run_id: started.id, error: code });
      unrecorded ??= error;
    }
  };
  const finish = async (end: Pick<JobRun, "counts" | "error">): Promise<RanJob> => {
    const finishedAt = now();
    const run = { ...started, ...end, finished_at: finishedAt.toISOString() };
    await record(finishJob(database, run, finishedAt));
    const level = end.error === null ? "info" : "error";
    log(level, "job.finished", { job, trigger, run_id: run.id, error: end.error, ...end.counts });
    return { run, unrecorded };
  };

  await record(beginJob(database, started));
  let counts: Record<string, number>;
  try {
    counts = await JOBS[job](services, runInBackground);
  } catch (error) {
    const failed = await finish({ counts: {}, error: errorCode(error) });
    if (failureCode(error) === undefined) throw error;
    return failed;
  }
  return finish({ counts, error: null });
}
