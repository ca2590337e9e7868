// Job: deletes expired records, which are compressed originals, finished outbox entries, idempotency keys, job runs,
// webhook deliveries, ended alerts and mutes, changes, sign-in codes, console sessions and messages of notification targets. It also
// removes deleted texts from stored results and from memory, and adds pending metric increments to their counters.

import { removeBatch } from "../investigation/learning/remove-deleted-texts.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { deleteExpiredRows } from "../memory/maintenance.ts";
import { foldIncrements } from "../telemetry/read-metrics.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Rows of each kind that one statement deletes. */
const BATCH_SIZE = 2_000;
/** A triage leaves some twenty increments. */
const INCREMENTS_PER_BATCH = 20_000;
const DAY_MS = 86_400_000;

/**
 * Deleted rows by table; `results` from which deleted texts were removed, those that were tried again included; and
 * `increments` that were added to their counters.
 * @throws DependencyError when the database fails
 */
export async function deleteExpired(services: InvestigationServices): Promise<Record<string, number>> {
  const { config, background, now } = services;
  const before = new Date(now().getTime() - config.RETENTION_DAYS * DAY_MS);
  const rows: Record<string, number> = {};
  const total = { results: 0, increments: 0 };
  const isTimeUp = createTimeLimit(services);
  await runInBatches(isTimeUp, async () => {
    const deleted = Object.entries(await deleteExpiredRows(background.database, before, BATCH_SIZE));
    for (const [table, count] of deleted) rows[table] = (rows[table] ?? 0) + count;
    return deleted.some(([, count]) => count === BATCH_SIZE);
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
  return { ...rows, ...total };
}
