// The outcome of a simulated burst: counts and times from the database and the platform, and what must hold of them.

import type { Sql } from "postgres";
import { settingsSchema } from "../../../../functions/config/settings.ts";
import { QUEUES } from "../../../../functions/jobs/queues.ts";
import type { Burst } from "../burst/burst.ts";
import type { DeliveryCounts } from "../burst/senders.ts";
import type { LimitValues } from "../figures/limits.ts";
import type { WranglerSettings } from "../figures/wrangler-settings.ts";
import type { Platform } from "../platform/platform.ts";
import type { ResourceName, ResourceUse, UseRecorder } from "../platform/resources.ts";

export interface StoredCounts {
  readonly alerts: number;
  /** Deliveries of alerts: 1 for each, and 1 more for each repetition. */
  readonly deliveries: number;
  readonly created: number;
  readonly grouped: number;
  readonly incidents: number;
  readonly answered: number;
  readonly failed: number;
  readonly triages: number;
  readonly runs: number;
  /** Answers with a warning: a dependency refused or did not answer in time. */
  readonly degraded: number;
  readonly pendingWrites: number;
  /** Incidents that two runs investigated at once. */
  readonly overlappingRuns: number;
  /** Seconds from the start of the burst until the first, the median and the last incident had its answer. */
  readonly answeredAfter: {
    readonly first: number;
    readonly median: number;
    readonly p95: number;
    readonly last: number;
  };
  /** Seconds from an incident to its answer. */
  readonly answerDelay: { readonly median: number; readonly p95: number; readonly longest: number };
  /** Seconds until the last alert was stored. */
  readonly lastAlertAfter: number;
}

export interface Outcome {
  readonly burst: Pick<Burst, "alerts" | "teams" | "tokens" | "seed">;
  readonly delivery: DeliveryCounts;
  readonly stored: StoredCounts;
  readonly uses: readonly ResourceUse[];
  readonly largestBacklog: number;
  readonly calls: { readonly sql: Readonly<Record<string, number>>; readonly chroma: Readonly<Record<string, number>> };
  readonly recordsWritten: number;
  /** Events that the Worker logged as errors, with their number. */
  readonly errors: Readonly<Record<string, number>>;
  /** Sentences about what does not hold; empty if all holds. */
  readonly violations: readonly string[];
}

/** The default of the setting; the burst has no other. */
const MAX_WAITING_INCIDENTS = settingsSchema.shape.MAX_WAITING_INCIDENTS.parse(undefined);

/** Whether the limits changed what the code did: alerts waited in the queue of writes, or calls were refused. */
export function isOverloaded({ delivery, stored }: Outcome): boolean {
  const isRefused = Object.keys(delivery.statuses).some((status) => status.startsWith("5"));
  return isRefused || (delivery.decisions.pending ?? 0) > 0 || stored.runs > stored.incidents || stored.degraded > 0;
}

interface Sources {
  readonly burst: Burst;
  readonly sql: Sql;
  readonly senders: DeliveryCounts;
  readonly platform: Platform;
  readonly recorder: UseRecorder;
  readonly limits: LimitValues;
  readonly settings: WranglerSettings;
  readonly errors: readonly string[];
  readonly startedAt: Date;
}

export async function readOutcome(sources: Sources): Promise<Outcome> {
  const { burst, sql, senders, platform, recorder, limits, settings, errors, startedAt } = sources;
  const stored = await readStored(sql, startedAt);
  const backlogs = [...platform.queues].filter(([name]) => name === QUEUES.triages);
  const countedErrors = Object.groupBy(errors, (event) => event);
  return {
    burst: { alerts: burst.alerts, teams: burst.teams, tokens: burst.tokens, seed: burst.seed },
    delivery: senders,
    stored,
    uses: recorder.report(limitsOfResources(limits, settings)),
    largestBacklog: Math.max(0, ...backlogs.map(([, queue]) => queue.largestBacklog)),
    calls: { sql: Object.fromEntries(platform.database.calls), chroma: Object.fromEntries(platform.vectors.calls) },
    recordsWritten: platform.vectors.recordsWritten,
    errors: Object.fromEntries(Object.entries(countedErrors).map(([event, all]) => [event, all?.length ?? 0])),
    violations: violationsOf(burst, senders, stored),
  };
}

/** What each resource of the report can hold. */
export function limitsOfResources(
  limits: LimitValues,
  { queues, rateLimits }: WranglerSettings,
): Record<ResourceName, number> {
  const triages = queues.find(({ name }) => name === QUEUES.triages);
  const requests = rateLimits.find(({ binding }) => binding === "RATE_LIMIT");
  return {
    postgres_connections: limits.postgrestPool,
    postgres_cpu: limits.postgresCores,
    postgres_locks: 1,
    worker_connections: limits.workerConnections,
    request_cpu: 1,
    triage_cpu: 1,
    triage_consumers: Math.min(triages?.maxConcurrency ?? limits.queueConcurrency, limits.queueConcurrency),
    queue_messages: limits.queueMessagesPerSecond,
    chroma_reads: limits.chromaReads,
    chroma_writes: limits.chromaWrites,
    embedding_requests: limits.embeddingRequestsPerMinute,
    requests_of_a_token: requests?.limit ?? Number.POSITIVE_INFINITY,
    waiting_incidents_of_a_token: MAX_WAITING_INCIDENTS,
  };
}

/** @param answers virtual milliseconds of each answer and of its message, in the order of the answers */
export function timesOf(
  answers: readonly { readonly at: number; readonly queuedAt: number }[],
  lastStoredAt: number,
): Pick<StoredCounts, "answeredAfter" | "answerDelay" | "lastAlertAfter"> {
  const pick = (sorted: readonly number[], share: number) =>
    (sorted[Math.round((sorted.length - 1) * share)] ?? 0) / 1_000;
  const times = answers.map(({ at }) => at);
  const delays = answers.map(({ at, queuedAt }) => at - queuedAt).sort((a, b) => a - b);
  return {
    answeredAfter: { first: pick(times, 0), median: pick(times, 0.5), p95: pick(times, 0.95), last: pick(times, 1) },
    answerDelay: { median: pick(delays, 0.5), p95: pick(delays, 0.95), longest: pick(delays, 1) },
    lastAlertAfter: lastStoredAt / 1_000,
  };
}

export async function readStored(sql: Sql, startedAt: Date): Promise<StoredCounts> {
  const [row] = await sql<{ counts: StoredCounts }[]>`
    with answered as (
      select i.id, extract(epoch from min(t.created_at) - i.created_at)::float8 as delay, extract(epoch from min(t.created_at) - ${startedAt.toISOString()}::timestamptz)::float8 as seconds
      from public.incidents i join public.triages t on t.incident_id = i.id group by i.id, i.created_at
    ), delays as (
      select coalesce(max(delay), 0) as longest, coalesce(percentile_cont(0.5) within group (order by delay), 0) as median,
        coalesce(percentile_cont(0.95) within group (order by delay), 0) as p95 from answered
    ), times as (
      select coalesce(min(seconds), 0) as first, coalesce(max(seconds), 0) as last,
        coalesce(percentile_cont(0.5) within group (order by seconds), 0) as median,
        coalesce(percentile_cont(0.95) within group (order by seconds), 0) as p95 from answered
    )
    select jsonb_build_object(
      'alerts', (select count(*) from public.alerts),
      'deliveries', (select coalesce(sum(times), 0) from public.alerts),
      'created', (select count(*) from public.alerts where decision = 'created'),
      'grouped', (select count(*) from public.alerts where decision = 'grouped'),
      'incidents', (select count(*) from public.incidents),
      'answered', (select count(*) from answered),
      'failed', (select count(*) from public.incidents where status = 'failed'),
      'triages', (select count(*) from public.triages),
      'runs', (select count(*) from public.runs),
      'degraded', (select count(*) from public.triages where jsonb_array_length(result -> 'warnings') > 0),
      'pendingWrites', (select count(*) from public.outbox where done_at is null),
      'overlappingRuns', (select count(distinct a.incident_id) from public.runs a join public.runs b
        on b.incident_id = a.incident_id and b.run_id > a.run_id
        and a.started_at < coalesce(b.finished_at, 'infinity') and b.started_at < coalesce(a.finished_at, 'infinity')),
      'answeredAfter', (select to_jsonb(times) from times),
      'answerDelay', (select to_jsonb(delays) from delays),
      'lastAlertAfter', (select coalesce(extract(epoch from max(received_at) - ${startedAt.toISOString()}::timestamptz), 0) from public.alerts)
    ) as counts`;
  if (row === undefined) throw new Error("The database returned no counts.");
  return row.counts;
}

/** Each alert is accounted for, each incident has one answer, and the index lacks nothing. */
function violationsOf(
  burst: Burst,
  { offered, open, withoutRetryAfter, decisions }: DeliveryCounts,
  stored: StoredCounts,
): string[] {
  const { alerts, deliveries, created, grouped, incidents, answered, failed, triages, overlappingRuns, pendingWrites } =
    stored;
  const accepted = Object.values(decisions).reduce((sum, count) => sum + count, 0);
  const differ = (what: string, count: number, expected: number) =>
    count === expected ? [] : [`${what}: ${count}, expected ${expected}.`];
  return [
    ...differ("Webhooks that were never accepted", open, 0),
    ...differ("Answers 429 and 503 without Retry-After", withoutRetryAfter, 0),
    ...differ("Stored alerts", alerts, burst.alerts),
    ...differ("Alerts with a decision in the answers", accepted, offered),
    ...differ("Stored alerts that created an incident or joined one", created + grouped, burst.alerts),
    ...(deliveries < offered ? [`Counted deliveries of alerts: ${deliveries}, expected at least ${offered}.`] : []),
    ...differ("Incidents", incidents, created),
    ...differ("Incidents with an answer", answered, incidents),
    ...differ("Failed incidents", failed, 0),
    ...differ("Answers", triages, incidents),
    ...differ("Incidents that two runs investigated at once", overlappingRuns, 0),
    ...differ("Texts that the vector index lacks", pendingWrites, 0),
  ];
}
