// Owns the job that ends what died midway: the run is closed with confidence 0, and an incident that came by a queue is
// investigated again; so is one that waits longer than its queue should let it.

import type { RunInBackground } from "../background-tasks.ts";
import { closeStuckRuns } from "../incidents/stuck-runs.ts";
import { investigateStored } from "../investigation/triage.ts";
import type { InvestigationServices } from "../investigation/run/services.ts";
import { inBatches, limitTime } from "./run-in-batches.ts";

/** Runs that one statement closes. */
const BATCH_SIZE = 100;
/** Investigations of one run: each may take all of TRIAGE_BUDGET_MS. */
const MAX_RETRIES = 3;

export interface RecoveryCounts {
  /** Runs that got an end. */
  readonly closed: number;
  /** Incidents that will not be investigated again. */
  readonly failed: number;
  /** Incidents that were. */
  readonly retried: number;
  /** Of those, the ones that came to nothing once more. */
  readonly retries_failed: number;
}

/** @throws DependencyError when the database fails; what is left is swept again later */
export async function recoverStuckRuns(
  services: InvestigationServices,
  runInBackground: RunInBackground,
): Promise<RecoveryCounts> {
  const { config, background, now } = services;
  const total = { closed: 0, failed: 0, retried: 0, retries_failed: 0 };
  await inBatches(limitTime(services), async () => {
    const { closed, failed, retries } = await closeStuckRuns(background.database, {
      now: now(),
      startedBefore: new Date(now().getTime() - config.STUCK_RUN_SECONDS * 1_000),
      limit: BATCH_SIZE,
      // One at a time: the claim starts the clock of the next run, and one that waited for its turn would look dead.
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
