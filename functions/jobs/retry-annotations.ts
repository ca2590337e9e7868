// Owns the job that posts votes which the server of traces is owed. Safe to run twice at once: the database hands each row to
// one of them.

import type { InvestigationServices } from "../investigation/run/services.ts";
import { claimAnnotations } from "../memory/annotation-outbox.ts";
import { postPendingAnnotations } from "../memory/give-feedback.ts";
import { inBatches, limitTime } from "./run-in-batches.ts";

/** Posted at once, so that a claim outlives the slowest of them; the platform opens 6 connections at a time. */
const ANNOTATIONS_A_BATCH = 5;

export interface RetriedAnnotations {
  readonly annotations_posted: number;
  /** To be tried again. */
  readonly annotations_deferred: number;
  readonly annotations_given_up: number;
}

/** @returns null where there is no such server. @throws DependencyError when the database fails */
export async function retryAnnotations(services: InvestigationServices): Promise<RetriedAnnotations | null> {
  const { annotations, background, config, now } = services;
  if (annotations === null) return null;
  const total = { annotations_posted: 0, annotations_deferred: 0, annotations_given_up: 0 };
  await inBatches(limitTime(services), async () => {
    const owed = await claimAnnotations(background.database, {
      now: now(),
      limit: ANNOTATIONS_A_BATCH,
      leaseSeconds: config.OUTBOX_LEASE_SECONDS,
    });
    if (owed.length === 0) return false;
    const ends = await postPendingAnnotations(services, owed);
    for (const { state } of ends) total[`annotations_${state}`] += 1;
    return ends.some(({ isJudged }) => isJudged);
  });
  return total;
}
