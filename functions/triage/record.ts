// Owns what an investigation leaves behind: its start before all else, its end whatever happens in between. An
// unreachable database costs the record, never the answer.

import { type Incident, incidentDocument } from "../memory/incident.ts";
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
import { NOTHING_RECALLED, type Recall } from "./recall.ts";
import { claimedWrite, remember } from "./remember.ts";
import { plainAnswer } from "./render.ts";
import { type TriageResult, triageResultSchema, type Warning } from "./result.ts";
import type { RunInBackground, TriageServices } from "./services.ts";
import { beginWarning, persistWarning } from "./warnings.ts";

export type TriageOutcome =
  | { readonly state: "answered"; readonly result: TriageResult }
  /** The Idempotency-Key is known: the first request's result. */
  | { readonly state: "replayed"; readonly result: TriageResult }
  | { readonly state: "in_progress" }
  | { readonly state: "mismatch" };

export interface Investigated {
  readonly recalled: Recall;
  readonly result: TriageResult;
}

export type Begun =
  | Exclude<TriageOutcome, { state: "answered" }>
  | { readonly state: "started"; readonly warnings: Warning[] };

/** An unreachable database does not keep an engineer from an answer: the investigation goes on, unrecorded so far. */
export async function begin(
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

export async function persistAndRemember(
  services: TriageServices,
  work: Investigated & {
    readonly incident: Incident;
    readonly episode: EpisodeStart;
    readonly idempotency: IdempotencyKey | null;
    readonly runInBackground: RunInBackground;
  },
): Promise<TriageOutcome> {
  const { incident, episode, result } = work;
  const now = services.now();
  const answer = plainAnswer(result);
  const isBlocked = result.guardrails.injection_blocked !== null;
  const document = incidentDocument({ ...incident, incidentType: incident.type.name }, answer, null);
  const memory = claimedWrite(services, { domain: incident.domain.name, document, now });
  const finished: FinishedTriage = {
    now,
    incident,
    episode,
    finish: finishOf(now, { recalled: work.recalled, confidence: result.confidence, isBlocked, answer }),
    triage: {
      id: result.triage_id,
      mode: result.mode,
      outcome: result.outcome,
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

export function startOf(incident: Incident, runId: string): EpisodeStart {
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

/** Closes a run that came to nothing, with confidence 0; never throws an expected failure. */
export async function abandon(
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
      finish: finishOf(now, { recalled: NOTHING_RECALLED, confidence: 0, isBlocked: false, answer: "" }),
    });
  } catch (failure) {
    if (!(failure instanceof OutsideError)) throw failure;
    services.log("warn", "triage.abandon_failed", { run_id: episode.runId, error: failure.message });
  }
}
