// The row that ends a run, and the end of a run that has no answer.

import { settle } from "../dependencies.ts";
import { type RunFinish, type RunStart, type RunUsage, recordAbandonedRun } from "../incidents/run-records.ts";
import type { Incident } from "../schemas/incident.ts";
import type { TriageResult } from "../schemas/triage-result.ts";
import { memoryHitCount } from "./learning/create-memory-updates.ts";
import { NOTHING_RECALLED, type Recall } from "./recall/recall-result.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";

export function runFinishOf(
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

/** The end of a run without an answer: confidence 0. */
export function failedRunFinish(now: Date): RunFinish {
  const result = { confidence: 0, critique: null };
  return runFinishOf(now, { recalled: NOTHING_RECALLED, result, isBlocked: false, answer: "" });
}

/** Closes a run without an answer. Never throws a DependencyError. */
export async function abandonRun(
  services: InvestigationServices,
  incident: Incident,
  { runId }: RunStart,
  { error, key, usage }: { readonly error: unknown; readonly key: string | null; readonly usage: RunUsage },
): Promise<void> {
  const now = services.now();
  const abandoned = await settle(
    recordAbandonedRun(services.database, {
      now,
      incidentId: incident.id,
      reason: error instanceof Error ? error.name : "unknown",
      idempotencyKey: key,
      runId,
      finish: failedRunFinish(now),
      usage,
    }),
  );
  if (!abandoned.ok) services.log("warn", "run.abandon_failed", { run_id: runId, error: abandoned.error.message });
}
