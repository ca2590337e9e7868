// Queued incidents: stored, claimed by a run, requeued and failed. Each step is one SQL function, so a message that is
// delivered several times starts one run.

import { z } from "zod";
import type { Database, FunctionArguments } from "../adapters/database.ts";
import type { Incident } from "../schemas/incident.ts";
import { groupedAlertsSchema } from "./grouped-alerts.ts";
import { incidentRowSchema } from "./incident-records.ts";
import {
  finishColumns,
  type IdempotencyKey,
  incidentColumns,
  type RunFinish,
  type RunUsage,
  usageColumns,
} from "./run-records.ts";

/** What was scrubbed from a report before it was stored. */
export const scrubbedReportSchema = z.object({
  lines_removed: z.number().int().default(0),
  redacted: z.record(z.string(), z.number().int()).default({}),
});
export type ScrubbedReport = z.infer<typeof scrubbedReportSchema>;

/** A run that the database started for the caller. */
export const queuedRunSchema = z
  .object({
    run_id: z.string(),
    incident: incidentRowSchema.extend({
      logs: z.string().nullable(),
      guardrails: scrubbedReportSchema,
      /** The domains of the token that reported it; null for all. */
      allowed_domains: z.array(z.string()).nullable(),
    }),
    alerts: groupedAlertsSchema,
    attempt: z.number().int(),
  })
  .transform(({ run_id, ...run }) => ({ runId: run_id, ...run }));
export type QueuedRun = z.infer<typeof queuedRunSchema>;

const enqueueResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("queued") }),
  z.object({ state: z.literal("known"), incident: incidentRowSchema }),
  z.object({ state: z.literal("mismatch") }),
  z.object({ state: z.literal("full") }),
]);

/**
 * `known`: the idempotency key belongs to this incident already. `full`: too many incidents of its reporter wait, and
 * nothing is stored.
 */
export type EnqueueResult = z.infer<typeof enqueueResultSchema>;

/** What the database stores of an incident that is investigated later. */
export function queuedIncidentArguments({
  now,
  incident,
  scrubbed,
  idempotency,
  waitingLimit,
}: {
  readonly now: Date;
  readonly incident: Incident;
  readonly scrubbed: ScrubbedReport;
  readonly idempotency: IdempotencyKey | null;
  /** Incidents of one reporter that may wait. */
  readonly waitingLimit: number;
}): FunctionArguments<"enqueue_incident_within"> {
  return {
    p_limit: waitingLimit,
    p: {
      now: now.toISOString(),
      incident: { ...incidentColumns(incident), guardrails: scrubbed },
      ...(idempotency ? { idempotency: { key: idempotency.key, request_hash: idempotency.requestHash } } : {}),
    },
  };
}

/** Stores an incident for a later run, unless its idempotency key is stored already. @throws DependencyError */
export async function recordQueuedIncident(
  database: Database,
  args: FunctionArguments<"enqueue_incident_within">,
): Promise<EnqueueResult> {
  return database.call("enqueue_incident_within", args, enqueueResultSchema, { retries: 1 });
}

/**
 * Stores an incident that waited in the buffer; may be repeated.
 * @returns false if an earlier request with its idempotency key is stored @throws DependencyError
 */
export async function recordBufferedIncident(
  database: Database,
  args: FunctionArguments<"enqueue_incident">,
  id: string,
): Promise<boolean> {
  const result = await database.call("enqueue_incident", args, enqueueResultSchema, { retries: 1 });
  return result.state === "queued" || (result.state === "known" && result.incident.id === id);
}

const claimResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("claimed"), run: queuedRunSchema }),
  z.object({ state: z.literal("running") }),
  z.object({ state: z.literal("done") }),
  z.object({ state: z.literal("gone") }),
]);

/**
 * Claims the next queued incident, which need not be the one of the message: the reporters take turns, so that one with
 * many incidents does not delay the others. Null when none waits. @throws DependencyError
 */
export async function claimIncident(
  database: Database,
  claim: { readonly incidentId: string; readonly runId: string; readonly now: Date; readonly maxAttempts: number },
): Promise<QueuedRun | null> {
  // No retry: the job `recover-stuck-runs` recovers a run whose result was lost.
  const result = await database.call(
    "claim_incident",
    {
      p_incident_id: claim.incidentId,
      p_run_id: claim.runId,
      p_now: claim.now.toISOString(),
      p_max_attempts: claim.maxAttempts,
    },
    claimResultSchema,
  );
  return result.state === "claimed" ? result.run : null;
}

const requeueResultSchema = z.object({ state: z.enum(["queued", "failed", "ended"]) });

/**
 * Closes a run that ended without an answer.
 * @returns `queued` when the incident waits for its next run, `failed` after its last run, `ended` when it needs none
 * @throws DependencyError
 */
export async function recordRequeue(
  database: Database,
  run: {
    readonly now: Date;
    readonly incidentId: string;
    readonly runId: string;
    /** A code, never content. */
    readonly reason: string;
    /** Time for the next delivery; after it, the job `recover-stuck-runs` may start the run. */
    readonly againAt: Date;
    readonly maxAttempts: number;
    readonly finish: RunFinish;
    readonly usage: RunUsage;
  },
): Promise<z.infer<typeof requeueResultSchema>["state"]> {
  const p = {
    now: run.now.toISOString(),
    incident_id: run.incidentId,
    reason: run.reason,
    again_at: run.againAt.toISOString(),
    max_attempts: run.maxAttempts,
    run_finish: { run_id: run.runId, ...finishColumns(run.finish) },
    usage: usageColumns(run.usage),
  };
  return (await database.call("requeue_run", { p }, requeueResultSchema)).state;
}

/**
 * Fails a queued incident, with the reason of its last run, or this reason when it had none.
 * @returns false if it is not queued @throws DependencyError
 */
export async function failIncident(
  database: Database,
  incidentId: string,
  reason: string,
  now: Date,
): Promise<boolean> {
  const args = { p_incident_id: incidentId, p_reason: reason, p_now: now.toISOString() };
  return database.call("fail_incident", args, z.boolean(), { retries: 1 });
}
