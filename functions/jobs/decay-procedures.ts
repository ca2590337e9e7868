// Owns the job that lets procedures fade which nobody uses. Twice is as good as once: the database knows up to when a
// procedure's time without use was counted.

import type { InvestigationServices } from "../investigation/run/services.ts";
import { type Decayed, decayProcedures as decay } from "../memory/maintenance.ts";
import { inBatches, limitTime } from "./run-in-batches.ts";

/** Rows that one statement locks. */
const BATCH_SIZE = 5_000;

/** @throws DependencyError when the database fails */
export async function decayProcedures(services: InvestigationServices): Promise<Decayed> {
  const { config, background, now } = services;
  const total = { decayed: 0, archived: 0 };
  await inBatches(limitTime(services), async () => {
    const batch = { now: now(), periodDays: config.PROCEDURE_DECAY_DAYS, limit: BATCH_SIZE };
    const { decayed, archived } = await decay(background.database, batch);
    total.decayed += decayed;
    total.archived += archived;
    return decayed === BATCH_SIZE;
  });
  return total;
}
