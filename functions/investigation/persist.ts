// Owns what an investigation leaves behind: its start before all else, its end whatever happens in between. An
// unreachable database costs the record, never the answer.

import type { RunInBackground } from "../background-tasks.ts";
import { DependencyError } from "../dependencies.ts";
import {
  type FinishedTriage,
  type IdempotencyKey,
  type RunFinish,
  type RunStart,
  type RunUsage,
  recordAbandonedRun,
  recordRunFinish,
  recordRunStart,
  type SessionPastAnswers,
  type SessionTurn,
} from "../incidents/run-records.ts";
import { NO_MEMORY_UPDATES } from "../memory/memory-updates.ts";
import type { Incident } from "../schemas/incident.ts";
import { type TriageResult, triageResultSchema, type Warning } from "../schemas/triage-result.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import { inSpan } from "../telemetry/span.ts";
import { plainAnswer } from "./answer/plain-answer.ts";
import { memoryHitCount, memoryUpdatesOf } from "./learning/memory-updates.ts";
import { summariseWithModel } from "./learning/summarise-with-model.ts";
import { NOTHING_RECALLED, type Recall } from "./recall/recall-result.ts";
import type { Run } from "./run/run.ts";
import type { RunStartOutcome, StartedRun, TriageOutcome } from "./run/run-outcome.ts";
import type { InvestigationServices, Models } from "./run/services.ts";
import { beginWarning, persistWarning, tokenBudgetWarning } from "./run/warnings.ts";

/** An unreachable database does not keep an engineer from an answer: the investigation goes on, unrecorded so far. */
export async function startRun(
  services: InvestigationServices,
  incident: Incident,
  episode: RunStart,
  idempotency: IdempotencyKey | null,
): Promise<RunStartOutcome> {
  const { config } = services;
  try {
    const reply = await inSpan("CHAIN", "begin", () =>
      recordRunStart(services.database, {
        now: services.now(),
        incident,
        episode,
        turnLimit: config.EPISODIC_CONTEXT_TURNS,
        idempotency: idempotency && { ...idempotency, leaseSeconds: config.IDEMPOTENCY_LEASE_SECONDS },
      }),
    );
    if (reply.state === "started") return startedWith(services, reply, []);
    if (reply.state !== "replayed") return reply;
    const first = triageResultSchema.safeParse(reply.result);
    if (first.success) return { state: "replayed", result: first.data };
    throw new DependencyError("database", "invalid_response", "a stored triage has another shape", {
      cause: first.error,
    });
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    services.log("warn", "triage.begin_failed", { error: error.message });
    return startedWith(services, { turns: [], memories: {}, tokensToday: undefined }, [beginWarning(error)]);
  }
}

/** @param tokensToday undefined where nobody could say; a limit that cannot be checked is taken for reached */
function startedWith(
  { models, config }: InvestigationServices,
  {
    turns,
    memories,
    tokensToday,
  }: {
    readonly turns: readonly SessionTurn[];
    readonly memories: SessionPastAnswers;
    readonly tokensToday: number | undefined;
  },
  warnings: readonly Warning[],
): StartedRun {
  const session = { turns, sessionPastAnswers: memories };
  const limit = config.DAILY_TOKEN_BUDGET;
  const isSpent = limit !== undefined && (tokensToday === undefined || tokensToday >= limit);
  if (models === null || !isSpent) return { state: "started", ...session, models, warnings };
  const spent = tokenBudgetWarning(limit, tokensToday !== undefined);
  return { state: "started", ...session, models: null, warnings: [...warnings, spent] };
}

export async function persistAndIndex(
  services: InvestigationServices,
  work: FinishedInvestigation & {
    readonly episode: RunStart;
    readonly run: Run;
    /** The models that may still be asked; null where there are none. */
    readonly models: Models | null;
    readonly idempotency: IdempotencyKey | null;
    readonly runInBackground: RunInBackground;
    /** A stored incident is investigated again when its answer could not be stored: the sweep finds the open run. */
    readonly isStored: boolean;
  },
): Promise<TriageOutcome> {
  const { incident, episode, result } = work;
  const now = services.now();
  const answer = plainAnswer(result);
  const isBlocked = result.guardrails.injection_blocked !== null;
  const isCancelled = result.warnings.some(({ code }) => code === "cancelled");
  // What an attacker asked, what was no incident, and what is about to be asked again are in the log and no knowledge.
  const isRecalled = !isBlocked && result.outcome !== "benign" && !(isCancelled && work.idempotency !== null);
  const input = { incident, recalled: work.recalled, result, now, procedureId: services.newId() };
  const updates = isRecalled ? memoryUpdatesOf(input, services.config) : NO_MEMORY_UPDATES;
  const finished: FinishedTriage = {
    now,
    incident,
    episode,
    finish: finishOf(now, { ...work, isBlocked, answer }),
    triage: {
      id: result.triage_id,
      mode: result.mode,
      outcome: result.outcome,
      confidence: result.confidence,
      model: result.model?.answer ?? null,
      promptVersion: result.model?.prompt_version ?? null,
      result,
    },
    usage: work.run.usage(),
    idempotency: work.idempotency,
    // Who went away in the middle and asks again should get a whole answer.
    releasesKey: isCancelled,
    updates,
    claimUntil: claimUntil(services),
  };
  const persist = async () => {
    const owed = await inSpan("CHAIN", "persist", () => recordRunFinish(services.database, finished));
    const { observation } = updates;
    const learn = async () => {
      await flushOutbox(services, owed);
      if (observation?.isTold)
        await summariseWithModel(services, work.models, { incident, result, update: observation });
    };
    work.runInBackground(inSpan("CHAIN", "learn", learn));
  };
  try {
    await persist();
    return { state: "answered", result };
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    services.log("error", "triage.persist_failed", { error: error.message });
    work.runInBackground(persistLate(services, work, persist));
    return {
      state: "answered",
      result: { ...result, persisted: false, warnings: [...result.warnings, persistWarning(error)] },
    };
  }
}

/** Behind the answer's back, once more: storing is idempotent, and a blip should not cost the record. */
async function persistLate(
  services: InvestigationServices,
  work: {
    readonly incident: Incident;
    readonly episode: RunStart;
    readonly idempotency: IdempotencyKey | null;
    readonly run: Run;
    readonly isStored: boolean;
  },
  persist: () => Promise<void>,
): Promise<void> {
  const { incident, episode, idempotency, run } = work;
  try {
    await persist();
    services.log("info", "triage.persisted_late");
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error;
    if (work.isStored) return;
    await abandonRun(services, incident, episode, { error, key: idempotency?.key ?? null, usage: run.usage() });
  }
}

export function runStartOf(incident: Incident, runId: string, now: Date): RunStart {
  return {
    runId,
    sessionId: incident.sessionId,
    startedAt: now,
    query: incident.question ?? incident.title,
  };
}

function finishOf(
  now: Date,
  run: {
    readonly recalled: Recall;
    readonly result: Pick<TriageResult, "confidence" | "critique">;
    readonly isBlocked: boolean;
    readonly answer: string;
  },
): RunFinish {
  const { recalled, result, isBlocked, answer } = run;
  return {
    finishedAt: now,
    injectionBlocked: isBlocked,
    retrievalHitCount: recalled.runbooks.reduce((sum, runbook) => sum + runbook.hits.length, 0),
    memoryHitCount: memoryHitCount(recalled),
    initialConfidence: result.critique?.initial_confidence ?? result.confidence,
    reflected: result.critique?.reflected ?? false,
    finalConfidence: result.confidence,
    finalAnswer: answer,
  };
}

/** The end of a run that came to nothing. */
export function failedRunFinish(now: Date): RunFinish {
  const result = { confidence: 0, critique: null };
  return finishOf(now, { recalled: NOTHING_RECALLED, result, isBlocked: false, answer: "" });
}

/** Closes a run that came to nothing, with confidence 0; never throws an expected failure. */
export async function abandonRun(
  services: InvestigationServices,
  incident: Incident,
  episode: RunStart,
  { error, key, usage }: { readonly error: unknown; readonly key: string | null; readonly usage: RunUsage },
): Promise<void> {
  const now = services.now();
  try {
    await recordAbandonedRun(services.database, {
      now,
      incidentId: incident.id,
      reason: error instanceof Error ? error.name : "unknown",
      idempotencyKey: key,
      runId: episode.runId,
      finish: failedRunFinish(now),
      usage,
    });
  } catch (failure) {
    if (!(failure instanceof DependencyError)) throw failure;
    services.log("warn", "triage.abandon_failed", { run_id: episode.runId, error: failure.message });
  }
}

export interface FinishedInvestigation {
  /** As it was classified. */
  readonly incident: Incident;
  readonly recalled: Recall;
  readonly result: TriageResult;
}
