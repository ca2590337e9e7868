// Triages that wait in the queue until the database is back.

import type { DependencyError } from "../dependencies.ts";
import { type FinishedRun, type IdempotencyKey, runFinishArguments } from "../incidents/run-records.ts";
import { triageResultSchema } from "../schemas/triage-result.ts";
import { buffer, bufferedWrite } from "../write-buffer.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import type { TriageOutcome } from "./run/run-outcome.ts";

/** @returns whether the queue has the triage and stores it when the database is back */
export function bufferTriage(
  services: InvestigationServices,
  error: DependencyError,
  triage: FinishedRun,
): Promise<boolean> {
  const { now: at, incident } = triage;
  return buffer(services, error, () => [
    bufferedWrite("triage", { at, subject: incident.id, args: runFinishArguments(triage).p }),
  ]);
}

/** The answer that this isolate gave to the same request and that may wait still; undefined if there is none. */
export function pendingReplyOf(
  { pendingReplies }: Pick<InvestigationServices, "pendingReplies">,
  idempotency: IdempotencyKey | null,
): TriageOutcome | undefined {
  const pending = idempotency === null ? undefined : pendingReplies.get(idempotency.key);
  if (pending === undefined) return undefined;
  if (pending.requestHash !== idempotency?.requestHash) return { state: "mismatch" };
  return { state: "replayed", result: triageResultSchema.parse(pending.reply) };
}
