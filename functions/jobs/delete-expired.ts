// Job: deletes expired records, which are compressed originals, finished outbox entries, idempotency keys, job runs,
// webhook deliveries, ended alerts, changes, sign-in codes and console sessions. It also removes deleted texts from stored results and
// from memory, and adds pending metric increments to their counters.

import { removeBatch } from "../investigation/learning/remove-deleted-texts.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { deleteExpiredRows, type ExpiredCounts } from "../memory/maintenance.ts";
import { foldIncrements } from "../telemetry/read-metrics.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Rows of each kind that one statement deletes. */
const BATCH_SIZE = 2_000;
/** A triage leaves some twenty increments. */
const INCREMENTS_PER_BATCH = 20_000;
const DAY_MS = 86_400_000;

export interface DeletedCounts extends ExpiredCounts {
  /** Results from which deleted texts were removed, those that were tried again included. */
  readonly results: number;
  /** Increments that were added to their counters. */
  readonly increments: number;
}

/** @throws DependencyError when the database fails */
export async function deleteExpired(services: InvestigationServices): Promise<DeletedCounts> {
  const { config, background, now } = services;
  const before = new Date(now().getTime() - config.RETENTION_DAYS * DAY_MS);
  const total = {
    past_answers: 0,
    outbox: 0,
    idempotency_keys: 0,
    job_runs: 0,
    alerts: 0,
    changes: 0,
    sign_in_codes: 0,
    console_sessions: 0,
    webhook_deliveries: 0,
    results: 0,
    increments: 0,
  };
  const isTimeUp = createTimeLimit(services);
  await runInBatches(isTimeUp, async () => {
    const purged = await deleteExpiredRows(background.database, before, BATCH_SIZE);
    total.past_answers += purged.past_answers;
    total.outbox += purged.outbox;
    total.idempotency_keys += purged.idempotency_keys;
    total.job_runs += purged.job_runs;
    total.webhook_deliveries += purged.webhook_deliveries;
    total.alerts += purged.alerts;
    total.changes += purged.changes;
    total.sign_in_codes += purged.sign_in_codes;
    total.console_sessions += purged.console_sessions;
    return Object.values(purged).includes(BATCH_SIZE);
  });
  await runInBatches(isTimeUp, async () => {
    const scrubbed = await removeBatch(services);
    total.results += scrubbed;
    return scrubbed > 0;
  });
  await runInBatches(isTimeUp, async () => {
    const folded = await foldIncrements(background.database, INCREMENTS_PER_BATCH);
    total.increments += folded;
    return folded === INCREMENTS_PER_BATCH;
  });
  return total;
}
