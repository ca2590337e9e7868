// Memory maintenance: decay of procedures and deletion of expired rows.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

const decayCountsSchema = z.object({ decayed: z.number().int(), archived: z.number().int() });
/** Number of procedures whose use count was halved, and of those that left recall. */
export type DecayCounts = z.infer<typeof decayCountsSchema>;
/** Halves the use counts of at most `limit` procedures, once for each period without use. @throws DependencyError */
export async function decayProcedures(
  database: Database,
  { now, periodDays, limit }: { readonly now: Date; readonly periodDays: number; readonly limit: number },
): Promise<DecayCounts> {
  const args = { p_now: now.toISOString(), p_period_days: periodDays, p_limit: limit };
  return database.call("decay_procedures", args, decayCountsSchema, { retries: 1 });
}

const checkedCountsSchema = z.object({ checked: z.number().int(), came_back: z.number().int() });
/** Number of fixes that were checked, and of those after which the failure came back. */
export type CheckedCounts = z.infer<typeof checkedCountsSchema>;

/** Checks at most `limit` fixes that resolved an incident before `before`. @throws DependencyError */
export async function checkFixes(
  database: Database,
  { now, before, limit }: { readonly now: Date; readonly before: Date; readonly limit: number },
): Promise<CheckedCounts> {
  const args = { p_now: now.toISOString(), p_before: before.toISOString(), p_limit: limit };
  return database.call("check_fixes", args, checkedCountsSchema, { retries: 1 });
}

/** Deletes at most `limit` rows of each kind from before `before`. @returns their numbers by table @throws DependencyError */
export async function deleteExpiredRows(
  database: Database,
  before: Date,
  limit: number,
): Promise<Record<string, number>> {
  const args = { p_before: before.toISOString(), p_limit: limit };
  return database.call("delete_expired", args, z.record(z.string(), z.number().int()), { retries: 1 });
}
