// Owns what a person says of an answer, by whichever door: it is stored, and behind the answer it is shown beside the trace
// of the triage, where there is one.

import type { Annotations } from "../adapters/annotations.ts";
import { OutsideError } from "../dependencies.ts";
import type { RunInBackground } from "../background-tasks.ts";
import type { IndexServices } from "../search-index/services.ts";
import { claimUntil } from "../search-index/flush-outbox.ts";
import { withContext } from "../telemetry/request-context.ts";
import { type OwedAnnotation, type PostEnd, postAnnotations } from "./annotation-outbox.ts";
import { type Feedback, giveFeedback, type Recorded } from "./feedback.ts";

export interface FeedbackServices extends IndexServices {
  /** Shows feedback beside traces; null without a trace server. */
  readonly annotations: Annotations | null;
}

/** @returns what is on record now; null for an unknown triage. @throws OutsideError */
export async function vote(
  services: FeedbackServices,
  said: Omit<Feedback, "now" | "claimUntil">,
  runInBackground: RunInBackground,
): Promise<Pick<Recorded, "vote" | "rating"> | null> {
  const recorded = await giveFeedback(services.database, {
    ...said,
    now: services.now(),
    claimUntil: services.annotations === null ? null : claimUntil(services),
  });
  if (recorded === null) return null;
  if (recorded.annotation !== null) runInBackground(annotate(services, [recorded.annotation]));
  return recorded;
}

/** Posts annotations that this caller holds. Never throws an expected failure: what could not be posted is tried again. */
export async function annotate(services: FeedbackServices, owed: readonly OwedAnnotation[]): Promise<readonly PostEnd[]> {
  const { annotations, background, now, log } = services;
  if (annotations === null) return [];
  try {
    const ends = await postAnnotations({ annotations, database: background.database }, owed, now);
    for (const end of ends) withContext({ incidentId: end.owed.annotation.incidentId }, () => tell(services, end));
    return ends;
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    // The claims run out, and the job does it again.
    log("warn", "annotation.unrecorded", { annotations: owed.length, error: error.message });
    return [];
  }
}

function tell({ log }: FeedbackServices, { owed, state, error }: PostEnd): void {
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
