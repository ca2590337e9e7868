// Owns the job that deletes what was kept for the record only: compressed originals, finished memory writes,
// idempotency keys, runs of jobs, webhook deliveries, alerts that nobody speaks of; and ends what forgetting and counting
// began.

import type { InvestigationServices } from "../investigation/run/services.ts";
import { type Purged, purgeExpired, scrubResults } from "../memory/maintenance.ts";
import { foldIncrements } from "../telemetry/read-metrics.ts";
import { inBatches, limitTime } from "./run-in-batches.ts";

/** Rows of each kind that one statement deletes. */
const BATCH_SIZE = 2_000;
/** Results are large, and each is written anew. */
const RESULTS_A_BATCH = 200;
/** A triage leaves some twenty. */
const INCREMENTS_A_BATCH = 20_000;
const DAY_MS = 86_400_000;

export interface DeletedCounts extends Purged {
  /** Results that what was forgotten has left. */
  readonly results: number;
  /** Figures that were added to their counters, since nobody scrapes them. */
  readonly increments: number;
}

/** @throws DependencyError when the database fails */
export async function deleteExpired(services: InvestigationServices): Promise<DeletedCounts> {
  const { config, background, now } = services;
  const before = new Date(now().getTime() - config.RETENTION_DAYS * DAY_MS);
  const total = {
    memories: 0,
    outbox: 0,
    idempotency_keys: 0,
    job_runs: 0,
    alerts: 0,
    webhook_deliveries: 0,
    results: 0,
    increments: 0,
  };
  const isOver = limitTime(services);
  await inBatches(isOver, async () => {
    const purged = await purgeExpired(background.database, before, BATCH_SIZE);
    total.memories += purged.memories;
    total.outbox += purged.outbox;
    total.idempotency_keys += purged.idempotency_keys;
    total.job_runs += purged.job_runs;
    total.webhook_deliveries += purged.webhook_deliveries;
    total.alerts += purged.alerts;
    return Object.values(purged).includes(BATCH_SIZE);
  });
  await inBatches(isOver, async () => {
    const scrubbed = await scrubResults(background.database, RESULTS_A_BATCH);
    total.results += scrubbed;
    return scrubbed > 0;
  });
  await inBatches(isOver, async () => {
    const folded = await foldIncrements(background.database, INCREMENTS_A_BATCH);
    total.increments += folded;
    return folded === INCREMENTS_A_BATCH;
  });
  return total;
}
