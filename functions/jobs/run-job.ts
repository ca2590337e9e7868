// Runs a job and records the run: when it started and ended, with its counts or its error.

import type { RunInBackground } from "../background-tasks.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { requestContext, withContext } from "../telemetry/request-context.ts";
import { checkFixes } from "./check-fixes.ts";
import { compressSessions } from "./compress-sessions.ts";
import { decayProcedures } from "./decay-procedures.ts";
import { deleteExpired } from "./delete-expired.ts";
import {
  errorCode,
  failureCode,
  type JobRun,
  type JobTrigger,
  recordJobFinish,
  recordJobStart,
} from "./job-records.ts";
import { rebuildMemory } from "./rebuild-memory.ts";
import { recoverStuckRuns } from "./recover-stuck-runs.ts";
import { refitRelevance } from "./refit-relevance.ts";
import { retryAnnotations } from "./retry-annotations.ts";
import { retryOutbox } from "./retry-outbox.ts";
import type { JobName } from "./schedule.ts";
import { syncClusters } from "./sync-inventory.ts";

/** @returns the numbers of processed items, by outcome. @throws DependencyError */
type Job = (services: InvestigationServices, runInBackground: RunInBackground) => Promise<Record<string, number>>;

const JOBS: Readonly<Record<JobName, Job>> = {
  "retry-outbox": async (services) => {
    const parts = [services.deliverNotifications(), retryOutbox(services), retryAnnotations(services)] as const;
    // A part that fails stops no other.
    await Promise.allSettled(parts);
    const [notifications, writes, annotations] = await Promise.all(parts);
    return { ...notifications, ...writes, ...annotations };
  },
  "recover-stuck-runs": async (services, runInBackground) => ({
    ...(await recoverStuckRuns(services, runInBackground)),
  }),
  "compress-sessions": async (services, runInBackground) => ({
    ...(await compressSessions(services, runInBackground)),
  }),
  "decay-procedures": async (services) => ({ ...(await decayProcedures(services)) }),
  "delete-expired": async (services) => ({ ...(await deleteExpired(services)) }),
  "rebuild-memory": async (services) => ({ ...(await rebuildMemory(services)) }),
  "refit-relevance": async (services) => ({ ...(await refitRelevance(services)) }),
  "sync-inventory": async (services) => ({ ...(await syncClusters(services)) }),
  "check-fixes": async (services) => ({ ...(await checkFixes(services)) }),
};

export interface RanJob {
  readonly run: JobRun;
  /** Why the run is not recorded; null when it is. */
  readonly unrecorded: Error | null;
}

interface JobOptions {
  readonly trigger: JobTrigger;
  readonly runInBackground: RunInBackground;
}

/** Runs a job now. An expected failure becomes the record's `error`; a bug is recorded by its name and thrown. */
export function runJob(services: InvestigationServices, job: JobName, options: JobOptions): Promise<RanJob> {
  const id = services.newId();
  // Log lines carry the id of the request that started the job, or the id of the run.
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
  const startedRun: JobRun = {
    id,
    job,
    trigger,
    started_at: now().toISOString(),
    finished_at: null,
    counts: {},
    error: null,
  };
  let unrecorded: Error | null = null;
  /** Does not fail: the database may be available again for the job itself. */
  const record = async (write: Promise<void>) => {
    try {
      await write;
    } catch (error) {
      const code = failureCode(error);
      if (code === undefined || !(error instanceof Error)) throw error;
      log("warn", "job.unrecorded", { job, run_id: startedRun.id, error: code });
      unrecorded ??= error;
    }
  };
  const finish = async (end: Pick<JobRun, "counts" | "error">): Promise<RanJob> => {
    const finishedAt = now();
    const run = { ...startedRun, ...end, finished_at: finishedAt.toISOString() };
    await record(recordJobFinish(database, run, finishedAt));
    const level = end.error === null ? "info" : "error";
    log(level, "job.finished", { job, trigger, run_id: run.id, error: end.error, ...end.counts });
    return { run, unrecorded };
  };

  await record(recordJobStart(database, startedRun));
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
