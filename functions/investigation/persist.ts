// Step "persist": stores the triage and its memory updates in one transaction; the vector index follows after the
// response. While the database is unavailable, the platform's queue keeps both.

import type { RunInBackground } from "../background-tasks.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import {
  type FinishedRun,
  type IdempotencyKey,
  type RunFinishResult,
  type RunStart,
  recordRunFinish,
  runFinishArguments,
} from "../incidents/run-records.ts";
import { type MemoryUpdates, NO_MEMORY_UPDATES } from "../memory/memory-updates.ts";
import type { Incident } from "../schemas/incident.ts";
import { type TriageResult, triageResultSchema } from "../schemas/triage-result.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { PendingWrite } from "../search-index/outbox.ts";
import { inSpan } from "../telemetry/span.ts";
import { plainAnswer } from "./answer/final-answer.ts";
import { abandonRun, runFinishOf } from "./finish-run.ts";
import { memoryUpdatesOf } from "./learning/create-memory-updates.ts";
import { summariseWithModel } from "./learning/summarise-with-model.ts";
import { bufferTriage } from "./pending-triage.ts";
import type { Recall } from "./recall/recall-result.ts";
import type { InvestigationServices, Models } from "./run/investigation-services.ts";
import type { Run } from "./run/run.ts";
import type { TriageOutcome } from "./run/run-outcome.ts";
import { pendingWarning, persistWarning } from "./run/warnings.ts";

export interface InvestigatedIncident {
  /** After classification. */
  readonly incident: Incident;
  readonly recalled: Recall;
  readonly result: TriageResult;
  /** Whether it quotes its own session. It adds no turn to the session. */
  readonly isRecap?: boolean;
}

export interface PersistInput extends InvestigatedIncident {
  readonly runStart: RunStart;
  readonly run: Run;
  /** Null without a model, or when today's tokens are used up. */
  readonly models: Models | null;
  readonly idempotency: IdempotencyKey | null;
  readonly runInBackground: RunInBackground;
  /** Whether the incident was stored before. If its answer cannot be stored, its run stays open and is recovered later. */
  readonly isStored: boolean;
}

export async function persistAndIndex(services: InvestigationServices, work: PersistInput): Promise<TriageOutcome> {
  const { result, runInBackground } = work;
  const finished = finishedRunOf(services, work);
  const persist = async () => {
    const args = runFinishArguments(finished);
    const stored = await inSpan("CHAIN", "persist", () => recordRunFinish(services.database, args));
    if (stored.state === "stored") {
      const updateMemory = () => indexAndSummarise(services, work, finished.updates, stored.pending);
      runInBackground(inSpan("CHAIN", "update memory", updateMemory));
      if (stored.isAnnounced) runInBackground(services.deliverNotifications());
    }
    return stored;
  };
  const persisted = await settle(persist());
  if (persisted.ok) return outcomeOf(services, work, persisted.value);
  const { error } = persisted;
  // The run of a stored incident stays open, and the incident is investigated again.
  if (!work.isStored && (await bufferTriage(services, error, finished))) return pendingOutcome(services, work, error);
  services.log("error", "triage.persist_failed", { error: error.message });
  runInBackground(persistAgain(services, work, persist));
  const warnings = [...result.warnings, persistWarning(error)];
  return { state: "answered", result: { ...result, persisted: false, warnings } };
}

/** @param stored of two runs with one idempotency key, one is stored; the other returns that answer, or 409 */
function outcomeOf(services: InvestigationServices, work: PersistInput, stored: RunFinishResult): TriageOutcome {
  if (stored.state === "stored") return { state: "answered", result: work.result };
  const { incident, runStart, run, runInBackground } = work;
  runInBackground(abandonRun(services, incident, runStart, { error: new Superseded(), key: null, usage: run.usage() }));
  return stored.state === "replayed" ? { state: "replayed", result: triageResultSchema.parse(stored.result) } : stored;
}

/** Its name is the reason on the timeline. */
class Superseded extends Error {
  override readonly name = "superseded";
}

function pendingOutcome(
  { pendingReplies }: InvestigationServices,
  { result, idempotency }: PersistInput,
  error: DependencyError,
): TriageOutcome {
  const warnings = [...result.warnings, pendingWarning(error)];
  const reply: TriageResult = { ...result, persisted: "pending", warnings };
  const isCancelled = result.warnings.some(({ code }) => code === "cancelled");
  if (idempotency !== null && !isCancelled)
    pendingReplies.set(idempotency.key, { requestHash: idempotency.requestHash, reply });
  return { state: "answered", result: reply };
}

function finishedRunOf(services: InvestigationServices, work: PersistInput): FinishedRun {
  const { incident, runStart, result, idempotency, isRecap = false } = work;
  const now = services.now();
  const isBlocked = result.guardrails.injection_blocked !== null;
  const isCancelled = result.warnings.some(({ code }) => code === "cancelled");
  return {
    now,
    incident,
    runStart,
    finish: runFinishOf(now, { ...work, isBlocked, answer: isRecap ? "" : plainAnswer(result) }),
    triage: {
      id: result.triage_id,
      mode: result.mode,
      outcome: result.outcome,
      confidence: result.confidence,
      result,
    },
    usage: work.run.usage(),
    idempotency: idempotency && { ...idempotency, leaseSeconds: services.config.IDEMPOTENCY_LEASE_SECONDS },
    // A caller who disconnected and repeats the request gets a full answer.
    releasesKey: isCancelled,
    updates: updatesOf(services, work, { now, isBlocked, isCancelled }),
    claimUntil: claimUntil(services),
  };
}

/** Attacks, benign reports, recaps and requests that will be repeated are recorded and add nothing to memory. */
function updatesOf(
  services: InvestigationServices,
  { incident, recalled, result, idempotency, isRecap = false }: PersistInput,
  { now, isBlocked, isCancelled }: { readonly now: Date; readonly isBlocked: boolean; readonly isCancelled: boolean },
): MemoryUpdates {
  const willBeRepeated = isCancelled && idempotency !== null;
  if (isBlocked || isRecap || result.outcome === "benign" || willBeRepeated) return NO_MEMORY_UPDATES;
  return memoryUpdatesOf({ incident, recalled, result, now, procedureId: services.newId() }, services.config);
}

async function indexAndSummarise(
  services: InvestigationServices,
  { incident, result, models }: PersistInput,
  { observation }: MemoryUpdates,
  writes: readonly PendingWrite[],
): Promise<void> {
  await flushOutbox(services, writes);
  if (observation?.hasNewText) await summariseWithModel(services, models, { incident, result, update: observation });
}

/** Retries once after the response: storing is idempotent, so a short outage does not cost the record. */
async function persistAgain(
  services: InvestigationServices,
  { incident, runStart, idempotency, run, isStored }: PersistInput,
  persist: () => Promise<unknown>,
): Promise<void> {
  const persisted = await settle(persist());
  if (persisted.ok) return services.log("info", "triage.persisted_late");
  if (isStored) return;
  const { error } = persisted;
  await abandonRun(services, incident, runStart, { error, key: idempotency?.key ?? null, usage: run.usage() });
}
