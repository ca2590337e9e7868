// Owns the rows of an incident's life: begin, finish, resolve, read. Each is one SQL function, so one round trip.

import { z } from "zod";
import { DOMAIN_NAMES } from "../domains/domain.ts";
import type { Database } from "../stores/database.ts";
import { OutsideError } from "../stores/outside.ts";
import { type Incident, SEVERITIES } from "./incident.ts";
import { documentRow, type SearchDocument } from "./search-document.ts";

export interface EpisodeStart {
  readonly runId: string;
  readonly sessionId: string;
  readonly startedAt: Date;
  readonly query: string;
}

export interface EpisodeFinish {
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

/** A question of the same session and what was answered. */
export interface SessionTurn {
  readonly question: string;
  readonly answer: string;
}

/** What a run used of the language model. */
export interface RunUsage {
  /** Requests that were sent, failed ones included. */
  readonly calls: number;
  readonly inputTokens: number;
  /** The part of `inputTokens` that came from the provider's cache. */
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Null where no price is configured. */
  readonly costUsd: number | null;
}

export type BeginReply =
  /** `turns` are the session's last ones, oldest first; `tokensToday` is what all runs of the day (UTC) used. */
  | { readonly state: "started"; readonly turns: readonly SessionTurn[]; readonly tokensToday: number }
  | { readonly state: "replayed"; readonly result: unknown }
  | { readonly state: "in_progress" }
  | { readonly state: "mismatch" };

export interface MemoryWrite {
  readonly collection: string;
  readonly document: SearchDocument;
  /** Until then the caller does the write itself; afterwards the outbox may. */
  readonly claimUntil: Date;
}

export interface FinishedTriage {
  readonly now: Date;
  readonly incident: Incident;
  readonly episode: EpisodeStart;
  readonly finish: EpisodeFinish;
  readonly triage: {
    readonly id: string;
    readonly mode: "extractive" | "model";
    readonly outcome: "cause" | "benign" | "unknown";
    readonly confidence: number;
    /** The model that wrote the answer and the prompts it was given; null where the answer quotes. */
    readonly model: string | null;
    readonly promptVersion: string | null;
    /** The response as the caller gets it; JSON. */
    readonly result: unknown;
  };
  readonly usage: RunUsage;
  readonly idempotency: IdempotencyKey | null;
  /** Whether the key is free again, in place of standing for this result. */
  readonly releasesKey: boolean;
  /** Null where nothing is to be remembered. */
  readonly memory: MemoryWrite | null;
}

const beginReplySchema = z.discriminatedUnion("state", [
  z
    .object({
      state: z.literal("started"),
      turns: z.array(z.object({ question: z.string(), answer: z.string() })),
      tokens_today: z.number(),
    })
    .transform(({ tokens_today, ...rest }) => ({ ...rest, tokensToday: tokens_today })),
  z.object({ state: z.literal("replayed"), result: z.unknown() }),
  z.object({ state: z.literal("in_progress") }),
  z.object({ state: z.literal("mismatch") }),
]);

const finishReplySchema = z.object({ outbox_id: z.number().int().nullable() });

const resolveReplySchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({ state: z.literal("resolved"), outbox_id: z.number().int(), found: z.unknown() }),
]);

export const INCIDENT_STATUSES = ["investigating", "triaged", "failed", "resolved"] as const;

export const incidentRowSchema = z.object({
  id: z.string(),
  created_at: z.string(),
  title: z.string(),
  question: z.string().nullable(),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  labels: z.record(z.string(), z.string()),
  session_id: z.string(),
  domain: z.enum(DOMAIN_NAMES),
  domain_rule: z.string(),
  incident_type: z.string(),
  incident_type_rule: z.string(),
  status: z.enum(INCIDENT_STATUSES),
  resolution: z.string().nullable(),
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
});
export type IncidentRow = z.infer<typeof incidentRowSchema>;

const incidentWithHistorySchema = z.object({
  incident: incidentRowSchema.extend({ logs: z.string().nullable() }),
  events: z.array(z.object({ at: z.string(), kind: z.string(), detail: z.record(z.string(), z.unknown()) })),
  triage: z.unknown(),
});
export type IncidentWithHistory = z.infer<typeof incidentWithHistorySchema>;

/**
 * Writes the incident and the episode's start row. With an idempotency key that is known it writes nothing and says so.
 * @throws OutsideError
 */
export async function beginTriage(
  database: Database,
  input: {
    readonly now: Date;
    readonly incident: Incident;
    readonly episode: EpisodeStart;
    /** Turns of the session that are wanted. */
    readonly turnLimit: number;
    readonly idempotency: (IdempotencyKey & { readonly leaseSeconds: number }) | null;
  },
): Promise<BeginReply> {
  const { now, incident, episode, turnLimit, idempotency } = input;
  const reply = await database.call(
    "begin_triage",
    {
      p: {
        now: now.toISOString(),
        incident: incidentColumns(incident),
        episode: episodeColumns(episode),
        turn_limit: turnLimit,
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
    1,
  );
  return parseReply(beginReplySchema, reply, "begin_triage");
}

/** Stores the finished triage, its memory and the debt to index it, all or nothing. @throws OutsideError */
export async function finishTriage(database: Database, finished: FinishedTriage): Promise<{ outboxId: number | null }> {
  const { now, incident, episode, finish, triage, usage, idempotency, memory } = finished;
  const reply = await database.call(
    "finish_triage",
    {
      p: {
        now: now.toISOString(),
        incident: incidentColumns(incident),
        episode: episodeColumns(episode),
        episode_finish: finishColumns(finish),
        triage: {
          id: triage.id,
          mode: triage.mode,
          outcome: triage.outcome,
          confidence: triage.confidence,
          result: toJson(triage.result),
          model: triage.model,
          prompt_version: triage.promptVersion,
        },
        usage: usageColumns(usage),
        ...(idempotency
          ? {
              idempotency: {
                key: idempotency.key,
                request_hash: idempotency.requestHash,
                released: finished.releasesKey,
              },
            }
          : {}),
        ...(memory ? { memory: memoryColumns(memory) } : {}),
      },
    },
    1,
  );
  return { outboxId: parseReply(finishReplySchema, reply, "finish_triage").outbox_id };
}

/** Closes a triage that came to nothing; its idempotency key can be used again. @throws OutsideError */
export async function abandonTriage(
  database: Database,
  abandoned: {
    readonly now: Date;
    readonly incidentId: string;
    /** A code, never content. */
    readonly reason: string;
    readonly idempotencyKey: string | null;
    readonly runId: string;
    readonly finish: EpisodeFinish;
    readonly usage: RunUsage;
  },
): Promise<void> {
  const p = {
    now: abandoned.now.toISOString(),
    incident_id: abandoned.incidentId,
    reason: abandoned.reason,
    idempotency_key: abandoned.idempotencyKey,
    episode_finish: { run_id: abandoned.runId, ...finishColumns(abandoned.finish) },
    usage: usageColumns(abandoned.usage),
  };
  await database.call("abandon_triage", { p }, 1);
}

/** @returns the resolved incident and the outbox row of its memory write, or null when there is none. @throws OutsideError */
export async function resolveIncident(
  database: Database,
  input: {
    readonly now: Date;
    readonly incidentId: string;
    readonly resolution: string;
    readonly resolvedBy: string | null;
    readonly memory: MemoryWrite;
  },
): Promise<{ outboxId: number; found: IncidentWithHistory } | null> {
  const reply = await database.call("resolve_incident", {
    p: {
      now: input.now.toISOString(),
      incident_id: input.incidentId,
      resolution: input.resolution,
      resolved_by: input.resolvedBy,
      memory: memoryColumns(input.memory),
    },
  });
  const parsed = parseReply(resolveReplySchema, reply, "resolve_incident");
  if (parsed.state === "not_found") return null;
  return { outboxId: parsed.outbox_id, found: parseReply(incidentWithHistorySchema, parsed.found, "resolve_incident") };
}

/** @throws OutsideError */
export async function getIncident(database: Database, id: string): Promise<IncidentWithHistory | null> {
  const reply = await database.call("get_incident", { p_id: id }, 1);
  return reply === null ? null : parseReply(incidentWithHistorySchema, reply, "get_incident");
}

export interface IncidentPage {
  readonly limit: number;
  /** The last row of the page before. */
  readonly before: { readonly at: string; readonly id: string } | null;
  readonly domain?: string | undefined;
  readonly status?: string | undefined;
  readonly target?: string | undefined;
  readonly severity?: string | undefined;
  readonly sessionId?: string | undefined;
}

/** Newest first. @throws OutsideError */
export async function listIncidents(database: Database, page: IncidentPage): Promise<IncidentRow[]> {
  const reply = await database.call(
    "list_incidents",
    {
      p_limit: page.limit,
      ...(page.before ? { p_before_at: page.before.at, p_before_id: page.before.id } : {}),
      ...(page.domain !== undefined ? { p_domain: page.domain } : {}),
      ...(page.status !== undefined ? { p_status: page.status } : {}),
      ...(page.target !== undefined ? { p_target: page.target } : {}),
      ...(page.severity !== undefined ? { p_severity: page.severity } : {}),
      ...(page.sessionId !== undefined ? { p_session_id: page.sessionId } : {}),
    },
    1,
  );
  return parseReply(z.array(incidentRowSchema), reply, "list_incidents");
}

function incidentColumns(incident: Incident) {
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
  };
}

function episodeColumns(episode: EpisodeStart) {
  return {
    run_id: episode.runId,
    session_id: episode.sessionId,
    started_at: episode.startedAt.toISOString(),
    query: episode.query,
  };
}

function finishColumns(finish: EpisodeFinish) {
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

function usageColumns(usage: RunUsage) {
  return {
    calls: usage.calls,
    input_tokens: usage.inputTokens,
    cached_input_tokens: usage.cachedInputTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd,
  };
}

function memoryColumns(memory: MemoryWrite) {
  return {
    collection: memory.collection,
    document: documentRow(memory.document),
    claim_until: memory.claimUntil.toISOString(),
  };
}

function toJson(value: unknown) {
  return z.json().parse(value);
}

function parseReply<T>(schema: z.ZodType<T>, reply: unknown, from: string): T {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new OutsideError("postgres", "invalid_reply", `${from} returned another shape`, { cause: parsed.error });
}
