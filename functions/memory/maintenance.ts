// Owns the calls by which memory is kept small and whole: the decay of procedures, the deletion of what has expired,
// the closing of runs that died.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

const decayedSchema = z.object({ decayed: z.number().int(), archived: z.number().int() });
const purgedSchema = z.object({
  memories: z.number().int(),
  outbox: z.number().int(),
  idempotency_keys: z.number().int(),
  job_runs: z.number().int(),
  webhook_deliveries: z.number().int(),
  alerts: z.number().int(),
});
/** Procedures whose use count was halved, and those of them that left recall. */
export type Decayed = z.infer<typeof decayedSchema>;
export type Purged = z.infer<typeof purgedSchema>;
/** Halves the use counts of at most `limit` procedures, once for each period without use. @throws DependencyError */
export async function decayProcedures(
  database: Database,
  { now, periodDays, limit }: { readonly now: Date; readonly periodDays: number; readonly limit: number },
): Promise<Decayed> {
  const args = { p_now: now.toISOString(), p_period_days: periodDays, p_limit: limit };
  return database.call("decay_procedures", args, decayedSchema, { retries: 1 });
}

/** Deletes at most `limit` of each kind of row from before `before`. @throws DependencyError */
export async function purgeExpired(database: Database, before: Date, limit: number): Promise<Purged> {
  const args = { p_before: before.toISOString(), p_limit: limit };
  return database.call("purge_expired", args, purgedSchema, { retries: 1 });
}

/** Takes what was forgotten out of the results of at most `limit` triages; 0 when none are left. @throws DependencyError */
export async function scrubResults(database: Database, limit: number): Promise<number> {
  return database.call("scrub_results", { p_limit: limit }, z.number().int(), { retries: 1 });
}
