// Records feedback from every integration, and shows it beside the trace of the triage in the background.

import type { Annotations } from "../adapters/annotations.ts";
import type { RunInBackground } from "../background-tasks.ts";
import { settle } from "../dependencies.ts";
import { claimUntil } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/search-services.ts";
import { withContext } from "../telemetry/request-context.ts";
import { type BufferServices, bufferedWrite, storeOrBuffer } from "../write-buffer.ts";
import { type PendingAnnotation, type PostOutcome, postAnnotations } from "./annotation-outbox.ts";
import { type Feedback, feedbackArguments, type RecordedFeedback, recordFeedback } from "./feedback.ts";

export interface FeedbackServices extends IndexServices, BufferServices {
  /** Shows feedback beside traces; null without a trace server. */
  readonly annotations: Annotations | null;
}

/**
 * @returns the stored feedback; null for an unknown triage; `pending` if the database is unavailable and the queue keeps it
 * @throws DependencyError
 */
export async function giveFeedback(
  services: FeedbackServices,
  input: Omit<Feedback, "now" | "claimUntil">,
  runInBackground: RunInBackground,
): Promise<Pick<RecordedFeedback, "rating" | "netRating"> | "pending" | null> {
  const at = services.now();
  const args = feedbackArguments(services.redact, {
    ...input,
    now: at,
    claimUntil: services.annotations === null ? null : claimUntil(services),
  });
  return storeOrBuffer<RecordedFeedback | "pending" | null>(services, {
    writes: () => [bufferedWrite("feedback", { at, subject: input.triageId, args: args.p })],
    store: async () => {
      const recorded = await recordFeedback(services.database, args);
      if (recorded !== null && recorded.annotation !== null)
        runInBackground(postPendingAnnotations(services, [recorded.annotation]));
      return recorded;
    },
    pending: () => "pending",
  });
}

/** Posts claimed annotations. Never throws a DependencyError: the job retries what could not be posted. */
export async function postPendingAnnotations(
  services: FeedbackServices,
  pending: readonly PendingAnnotation[],
): Promise<readonly PostOutcome[]> {
  const { annotations, background, now, log } = services;
  if (annotations === null) return [];
  const posted = await settle(postAnnotations({ annotations, database: background.database }, pending, now));
  if (!posted.ok) {
    // The claims expire, and the job retries.
    log("warn", "annotation.unrecorded", { annotations: pending.length, error: posted.error.message });
    return [];
  }
  for (const outcome of posted.value)
    withContext({ incidentId: outcome.pending.annotation.incidentId }, () => logResult(services, outcome));
  return posted.value;
}

function logResult({ log }: FeedbackServices, { pending, state, error }: PostOutcome): void {
  const triage_id = pending.annotation.triageId;
  switch (state) {
    case "posted":
      log("info", "annotation.posted", { triage_id });
      return;
    case "deferred":
      log("warn", "annotation.deferred", { triage_id, attempts: pending.attempts, error });
      return;
    case "given_up":
      log("error", "annotation.given_up", { triage_id, attempts: pending.attempts, error });
  }
}
