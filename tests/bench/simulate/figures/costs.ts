// Recorded costs: how long each kind of operation takes. `npm run simulate -- --measure` records them, costs.json has them.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { quantile } from "../../../evals/statistics/latency.ts";

export const COSTS_FILE = new URL("costs.json", import.meta.url);

/** Milliseconds at equal steps of probability, from the shortest to the longest. */
const quantilesSchema = z.array(z.number()).min(2);

const operationSchema = z.object({
  samples: z.number().int(),
  quantiles: quantilesSchema,
  /** The same for a call with `manyAlerts` alerts; missing for operations without alerts. */
  manyAlerts: quantilesSchema.optional(),
});
export type OperationCost = z.infer<typeof operationSchema>;

export const costsSchema = z.object({
  measuredOn: z.iso.date(),
  /** Of the machine in the last minute: above its number of cores, the durations are too long. */
  loadAverage: z.number(),
  /** Alerts of the larger of both measured webhooks; the smaller has one. */
  manyAlerts: z.number().int(),
  /** Milliseconds of CPU. */
  cpuMs: z.object({
    webhook: z.number(),
    alert: z.number(),
    /** Of a whole triage from the queue, with its tasks after the answer. */
    triage: z.number(),
  }),
  /** Calls to other systems of a triage from the queue. */
  callsPerTriage: z.number(),
  /** By name: `sql` and the function, or `chroma` and the action. */
  operations: z.record(z.string(), operationSchema),
});
export type Costs = z.infer<typeof costsSchema>;

/** @throws ZodError when the file is damaged */
export function readCosts(): Costs {
  return costsSchema.parse(JSON.parse(readFileSync(COSTS_FILE, "utf8")));
}

/** The costs of functions that were not measured: of those that store alerts, and of all others. */
const INGESTION = "sql ingest_alerts_within";
const OTHER = "sql other";

/** A duration drawn from the recorded ones. @param random 0 to 1 */
export function drawCost({ operations, manyAlerts }: Costs, name: string, alerts: number, random: number): number {
  const operation = operations[name] ?? operations[alerts > 0 ? INGESTION : OTHER];
  if (operation === undefined) throw new Error(`costs.json has no ${name}. Run npm run simulate -- --measure.`);
  const one = quantile(operation.quantiles, random) ?? 0;
  if (operation.manyAlerts === undefined || alerts <= 1) return one;
  const perAlert = ((quantile(operation.manyAlerts, random) ?? 0) - one) / (manyAlerts - 1);
  return Math.max(one, one + perAlert * (alerts - 1));
}

/** Equal steps of probability, rounded to 10 µs. */
export function quantilesOf(samples: readonly number[], steps = 20): number[] {
  const sorted = samples.toSorted((a, b) => a - b);
  return Array.from({ length: steps + 1 }, (_, i) => {
    const place = Math.round((i / steps) * (sorted.length - 1));
    return Math.round((sorted[place] ?? 0) * 100) / 100;
  });
}
