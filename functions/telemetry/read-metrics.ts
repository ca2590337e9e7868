// Reads the metrics from the database in one call, and adds to them.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";

const sampleSchema = z.object({
  metric: z.string(),
  labels: z.record(z.string(), z.string()),
  value: z.number(),
});
/** A sample; its name states the unit. */
export type Sample = z.infer<typeof sampleSchema>;

/** The values of each label. Their series start at 0; any other value counts as the label's fallback, or `other`. */
export interface MetricLabels {
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly fallbacks: Readonly<Record<string, string>>;
  /** Fingerprint of the relevance model whose calibration is read. */
  readonly relevance_model: string;
}

/** Buckets of a histogram are in order. @throws DependencyError */
export async function readMetrics(
  database: Database,
  { labels, fallbacks, relevance_model }: MetricLabels,
): Promise<Sample[]> {
  const lists = Object.fromEntries(Object.entries(labels).map(([label, values]) => [label, [...values]]));
  const p = { labels: lists, fallbacks: { ...fallbacks }, relevance_model };
  return database.call("scrape_metrics", { p }, z.array(sampleSchema), { retries: 1 });
}

/**
 * Adds at most `limit` pending increments to their counters, without changing any total.
 * @returns their number @throws DependencyError
 */
export async function foldIncrements(database: Database, limit: number): Promise<number> {
  return database.call("fold_increments", { p_limit: limit }, z.number().int(), { retries: 1 });
}

/** Counts writes that waited in the queue, by their result. @throws DependencyError */
export async function countBufferedWrites(database: Database, counts: Readonly<Record<string, number>>): Promise<void> {
  await database.call("count_buffered_writes", { p_results: { ...counts } });
}

/** Counts spans that reached no collector. @throws DependencyError */
export async function countDroppedSpans(database: Database, count: number): Promise<void> {
  await database.call("count_dropped_spans", { p_count: count });
}
