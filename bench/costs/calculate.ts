// The monthly costs of a number of incidents, from what one incident uses and the published prices. Pure.

import type { Prices } from "./prices.ts";
import type { Usage } from "./usage.ts";

/** What no measurement says. */
export const ASSUMPTIONS = {
  /** Months of incidents that the stores hold, without any deletion. */
  monthsStored: 12,
  /** Webhooks, a queue delivery and reads of people for each incident, besides the triage. */
  requestsPerIncident: 8,
  messagesPerIncident: 2,
  /** Runs of all cron triggers in 30 days. */
  cronRuns: 52_560,
  /** Of the built-in embedder. */
  dimensions: 256,
} as const;

const GB = 1e9;
const GIB = 2 ** 30;
const TIB = 2 ** 40;
const MILLION = 1e6;
const OPERATIONS_PER_MESSAGE = 3;
const BYTES_PER_FLOAT = 4;

export interface CostLine {
  readonly platform: string;
  readonly unit: string;
  /** In the unit, per month. */
  readonly amount: number;
  /** US dollars per month, without the base price of the plan. */
  readonly dollars: number;
}

/** @param incidents per month @returns one line a billed unit, and one for each plan */
export function monthlyCosts({ perIncident }: Usage, prices: Prices, incidents: number): CostLine[] {
  const { workers, queues, supabase, chroma } = prices;
  const { monthsStored, requestsPerIncident, messagesPerIncident, cronRuns } = ASSUMPTIONS;
  const above = (amount: number, included: number) => Math.max(0, amount - included);
  const requests = incidents * (1 + requestsPerIncident) + cronRuns;
  const cpuMs = incidents * perIncident.cpuMs;
  const operations = incidents * messagesPerIncident * OPERATIONS_PER_MESSAGE;
  const storedGb = (incidents * monthsStored * perIncident.postgresBytes) / GB;
  const egressGb = (incidents * perIncident.postgresBytesReturned) / GB;
  const vectors = vectorUsage(perIncident.collections, incidents);
  const line = (platform: string, unit: string, amount: number, dollars: number) => ({
    platform,
    unit,
    amount,
    dollars,
  });
  return [
    line("Cloudflare Workers", "plan", 1, workers.base),
    line(
      "Cloudflare Workers",
      "million requests",
      requests / MILLION,
      (above(requests, workers.includedRequests) / MILLION) * workers.perMillionRequests,
    ),
    line(
      "Cloudflare Workers",
      "million CPU milliseconds",
      cpuMs / MILLION,
      (above(cpuMs, workers.includedCpuMs) / MILLION) * workers.perMillionCpuMs,
    ),
    line(
      "Cloudflare Queues",
      "million operations",
      operations / MILLION,
      (above(operations, queues.includedOperations) / MILLION) * queues.perMillionOperations,
    ),
    line("Supabase", "plan", 1, supabase.base),
    line("Supabase", "GB stored", storedGb, above(storedGb, supabase.includedGb) * supabase.perGb),
    line("Supabase", "GB returned", egressGb, above(egressGb, supabase.includedEgressGb) * supabase.perEgressGb),
    line("Chroma Cloud", "GiB written", vectors.written / GIB, (vectors.written / GIB) * chroma.perGibWritten),
    line("Chroma Cloud", "GiB stored", vectors.stored / GIB, (vectors.stored / GIB) * chroma.perGibStored),
    line("Chroma Cloud", "TiB scanned", vectors.scanned / TIB, (vectors.scanned / TIB) * chroma.perTibScanned),
    line("Chroma Cloud", "GiB returned", vectors.returned / GIB, (vectors.returned / GIB) * chroma.perGibReturned),
  ];
}

/** In bytes per month. A query scans its whole collection. */
function vectorUsage(collections: Usage["perIncident"]["collections"], incidents: number) {
  const total = { written: 0, stored: 0, scanned: 0, returned: 0 };
  for (const { queries, recordsWritten, bytesWritten, bytesReturned } of Object.values(collections)) {
    const written = incidents * (bytesWritten + recordsWritten * ASSUMPTIONS.dimensions * BYTES_PER_FLOAT);
    const stored = written * ASSUMPTIONS.monthsStored;
    total.written += written;
    total.stored += stored;
    total.scanned += incidents * queries * stored;
    total.returned += incidents * bytesReturned;
  }
  return total;
}

export function totalOf(lines: readonly CostLine[]): number {
  return lines.reduce((sum, { dollars }) => sum + dollars, 0);
}
