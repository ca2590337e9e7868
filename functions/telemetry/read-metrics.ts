// Owns the reading of Dejavu's own figures, all of them in one call.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { parseReply } from "../adapters/rpc-result.ts";

const sampleSchema = z.object({
  metric: z.string(),
  labels: z.record(z.string(), z.string()),
  value: z.number(),
});
/** One figure, in seconds, dollars, tokens, or a number of things, as its name says. */
export type Sample = z.infer<typeof sampleSchema>;

/** Buckets of a histogram stand in their order. @throws DependencyError */
export async function readMetrics(database: Database): Promise<Sample[]> {
  return parseReply(z.array(sampleSchema), await database.call("scrape_metrics", {}, 1), "scrape_metrics");
}

/** Adds at most `limit` of the figures that came in since to their counters, which changes none; says how many. @throws DependencyError */
export async function foldIncrements(database: Database, limit: number): Promise<number> {
  return parseReply(z.number().int(), await database.call("fold_increments", { p_limit: limit }, 1), "fold_increments");
}

/** Counts spans that reached no collector. @throws DependencyError */
export async function countDroppedSpans(database: Database, count: number): Promise<void> {
  await database.call("count_dropped_spans", { p_count: count });
}
