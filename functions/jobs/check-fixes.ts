// Job: looks, some time after a resolution, whether the failure came back. Each fix of an incident is checked once.

import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { type CheckedCounts, checkFixes as check } from "../memory/maintenance.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Rows that one statement locks. */
const BATCH_SIZE = 1_000;
const HOUR_MS = 3_600_000;

/** @throws DependencyError when the database fails */
export async function checkFixes(services: InvestigationServices): Promise<CheckedCounts> {
  const { config, background } = services;
  const total = { checked: 0, came_back: 0 };
  await runInBatches(createTimeLimit(services), async () => {
    const now = services.now();
    const before = new Date(now.getTime() - config.FIX_CHECK_HOURS * HOUR_MS);
    const { checked, came_back } = await check(background.database, { now, before, limit: BATCH_SIZE });
    total.checked += checked;
    total.came_back += came_back;
    return checked === BATCH_SIZE;
  });
  // The threads of the incidents say that a fix did not hold.
  if (total.came_back > 0) await services.deliverNotifications();
  return total;
}
