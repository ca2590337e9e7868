// Job: writes pending outbox entries. Two runs at once are safe: the database gives each row to one of them.

import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { claimPendingWrites, performPendingWrites, type WriteOutcome } from "../search-index/outbox.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** @throws DependencyError when the database fails */
export async function retryOutbox(services: InvestigationServices): Promise<WriteOutcome> {
  const { config, background, now } = services;
  const total = { written: 0, failed: 0 };
  await runInBatches(createTimeLimit(services), async () => {
    const writes = await claimPendingWrites(background.database, {
      now: now(),
      limit: config.OUTBOX_BATCH_SIZE,
      leaseSeconds: config.OUTBOX_LEASE_SECONDS,
    });
    const outcome = await performPendingWrites(background, writes, now);
    total.written += outcome.written;
    total.failed += outcome.failed;
    // A whole batch fails when the index is unavailable, so the next batch would fail as well.
    return outcome.written > 0;
  });
  const { written, failed } = total;
  if (written + failed > 0) services.log(failed > 0 ? "warn" : "info", "outbox.retried", { written, failed });
  return total;
}
