// Job: decays procedures that are not used. A second run changes nothing: the database stores up to when the time
// without use was counted.

import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { type DecayCounts, decayProcedures as decay } from "../memory/maintenance.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Rows that one statement locks. */
const BATCH_SIZE = 5_000;

/** @throws DependencyError when the database fails */
export async function decayProcedures(services: InvestigationServices): Promise<DecayCounts> {
  const { config, background, now } = services;
  const total = { decayed: 0, archived: 0 };
  await runInBatches(createTimeLimit(services), async () => {
    const batch = { now: now(), periodDays: config.PROCEDURE_DECAY_DAYS, limit: BATCH_SIZE };
    const { decayed, archived } = await decay(background.database, batch);
    total.decayed += decayed;
    total.archived += archived;
    return decayed === BATCH_SIZE;
  });
  return total;
}
