// Job: recovers stuck runs. A run without an end is closed with confidence 0, and its queued incident is investigated
// again; so is an incident that has waited in the queue for too long.

import type { RunInBackground } from "../background-tasks.ts";
import { closeStuckRuns } from "../incidents/stuck-runs.ts";
import type { InvestigationServices } from "../investigation/run/services.ts";
import { investigateStored } from "../investigation/triage.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Runs that one statement closes. */
const BATCH_SIZE = 100;
/** Investigations in one job run: each may take all of TRIAGE_BUDGET_MS. */
const MAX_RETRIES = 3;

export interface RecoveryCounts {
  /** Closed runs. */
  readonly closed: number;
  /** Incidents that failed for good. */
  readonly failed: number;
  /** Incidents that were investigated again. */
  readonly retried: number;
  /** Retried incidents without an answer. */
  readonly retries_failed: number;
}

/** @throws DependencyError when the database fails; the next run continues */
export async function recoverStuckRuns(
  services: InvestigationServices,
  runInBackground: RunInBackground,
): Promise<RecoveryCounts> {
  const { config, background, now } = services;
  const total = { closed: 0, failed: 0, retried: 0, retries_failed: 0 };
  await runInBatches(createTimeLimit(services), async () => {
    const { closed, failed, retries } = await closeStuckRuns(background.database, {
      now: now(),
      startedBefore: new Date(now().getTime() - config.STUCK_RUN_SECONDS * 1_000),
      limit: BATCH_SIZE,
      // One at a time: the claim starts the run, and a run that waited for its turn would look stuck.
      retryLimit: 1,
      maxAttempts: config.MAX_TRIAGE_ATTEMPTS,
    });
    total.closed += closed;
    total.failed += failed;
    for (const retry of retries) {
      const end = await investigateStored(services, retry, runInBackground);
      total.retried += 1;
      total.retries_failed += end === "answered" ? 0 : 1;
    }
    return closed + failed + retries.length > 0 && total.retried < MAX_RETRIES;
  });
  return total;
}
