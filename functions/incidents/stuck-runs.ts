// Runs without an end: closes them and queues their incidents again.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { queuedRunSchema } from "./incident-queue.ts";

export const recoveredRunsSchema = z.object({
  closed: z.number().int(),
  failed: z.number().int(),
  retries: z.array(queuedRunSchema),
});

/** Number of closed runs and failed incidents, and the runs to investigate again. */
export type RecoveredRuns = z.infer<typeof recoveredRunsSchema>;

/** Closes at most `limit` runs that started before `startedBefore` and have no end. @throws DependencyError */
export async function closeStuckRuns(
  database: Database,
  options: {
    readonly now: Date;
    readonly startedBefore: Date;
    readonly limit: number;
    /** Incidents that the caller investigates at once. */
    readonly retryLimit: number;
    readonly maxAttempts: number;
  },
): Promise<RecoveredRuns> {
  // No retry: runs that a lost result started would have to wait until they count as stuck again.
  return database.call(
    "recover_stuck_runs",
    {
      p_now: options.now.toISOString(),
      p_started_before: options.startedBefore.toISOString(),
      p_limit: options.limit,
      p_retry_limit: options.retryLimit,
      p_max_attempts: options.maxAttempts,
    },
    recoveredRunsSchema,
  );
}
