// Owns the reading of Dejavu's own figures, all of them in one call.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

const sampleSchema = z.object({
  metric: z.string(),
  labels: z.record(z.string(), z.string()),
  value: z.number(),
});
/** One figure, in seconds, dollars, tokens, or a number of things, as its name says. */
export type Sample = z.infer<typeof sampleSchema>;

/** Buckets of a histogram stand in their order. @throws DependencyError */
export async function readMetrics(database: Database): Promise<Sample[]> {
  return database.call("scrape_metrics", {}, z.array(sampleSchema), { retries: 1 });
}

/** Adds at most `limit` of the figures that came in since to their counters, which changes none; says how many. @throws DependencyError */
export async function foldIncrements(database: Database, limit: number): Promise<number> {
  return database.call("fold_increments", { p_limit: limit }, z.number().int(), { retries: 1 });
}

/** Counts spans that reached no collector. @throws DependencyError */
export async function countDroppedSpans(database: Database, count: number): Promise<void> {
  await database.call("count_dropped_spans", { p_count: count });
}
