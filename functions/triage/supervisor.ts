// The investigation on one page: guard → begin → recall → answer → persist → remember. A step that fails is named in the
// warnings; only when nothing can be searched is there no answer.

import { type Incident, incidentCollection, incidentDocument } from "../memory/incident.ts";
import {
  abandonTriage,
  beginTriage,
  type EpisodeFinish,
  type EpisodeStart,
  type FinishedTriage,
  finishTriage,
  type IdempotencyKey,
} from "../memory/incident-log.ts";
import { OutsideError } from "../stores/outside.ts";
import { type Composition, composeBlockedAnswer, composeExtractiveAnswer } from "./compose.ts";
import { type GuardFindings, guardRequest, scrubOutput } from "./guard.ts";
import { createIncident, type TriageRequest } from "./intake.ts";
import { type Recall, recall } from "./recall.ts";
import { remember } from "./remember.ts";
import { buildResult, plainAnswer } from "./render.ts";
import { type TriageResult, triageResultSchema, type Warning } from "./result.ts";
import type { RunInBackground, TriageServices } from "./services.ts";
import { beginWarning, persistWarning, recallWarning } from "./warnings.ts";

export type TriageOutcome =
  | { readonly state: "answered"; readonly result: TriageResult }
  /** The Idempotency-Key is known: the first request's result. */
  | { readonly state: "replayed"; readonly result: TriageResult }
  | { readonly state: "in_progress" }
  | { readonly state: "mismatch" };

/** @throws KnowledgeUnavailable when neither keywords nor vectors can be searched */
export async function triage(
  services: TriageServices,
  request: TriageRequest,
  options: { readonly idempotency: IdempotencyKey | null; readonly runInBackground: RunInBackground },
): Promise<TriageOutcome> {
  const guarded = guardRequest(request);
  const incident = createIncident(guarded.request, services.now(), services.newId);
  const episode = startOf(incident, services.newId());

  const begun = await begin(services, incident, episode, options.idempotency);
  if (begun.state !== "started") return begun;

  let investigated: Investigated;
  try {
    investigated = await investigate(services, incident, guarded.findings, begun.warnings);
  } catch (error) {
    // A run that came to nothing is closed in the log; the caller's error does not wait for that.
    options.runInBackground(abandon(services, incident, episode, { error, key: options.idempotency?.key ?? null }));
    throw error;
  }
  return persistAndRemember(services, { incident, episode, ...investigated, ...options });
}

interface Investigated {
  readonly recalled: Recall;
  readonly composition: Composition;
  readonly result: TriageResult;
}

async function investigate(
  services: TriageServices,
  incident: Incident,
  guardrails: GuardFindings,
  begun: readonly Warning[],
): Promise<Investigated> {
  const { config } = services;
  const { injection_blocked } = guardrails;
  if (injection_blocked !== null)
    services.log("warn", "triage.blocked", { incident_id: incident.id, injection_blocked });
  const recalled = injection_blocked === null ? await recall(services, incident) : NOTHING_RECALLED;
  const composition =
    injection_blocked === null
      ? composeExtractiveAnswer(incident, recalled, config.GROUNDING_THRESHOLD)
      : composeBlockedAnswer(injection_blocked);
  const result = buildResult({
    incident,
    triageId: services.newId(),
    now: services.now(),
    recall: recalled,
    composition,
    guardrails,
    warnings: [...begun, ...recalled.missing.map(recallWarning)],
    config,
  });
  return { recalled, composition, result: scrubOutput(result) };
}

const NOTHING_RECALLED: Recall = { runbooks: [], incidents: [], missing: [] };

type Begun =
  | Exclude<TriageOutcome, { state: "answered" }>
  | { readonly state: "started"; readonly warnings: Warning[] };

/** An unreachable database does not keep an engineer from an answer: the investigation goes on, unrecorded so far. */
async function begin(
  services: TriageServices,
  incident: Incident,
  episode: EpisodeStart,
  idempotency: IdempotencyKey | null,
): Promise<Begun> {
  try {
    const reply = await beginTriage(services.database, {
      now: services.now(),
      incident,
      episode,
      idempotency: idempotency && { ...idempotency, leaseSeconds: services.config.IDEMPOTENCY_LEASE_SECONDS },
    });
    if (reply.state === "started") return { state: "started", warnings: [] };
    if (reply.state !== "replayed") return reply;
    const first = triageResultSchema.safeParse(reply.result);
    if (first.success) return { state: "replayed", result: first.data };
    throw new OutsideError("postgres", "invalid_reply", "a stored triage has another shape", { cause: first.error });
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    services.log("warn", "triage.begin_failed", { incident_id: incident.id, error: error.message });
    return { state: "started", warnings: [beginWarning(error)] };
  }
}

async function persistAndRemember(
  services: TriageServices,
  work: Investigated & {
    readonly incident: Incident;
    readonly episode: EpisodeStart;
    readonly idempotency: IdempotencyKey | null;
    readonly runInBackground: RunInBackground;
  },
): Promise<TriageOutcome> {
  const { incident, episode, composition, result } = work;
  const now = services.now();
  const answer = plainAnswer(result);
  const isBlocked = result.guardrails.injection_blocked !== null;
  const memory = {
    collection: incidentCollection(incident.domain.name),
    document: incidentDocument({ ...incident, incidentType: incident.type.name }, answer, null),
    claimUntil: new Date(now.getTime() + services.config.OUTBOX_LEASE_SECONDS * 1_000),
  };
  const finished: FinishedTriage = {
    now,
    incident,
    episode,
    finish: finishOf(now, { recalled: work.recalled, confidence: result.confidence, isBlocked, answer }),
    triage: {
      id: result.triage_id,
      mode: result.mode,
      outcome: composition.outcome,
      confidence: result.confidence,
      result,
    },
    idempotency: work.idempotency,
    // What an attacker asked is kept in the log and is no knowledge.
    memory: isBlocked ? null : memory,
  };
  const persist = async () => {
    const { outboxId } = await finishTriage(services.database, finished);
    if (outboxId !== null) work.runInBackground(remember(services, { ...memory, outboxId, incidentId: incident.id }));
  };
  try {
    await persist();
    return { state: "answered", result };
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    services.log("error", "triage.persist_failed", { incident_id: incident.id, error: error.message });
    work.runInBackground(persistLate(services, incident, episode, work.idempotency, persist));
    return {
      state: "answered",
      result: { ...result, persisted: false, warnings: [...result.warnings, persistWarning(error)] },
    };
  }
}

/** Behind the answer's back, once more: storing is idempotent, and a blip should not cost the record. */
async function persistLate(
  services: TriageServices,
  incident: Incident,
  episode: EpisodeStart,
  idempotency: IdempotencyKey | null,
  persist: () => Promise<void>,
): Promise<void> {
  try {
    await persist();
    services.log("info", "triage.persisted_late", { incident_id: incident.id });
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    await abandon(services, incident, episode, { error, key: idempotency?.key ?? null });
  }
}

function startOf(incident: Incident, runId: string): EpisodeStart {
  return {
    runId,
    sessionId: incident.sessionId,
    startedAt: incident.createdAt,
    query: incident.question ?? incident.title,
  };
}

function finishOf(
  now: Date,
  run: { readonly recalled: Recall; readonly confidence: number; readonly isBlocked: boolean; readonly answer: string },
): EpisodeFinish {
  const { recalled, confidence, isBlocked, answer } = run;
  return {
    finishedAt: now,
    injectionBlocked: isBlocked,
    retrievalHitCount: recalled.runbooks.reduce((sum, runbook) => sum + runbook.hits.length, 0),
    memoryHitCount: recalled.incidents.length,
    initialConfidence: confidence,
    reflected: false,
    finalConfidence: confidence,
    finalAnswer: answer,
  };
}

async function abandon(
  services: TriageServices,
  incident: Incident,
  episode: EpisodeStart,
  { error, key }: { readonly error: unknown; readonly key: string | null },
): Promise<void> {
  const now = services.now();
  try {
    await abandonTriage(services.database, {
      now,
      incidentId: incident.id,
      reason: error instanceof Error ? error.name : "unknown",
      idempotencyKey: key,
      runId: episode.runId,
      finish: {
        finishedAt: now,
        injectionBlocked: false,
        retrievalHitCount: 0,
        memoryHitCount: 0,
        initialConfidence: 0,
        reflected: false,
        finalConfidence: 0,
        finalAnswer: "",
      },
    });
  } catch (failure) {
    if (!(failure instanceof OutsideError)) throw failure;
    services.log("warn", "triage.abandon_failed", { run_id: episode.runId, error: failure.message });
  }
}
