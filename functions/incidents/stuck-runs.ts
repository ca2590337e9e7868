// Runs that stopped midway: closing them and queueing their incidents again.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { queuedRunSchema } from "./incident-queue.ts";
export const sweptSchema = z.object({
  closed: z.number().int(),
  failed: z.number().int(),
  retries: z.array(queuedRunSchema),
});

/** Runs that were closed, incidents that failed with them, and those that are to be investigated again. */
export type Swept = z.infer<typeof sweptSchema>;

/** Closes at most `limit` runs that began before `startedBefore` and have no end. @throws DependencyError */
export async function closeStuckRuns(
  database: Database,
  sweep: {
    readonly now: Date;
    readonly startedBefore: Date;
    readonly limit: number;
    /** Incidents that the caller investigates again at once. */
    readonly retryLimit: number;
    readonly maxAttempts: number;
  },
): Promise<Swept> {
  // Not tried twice: the incidents that a lost reply gave out would wait until they count as dead again.
  return database.call(
    "sweep_episodes",
    {
      p_now: sweep.now.toISOString(),
      p_started_before: sweep.startedBefore.toISOString(),
      p_limit: sweep.limit,
      p_retry_limit: sweep.retryLimit,
      p_max_attempts: sweep.maxAttempts,
    },
    sweptSchema,
  );
}
