// Owns the job that pays owed memory writes. Safe to run twice at once: the database hands each row to one of them.

import { claimOwedWrites, performOwedWrites, type WriteOutcome } from "../memory/outbox.ts";
import type { TriageServices } from "../triage/services.ts";

/** Batches of one run: bounds the run's subrequests; what is left waits for the next tick. */
const MAX_BATCHES = 5;

/** @throws OutsideError when the database fails */
export async function retryOutbox(services: TriageServices): Promise<WriteOutcome> {
  const { config, database, now } = services;
  const total = { written: 0, failed: 0 };
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const writes = await claimOwedWrites(database, {
      now: now(),
      limit: config.OUTBOX_BATCH_SIZE,
      leaseSeconds: config.OUTBOX_LEASE_SECONDS,
    });
    if (writes.length === 0) break;
    const outcome = await performOwedWrites(services.background, writes, now);
    total.written += outcome.written;
    total.failed += outcome.failed;
    // What failed for one batch fails for the next: the index is away, not a document bad.
    if (outcome.written === 0) break;
  }
  if (total.written + total.failed > 0) services.log(total.failed > 0 ? "warn" : "info", "outbox.retried", total);
  return total;
}
