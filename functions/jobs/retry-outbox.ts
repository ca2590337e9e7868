// Owns the job that pays owed memory writes. Safe to run twice at once: the database hands each row to one of them.

import type { InvestigationServices } from "../investigation/run/services.ts";
import { claimPendingWrites, performPendingWrites, type WriteOutcome } from "../search-index/outbox.ts";
import { inBatches, limitTime } from "./run-in-batches.ts";

/** @throws DependencyError when the database fails */
export async function retryOutbox(services: InvestigationServices): Promise<WriteOutcome> {
  const { config, background, now } = services;
  const total = { written: 0, failed: 0 };
  await inBatches(limitTime(services), async () => {
    const writes = await claimPendingWrites(background.database, {
      now: now(),
      limit: config.OUTBOX_BATCH_SIZE,
      leaseSeconds: config.OUTBOX_LEASE_SECONDS,
    });
    const outcome = await performPendingWrites(background, writes, now);
    total.written += outcome.written;
    total.failed += outcome.failed;
    // What failed for one batch fails for the next: the index is away, not a document bad.
    return outcome.written > 0;
  });
  const { written, failed } = total;
  if (written + failed > 0) services.log(failed > 0 ? "warn" : "info", "outbox.retried", { written, failed });
  return total;
}
