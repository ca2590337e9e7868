// The investigation on one page: begin → recall → answer → persist → remember. A step that fails is named in the
// warnings; only when nothing can be searched is there no answer.

import { type Incident, incidentCollection, incidentDocument } from "../memory/incident.ts";
import {
  abandonTriage,
  beginTriage,
  type EpisodeFinish,
  type EpisodeStart,
  finishTriage,
  type IdempotencyKey,
} from "../memory/incident-log.ts";
import { OutsideError } from "../stores/outside.ts";
import { type Composition, composeExtractiveAnswer } from "./compose.ts";
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
  const incident = createIncident(request, services.now(), services.newId);
  const episode = startOf(incident, services.newId());

  const begun = await begin(services, incident, episode, options.idempotency);
  if (begun.state !== "started") return begun;

  let investigated: Investigated;
  try {
    investigated = await investigate(services, incident, begun.warnings);
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
  begun: readonly Warning[],
): Promise<Investigated> {
  const recalled = await recall(services, incident);
  const composition = composeExtractiveAnswer(incident, recalled, services.config.GROUNDING_THRESHOLD);
  const result = buildResult({
    incident,
    triageId: services.newId(),
    now: services.now(),
    recall: recalled,
    composition,
    warnings: [...begun, ...recalled.missing.map(recallWarning)],
    config: services.config,
  });
  return { recalled, composition, result };
}

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
  const answer = plainAnswer(composition);
  const memory = {
    collection: incidentCollection(incident.domain.name),
    document: incidentDocument({ ...incident, incidentType: incident.type.name }, answer, null),
    claimUntil: new Date(now.getTime() + services.config.OUTBOX_LEASE_SECONDS * 1_000),
  };
  try {
    const { outboxId } = await finishTriage(services.database, {
      now,
      incident,
      episode,
      finish: finishOf(now, work.recalled, result.confidence, answer),
      triage: {
        id: result.triage_id,
        mode: result.mode,
        outcome: composition.outcome,
        confidence: result.confidence,
        result,
      },
      idempotencyKey: work.idempotency?.key ?? null,
      memory,
    });
    if (outboxId !== null) work.runInBackground(remember(services, { ...memory, outboxId, incidentId: incident.id }));
    return { state: "answered", result };
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    services.log("error", "triage.persist_failed", { incident_id: incident.id, error: error.message });
    return {
      state: "answered",
      result: { ...result, persisted: false, warnings: [...result.warnings, persistWarning(error)] },
    };
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

function finishOf(now: Date, recalled: Recall, confidence: number, answer: string): EpisodeFinish {
  return {
    finishedAt: now,
    injectionBlocked: false,
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
