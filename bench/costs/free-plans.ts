// How many incidents a month the cheapest plans carry, and which limit comes first. Pure.

import { JOB_NAMES } from "../../functions/jobs/schedule.ts";
import { ASSUMPTIONS, monthlyCosts } from "./calculate.ts";
import { PRICES } from "./prices.ts";
import type { Usage } from "./usage.ts";

/** Of the free plans, as published in November 2026; the pages are those of prices.ts. */
export const FREE = {
  /** developers.cloudflare.com/workers/platform/limits */
  workers: { cpuMsPerRequest: 10, cronTriggers: 5 },
  supabase: { databaseBytes: 500e6, egressBytes: 5e9 },
  /** Credits of Chroma Cloud's Starter plan, in US dollars. */
  chroma: { credits: 5 },
} as const;

/** `select pg_database_size(current_database())` with the built-in runbooks is 29 MB; the rest is for the schemas of Supabase. */
const EMPTY_DATABASE_BYTES = 40e6;
const OPERATIONS_PER_MESSAGE = 3;
const MOST = 1e8;

export interface PlanLimit {
  readonly plan: string;
  /** What is used up. */
  readonly limit: string;
  /** Incidents a month at which it is; 0 if the plan does not do at all. */
  readonly incidents: number;
}

/** Sorted: the first one stops a team. */
export function planLimits({ perIncident }: Usage): PlanLimit[] {
  const { monthsStored, messagesPerIncident, requestsPerIncident, cronRuns } = ASSUMPTIONS;
  const space = FREE.supabase.databaseBytes - EMPTY_DATABASE_BYTES;
  const { includedRequests, includedCpuMs } = PRICES.workers;
  const limits = [
    [
      "Supabase Free",
      `the database is full (500 MB, ${monthsStored} months kept)`,
      space / (perIncident.postgresBytes * monthsStored),
    ],
    ["Supabase Free", "the database has sent 5 GB", FREE.supabase.egressBytes / perIncident.postgresBytesReturned],
    [
      "Chroma Cloud Starter",
      `the credits are used up ($${FREE.chroma.credits})`,
      incidentsFor(perIncident, FREE.chroma.credits),
    ],
    ["Workers Paid ($5)", "the included CPU time is used up", includedCpuMs / perIncident.cpuMs],
    [
      "Workers Paid ($5)",
      "the included queue operations are used up",
      PRICES.queues.includedOperations / (messagesPerIncident * OPERATIONS_PER_MESSAGE),
    ],
    [
      "Workers Paid ($5)",
      "the included requests are used up",
      (includedRequests - cronRuns) / (1 + requestsPerIncident),
    ],
  ] as const;
  return limits
    .map(([plan, limit, incidents]) => ({ plan, limit, incidents: Math.floor(incidents) }))
    .sort((a, b) => a.incidents - b.incidents);
}

/** Why the free plan of Workers does not do; undefined if it does. */
export function freeWorkersProblem({ perIncident }: Usage): string | undefined {
  const { cpuMsPerRequest, cronTriggers } = FREE.workers;
  const reasons = [
    ...(perIncident.cpuMs > cpuMsPerRequest
      ? [`a triage needs ${Math.round(perIncident.cpuMs)} ms of CPU time, and a request gets ${cpuMsPerRequest}`]
      : []),
    ...(JOB_NAMES.length > cronTriggers
      ? [`Dejavu has ${JOB_NAMES.length} cron triggers, and an account gets ${cronTriggers}`]
      : []),
  ];
  return reasons.length === 0 ? undefined : `Workers Free does not do: ${reasons.join("; ")}.`;
}

/** The most incidents a month whose vectors cost at most this. */
function incidentsFor(perIncident: Usage["perIncident"], dollars: number): number {
  const usage = { perIncident, measuredOn: "", incidents: 0 };
  const costOf = (incidents: number) =>
    monthlyCosts(usage, PRICES, incidents)
      .filter(({ platform }) => platform === "Chroma Cloud")
      .reduce((sum, line) => sum + line.dollars, 0);
  let [low, high] = [0, MOST];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (costOf(middle) <= dollars) low = middle;
    else high = middle;
  }
  return low;
}

/** The table as Markdown, with the sentence that sums it up. */
export function freePlansTable(usage: Usage): string {
  const limits = planLimits(usage);
  const [first] = limits;
  const rows = limits.map(({ plan, limit, incidents }) => `| ${rounded(incidents)} | ${limit} | ${plan} |`);
  return [
    `**A small team pays $5 a month and can have about ${rounded(first?.incidents ?? 0)} incidents a month.** Then ${first?.limit}. ${freeWorkersProblem(usage) ?? ""}`.trim(),
    "",
    "| after about, a month | this happens | plan |",
    "|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Two digits: the measurement is not better. */
function rounded(incidents: number): string {
  return Number(incidents.toPrecision(2)).toLocaleString("en");
}
