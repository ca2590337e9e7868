// Runs without an end: closes them and queues their incidents again.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

const releasedRunsSchema = z.object({
  closed: z.number().int(),
  failed: z.number().int(),
  waiting: z.array(z.string()),
});

/** Number of closed runs and failed incidents, and the ids of the waiting incidents to send to the queue again. */
export type ReleasedRuns = z.infer<typeof releasedRunsSchema>;

/**
 * Closes at most `limit` runs that started before `startedBefore` and have no end, and finds at most as many incidents
 * that wait since then. An incident is returned once; again when its message was lost, too. @throws DependencyError
 */
export async function releaseStuckRuns(
  database: Database,
  options: {
    readonly now: Date;
    readonly startedBefore: Date;
    readonly limit: number;
    readonly maxAttempts: number;
  },
): Promise<ReleasedRuns> {
  // No retry: incidents of a lost result would have to wait until their messages count as lost.
  return database.call(
    "release_stuck_runs",
    {
      p_now: options.now.toISOString(),
      p_started_before: options.startedBefore.toISOString(),
      p_limit: options.limit,
      p_max_attempts: options.maxAttempts,
    },
    releasedRunsSchema,
  );
}
