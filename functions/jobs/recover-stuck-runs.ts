// Job: recovers stuck runs. A run without an end is closed with confidence 0, and its queued incident waits again. The
// messages of incidents that have waited for too long are sent again, so that the queue investigates them at its pace.

import type { RunInBackground } from "../background-tasks.ts";
import { claimIncident } from "../incidents/incident-queue.ts";
import { releaseStuckRuns } from "../incidents/stuck-runs.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { investigateStored } from "../investigation/triage.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Runs that one statement closes, and incidents that it returns: one batch of messages. */
const BATCH_SIZE = 100;
/** Messages in one job run. */
const MAX_MESSAGES = 1_000;
/** Investigations in one job run without a queue: each may take all of TRIAGE_BUDGET_MS. */
const MAX_RETRIES = 3;

export interface RecoveryCounts {
  /** Closed runs. */
  readonly closed: number;
  /** Incidents that failed for good. */
  readonly failed: number;
  /** Incidents whose messages were sent again. */
  readonly sent: number;
  /** Incidents that were investigated by the job, since the queue did not take their messages. */
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
  const total = { closed: 0, failed: 0, sent: 0, retried: 0, retries_failed: 0 };
  const isTimeUp = createTimeLimit(services);
  let unsent: readonly string[] = [];
  await runInBatches(isTimeUp, async () => {
    const { closed, failed, waiting } = await releaseStuckRuns(background.database, {
      now: now(),
      startedBefore: new Date(now().getTime() - config.STUCK_RUN_SECONDS * 1_000),
      limit: BATCH_SIZE,
      maxAttempts: config.MAX_TRIAGE_ATTEMPTS,
    });
    const sent = await services.enqueueRuns(waiting);
    total.closed += closed;
    total.failed += failed;
    total.sent += sent;
    // A batch is sent as a whole or not at all. The next job run finds the incidents behind a batch that is not sent.
    unsent = sent === 0 ? waiting : [];
    return closed + sent > 0 && unsent.length === 0 && total.sent < MAX_MESSAGES;
  });
  for (const incidentId of unsent.slice(0, MAX_RETRIES)) {
    if (total.retried > 0 && isTimeUp()) break;
    const isAnswered = await investigateNext(services, incidentId, runInBackground);
    if (isAnswered === null) break;
    total.retried += 1;
    total.retries_failed += isAnswered ? 0 : 1;
  }
  return total;
}

/** Whether the next waiting incident was answered; null when none waits. */
async function investigateNext(
  services: InvestigationServices,
  incidentId: string,
  runInBackground: RunInBackground,
): Promise<boolean | null> {
  const run = await claimIncident(services.background.database, {
    incidentId,
    runId: services.newId(),
    now: services.now(),
    maxAttempts: services.config.MAX_TRIAGE_ATTEMPTS,
  });
  return run && (await investigateStored(services, run, runInBackground)) === "answered";
}
