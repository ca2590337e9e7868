// Owns what a person says of an answer, by whichever door: it is stored, and behind the answer it is shown beside the trace
// of the triage, where there is one.

import type { Annotations } from "../adapters/annotations.ts";
import type { RunInBackground } from "../background-tasks.ts";
import { settle } from "../dependencies.ts";
import { claimUntil } from "../search-index/flush-outbox.ts";
import type { IndexServices } from "../search-index/services.ts";
import { withContext } from "../telemetry/request-context.ts";
import { type PendingAnnotation, type PostEnd, postAnnotations } from "./annotation-outbox.ts";
import { type Feedback, type Recorded, recordFeedback } from "./feedback.ts";

export interface FeedbackServices extends IndexServices {
  /** Shows feedback beside traces; null without a trace server. */
  readonly annotations: Annotations | null;
}

/** @returns what is on record now; null for an unknown triage. @throws DependencyError */
export async function giveFeedback(
  services: FeedbackServices,
  said: Omit<Feedback, "now" | "claimUntil">,
  runInBackground: RunInBackground,
): Promise<Pick<Recorded, "vote" | "rating"> | null> {
  const recorded = await recordFeedback(services.database, {
    ...said,
    now: services.now(),
    claimUntil: services.annotations === null ? null : claimUntil(services),
  });
  if (recorded === null) return null;
  if (recorded.annotation !== null) runInBackground(postPendingAnnotations(services, [recorded.annotation]));
  return recorded;
}

/** Posts annotations that this caller holds. Never throws an expected failure: what could not be posted is tried again. */
export async function postPendingAnnotations(
  services: FeedbackServices,
  owed: readonly PendingAnnotation[],
): Promise<readonly PostEnd[]> {
  const { annotations, background, now, log } = services;
  if (annotations === null) return [];
  const posted = await settle(postAnnotations({ annotations, database: background.database }, owed, now));
  if (!posted.ok) {
    // The claims expire, and the job retries.
    log("warn", "annotation.unrecorded", { annotations: owed.length, error: posted.error.message });
    return [];
  }
  for (const end of posted.value)
    withContext({ incidentId: end.owed.annotation.incidentId }, () => logResult(services, end));
  return posted.value;
}

function logResult({ log }: FeedbackServices, { owed, state, error }: PostEnd): void {
  const triage_id = owed.annotation.triageId;
  switch (state) {
    case "posted":
      log("info", "annotation.posted", { triage_id });
      return;
    case "deferred":
      log("warn", "annotation.deferred", { triage_id, attempts: owed.attempts, error });
      return;
    case "given_up":
      log("error", "annotation.given_up", { triage_id, attempts: owed.attempts, error });
  }
}
