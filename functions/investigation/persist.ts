// Step "persist": stores the triage and its memory updates in one transaction; the vector index follows after the
// response. An unavailable database costs the record, never the answer.

import type { RunInBackground } from "../background-tasks.ts";
import { settle } from "../dependencies.ts";
import { type FinishedTriage, type IdempotencyKey, type RunStart, recordRunFinish } from "../incidents/run-records.ts";
import { type MemoryUpdates, NO_MEMORY_UPDATES } from "../memory/memory-updates.ts";
import type { Incident } from "../schemas/incident.ts";
import type { TriageResult } from "../schemas/triage-result.ts";
import { claimUntil, flushOutbox } from "../search-index/flush-outbox.ts";
import type { PendingWrite } from "../search-index/outbox.ts";
import { inSpan } from "../telemetry/span.ts";
import { plainAnswer } from "./answer/final-answer.ts";
import { abandonRun, runFinishOf } from "./finish-run.ts";
import { memoryUpdatesOf } from "./learning/memory-updates.ts";
import { summariseWithModel } from "./learning/summarise-with-model.ts";
import type { Recall } from "./recall/recall-result.ts";
import type { Run } from "./run/run.ts";
import type { TriageOutcome } from "./run/run-outcome.ts";
import type { InvestigationServices, Models } from "./run/services.ts";
import { persistWarning } from "./run/warnings.ts";

export interface FinishedInvestigation {
  /** After classification. */
  readonly incident: Incident;
  readonly recalled: Recall;
  readonly result: TriageResult;
  /** Whether it quotes its own session. It adds no turn to the session. */
  readonly isRecap?: boolean;
}

export interface PersistInput extends FinishedInvestigation {
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
  const triage = finishedTriageOf(services, work);
  const persist = async () => {
    const writes = await inSpan("CHAIN", "persist", () => recordRunFinish(services.database, triage));
    const updateMemory = () => indexAndSummarise(services, work, triage.updates, writes);
    runInBackground(inSpan("CHAIN", "update memory", updateMemory));
  };
  const persisted = await settle(persist());
  if (persisted.ok) return { state: "answered", result };
  services.log("error", "triage.persist_failed", { error: persisted.error.message });
  runInBackground(persistAgain(services, work, persist));
  const warnings = [...result.warnings, persistWarning(persisted.error)];
  return { state: "answered", result: { ...result, persisted: false, warnings } };
}

function finishedTriageOf(services: InvestigationServices, work: PersistInput): FinishedTriage {
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
      model: result.model?.answer ?? null,
      promptVersion: result.model?.prompt_version ?? null,
      result,
    },
    usage: work.run.usage(),
    idempotency,
    // A caller who disconnected and repeats the request gets a full answer.
    releasesKey: isCancelled,
    updates: updatesOf(services, work, { now, isBlocked, isCancelled }),
    unhelpfulShowsLimit: services.config.UNHELPFUL_SHOWS_LIMIT,
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
  persist: () => Promise<void>,
): Promise<void> {
  const persisted = await settle(persist());
  if (persisted.ok) return services.log("info", "triage.persisted_late");
  if (isStored) return;
  const { error } = persisted;
  await abandonRun(services, incident, runStart, { error, key: idempotency?.key ?? null, usage: run.usage() });
}
