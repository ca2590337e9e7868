// Job: makes records of an earlier signature version anew from their stored incidents. A record is rebuilt in one transaction,
// so an interrupted run loses nothing. A run without such records changes nothing.

import { claimRebuilds } from "../incidents/rebuild-records.ts";
import { rebuildRecord } from "../investigation/learning/rebuild-record.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { flushOutbox } from "../search-index/flush-outbox.ts";
import type { PendingWrite } from "../search-index/outbox.ts";
import { errorCode } from "./job-records.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Records in one claim. Each needs about five requests. */
const RECORDS_PER_BATCH = 5;

export interface Rebuilt {
  readonly records: number;
  /** Records that were split off. */
  readonly split: number;
  /** Records that were joined with others. */
  readonly joined: number;
  /** Records that could not be rebuilt and are unchanged. */
  readonly failed: number;
}

/** @throws DependencyError when no record can be claimed; a record's own failure is logged and counted */
export async function rebuildMemory(services: InvestigationServices): Promise<Rebuilt> {
  const { config, background, now, log } = services;
  const isTimeUp = createTimeLimit(services);
  const total = { records: 0, split: 0, joined: 0, failed: 0 };
  await runInBatches(isTimeUp, async () => {
    const claim = { now: now(), limit: RECORDS_PER_BATCH, leaseSeconds: config.OUTBOX_LEASE_SECONDS * 2 };
    const claimed = await claimRebuilds(background.database, claim);
    const writes: PendingWrite[] = [];
    for (const record of claimed) {
      // The remaining claims expire before the next tick.
      if (isTimeUp()) break;
      try {
        const rebuilt = await rebuildRecord(services, record, isTimeUp);
        if (rebuilt === null) continue;
        total.records += 1;
        total.split += rebuilt.split;
        total.joined += rebuilt.joined;
        writes.push(...rebuilt.pending);
      } catch (error) {
        // A failure of one record must not block the others at every tick.
        log("error", "memory.rebuild_failed", { observation_id: record.id, error: errorCode(error) });
        total.failed += 1;
      }
    }
    await flushOutbox(services, writes);
    return claimed.length === RECORDS_PER_BATCH;
  });
  return total;
}
