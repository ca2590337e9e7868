// Writes runs: start, finish and abandon. Each is one SQL function, so one round trip.

import { z } from "zod";
import { type Database, type FunctionArguments, IGNORE_RESULT } from "../adapters/database.ts";
import { type LoadedSources, loadedSourcesSchema } from "../evidence-sources/source-records.ts";
import { runbookNames } from "../knowledge/attached-runbook.ts";
import { type LoadedDomains, loadedDomainsSchema } from "../knowledge/domain-records.ts";
import { type MemoryUpdates, memoryUpdateColumns } from "../memory/memory-updates.ts";
import { type Calibration, calibrationSchema } from "../schemas/calibration.ts";
import type { Incident } from "../schemas/incident.ts";
import type { Outcome } from "../schemas/outcome.ts";
import { pendingWritesSchema } from "../search-index/outbox.ts";
import { documentFromRow, documentRowSchema, type SearchDocument } from "../search-index/search-document.ts";
import { type Surroundings, surroundingsArguments, surroundingsSchema } from "../surroundings/surroundings.ts";

export interface RunStart {
  readonly runId: string;
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly query: string;
}

export interface RunFinish {
  readonly finishedAt: Date;
  readonly injectionBlocked: boolean;
  readonly retrievalHitCount: number;
  readonly memoryHitCount: number;
  readonly initialConfidence: number;
  readonly reflected: boolean;
  readonly finalConfidence: number;
  readonly finalAnswer: string;
}

export interface IdempotencyKey {
  readonly key: string;
  /** SHA-256 of the request's body. */
  readonly requestHash: string;
}

/** A key that the living run holds: it is taken over when its lease was not renewed for so long. */
export interface LeasedKey extends IdempotencyKey {
  readonly leaseSeconds: number;
}

/** A question of the same session and its answer. */
export interface SessionTurn {
  readonly question: string;
  readonly answer: string;
}

/** The use of language models by a run. */
export interface RunUsage {
  /** Requests, failed ones included. */
  readonly calls: number;
  readonly inputTokens: number;
  /** The part of `inputTokens` that came from the provider's cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Null when no price is configured. */
  readonly costUsd: number | null;
}

/** Ids of a session's newest past answers. */
export type SessionPastAnswers = readonly string[];

export type RunStartResult =
  /**
   * `catalog` has the domains if the caller's are not current, and `sources` the sources of evidence; `surroundings` are changes and
   * other alerts around the start of the incident; `calibration` is null for the default; `attached` are the sections of the runbook that the
   * report names, in order; `turns` are the session's last turns, oldest first; `runbooksLoading` says
   * that there are no runbooks, or that a new one came within the last seconds; `tokensToday` is the number of tokens of all runs of
   * the day (UTC).
   */
  | {
      readonly state: "started";
      readonly catalog: LoadedDomains;
      readonly sources: LoadedSources;
      readonly surroundings: Surroundings;
      readonly calibration: Calibration | null;
      readonly attached: readonly SearchDocument[];
      readonly turns: readonly SessionTurn[];
      readonly sessionPastAnswers: SessionPastAnswers;
      readonly runbooksLoading: boolean;
      readonly tokensToday: number;
    }
  | { readonly state: "replayed"; readonly result: unknown }
  | { readonly state: "in_progress" }
  | { readonly state: "mismatch" };

export interface FinishedRun {
  readonly now: Date;
  readonly incident: Incident;
  readonly runStart: RunStart;
  readonly finish: RunFinish;
  readonly triage: {
    readonly id: string;
    readonly mode: "extractive" | "model";
    readonly outcome: Outcome;
    readonly confidence: number;
    /** The response as the caller gets it; JSON. */
    readonly result: unknown;
  };
  readonly usage: RunUsage;
  readonly idempotency: LeasedKey | null;
  /** Whether the idempotency key is released, instead of standing for this result. */
  readonly releasesKey: boolean;
  /** What memory stores of it. */
  readonly updates: MemoryUpdates;
  /** Until then the caller writes them to the index; after it the outbox may. */
  readonly claimUntil: string;
}

const sessionPastAnswersSchema = z.array(z.string());

const runStartResultSchema = z.discriminatedUnion("state", [
  z
    .object({
      state: z.literal("started"),
      catalog: loadedDomainsSchema,
      sources: loadedSourcesSchema,
      surroundings: surroundingsSchema,
      calibration: calibrationSchema.nullable(),
      attached: z.array(documentRowSchema),
      turns: z.array(z.object({ question: z.string(), answer: z.string() })),
      past_answers: sessionPastAnswersSchema,
      runbooks_loading: z.boolean(),
      tokens_today: z.number(),
    })
    .transform(({ attached, past_answers, runbooks_loading, tokens_today, ...rest }) => ({
      ...rest,
      attached: attached.map(documentFromRow),
      sessionPastAnswers: past_answers,
      runbooksLoading: runbooks_loading,
      tokensToday: tokens_today,
    })),
  z.object({ state: z.literal("replayed"), result: z.unknown() }),
  z.object({ state: z.literal("in_progress") }),
  z.object({ state: z.literal("mismatch") }),
]);

const runFinishResultSchema = z.union([
  z.object({ state: z.literal("replayed"), result: z.unknown() }),
  z.object({ state: z.literal("in_progress") }),
  z
    .object({ pending: pendingWritesSchema, is_announced: z.boolean().default(false) })
    .transform(({ pending, is_announced }) => ({ state: "stored" as const, pending, isAnnounced: is_announced })),
]);
/**
 * `stored`: with the pending writes, claimed by the caller, and whether notification targets wait for the answer. `replayed`, `in_progress`: nothing is stored, because another
 * run has answered the idempotency key, or holds it.
 */
export type RunFinishResult = z.infer<typeof runFinishResultSchema>;

/** The newest past answers of a session that are compared with a query at any distance. */
const SESSION_PAST_ANSWERS = 40;

/**
 * Writes the incident and the start of its run. Writes nothing if the idempotency key is stored already.
 * @throws DependencyError
 */
export async function recordRunStart(
  database: Database,
  input: {
    readonly now: Date;
    readonly incident: Incident;
    readonly runStart: RunStart;
    /** Number of the session's turns to return. */
    readonly turnLimit: number;
    /** Version of the domains that the caller has; null for none. */
    readonly domainsVersion: string | null;
    /** Version of the sources of evidence that the caller has; null for none. */
    readonly sourcesVersion: string | null;
    /** Fingerprint of the relevance model. */
    readonly relevanceModel: string;
    readonly idempotency: LeasedKey | null;
  },
): Promise<RunStartResult> {
  const { now, incident, runStart, turnLimit, domainsVersion, sourcesVersion, relevanceModel, idempotency } = input;
  return database.call(
    "start_run",
    {
      p: {
        now: now.toISOString(),
        incident: incidentColumns(incident),
        run: runStartColumns(runStart),
        turn_limit: turnLimit,
        past_answer_limit: SESSION_PAST_ANSWERS,
        domains_version: domainsVersion,
        sources_version: sourcesVersion,
        surroundings: surroundingsArguments(incident),
        relevance_model: relevanceModel,
        runbook_names: incident.runbook === null ? [] : runbookNames(incident.runbook),
        ...(idempotency
          ? {
              idempotency: {
                key: idempotency.key,
                request_hash: idempotency.requestHash,
                lease_seconds: idempotency.leaseSeconds,
              },
            }
          : {}),
      },
    },
    runStartResultSchema,
    { retries: 1 },
  );
}

/** What `finish_run` stores of a finished triage. */
export function runFinishArguments(finished: FinishedRun): FunctionArguments<"finish_run"> {
  const { now, incident, runStart, finish, triage, usage, idempotency, updates, claimUntil } = finished;
  return {
    p: {
      now: now.toISOString(),
      claim_until: claimUntil,
      incident: incidentColumns(incident),
      run: runStartColumns(runStart),
      run_finish: finishColumns(finish),
      triage: {
        id: triage.id,
        mode: triage.mode,
        outcome: triage.outcome,
        confidence: triage.confidence,
        result: toJson(triage.result),
      },
      usage: usageColumns(usage),
      ...(idempotency
        ? {
            idempotency: {
              key: idempotency.key,
              request_hash: idempotency.requestHash,
              expired_before: keyExpiredBefore(now, idempotency.leaseSeconds),
              released: finished.releasesKey,
            },
          }
        : {}),
      ...memoryUpdateColumns(updates),
    },
  };
}

/** The time of the last renewal before which a key is free. */
export function keyExpiredBefore(now: Date, leaseSeconds: number): string {
  return new Date(now.getTime() - leaseSeconds * 1_000).toISOString();
}

/** Stores a finished triage and its memory updates in one transaction; may be repeated. @throws DependencyError */
export async function recordRunFinish(
  database: Database,
  finished: FunctionArguments<"finish_run">,
): Promise<RunFinishResult> {
  return database.call("finish_run", finished, runFinishResultSchema, { retries: 1 });
}

/** Shows that the run of this incident still works on the request of the key. @throws DependencyError */
export async function renewIdempotencyLease(
  database: Database,
  lease: { readonly key: string; readonly incidentId: string; readonly now: Date },
): Promise<void> {
  const args = { p_key: lease.key, p_incident_id: lease.incidentId, p_now: lease.now.toISOString() };
  await database.call("renew_idempotency_lease", args);
}

/** Closes a run that ended without an answer and releases its idempotency key. @throws DependencyError */
export async function recordAbandonedRun(
  database: Database,
  abandoned: {
    readonly now: Date;
    readonly incidentId: string;
    /** A code, never content. */
    readonly reason: string;
    readonly idempotencyKey: string | null;
    readonly runId: string;
    readonly finish: RunFinish;
    readonly usage: RunUsage;
  },
): Promise<void> {
  const p = {
    now: abandoned.now.toISOString(),
    incident_id: abandoned.incidentId,
    reason: abandoned.reason,
    idempotency_key: abandoned.idempotencyKey,
    run_finish: { run_id: abandoned.runId, ...finishColumns(abandoned.finish) },
    usage: usageColumns(abandoned.usage),
  };
  await database.call("abandon_run", { p }, IGNORE_RESULT, { retries: 1 });
}

/** @throws DependencyError */
export async function sessionPastAnswers(database: Database, sessionId: string): Promise<SessionPastAnswers> {
  const args = { p_session_id: sessionId, p_limit: SESSION_PAST_ANSWERS };
  return database.call("session_past_answers", args, sessionPastAnswersSchema, { retries: 1 });
}

/** Records tokens used outside a run, such as for summaries. @throws DependencyError */
export async function recordModelUsage(
  database: Database,
  used: { readonly runId: string; readonly incidentId: string | null; readonly at: Date; readonly usage: RunUsage },
): Promise<void> {
  const { runId, incidentId, at, usage } = used;
  const p = { run_id: runId, incident_id: incidentId, at: at.toISOString(), usage: usageColumns(usage) };
  await database.call("record_model_usage", { p }, IGNORE_RESULT, { retries: 1 });
}

export function incidentColumns(incident: Incident) {
  return {
    id: incident.id,
    created_at: incident.createdAt.toISOString(),
    title: incident.title,
    question: incident.question,
    target: incident.target,
    severity: incident.severity,
    labels: { ...incident.labels },
    logs: incident.logs,
    session_id: incident.sessionId,
    domain: incident.domain.name,
    domain_rule: incident.domain.rule,
    incident_type: incident.type.name,
    incident_type_rule: incident.type.rule,
    runbook: incident.runbook,
    expression: incident.expression,
    reported_by: incident.reportedBy,
  };
}

function runStartColumns(runStart: RunStart) {
  return {
    run_id: runStart.runId,
    session_id: runStart.sessionId,
    started_at: runStart.startedAt.toISOString(),
    query: runStart.query,
  };
}

export function finishColumns(finish: RunFinish) {
  return {
    finished_at: finish.finishedAt.toISOString(),
    injection_blocked: finish.injectionBlocked,
    retrieval_hit_count: finish.retrievalHitCount,
    memory_hit_count: finish.memoryHitCount,
    initial_confidence: finish.initialConfidence,
    reflected: finish.reflected,
    final_confidence: finish.finalConfidence,
    final_answer: finish.finalAnswer,
  };
}

export function usageColumns(usage: RunUsage) {
  return {
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd,
  };
}

function toJson(value: unknown) {
  return z.json().parse(value);
}
