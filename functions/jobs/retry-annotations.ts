// Posts pending ratings to the trace server. Two runs at once are safe: the database gives each row to one of them.

import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { claimAnnotations } from "../memory/annotation-outbox.ts";
import { postPendingAnnotations } from "../memory/give-feedback.ts";
import { createTimeLimit, runInBatches } from "./run-in-batches.ts";

/** Posted in parallel, so that a claim outlives the slowest; the platform opens 6 connections at a time. */
const ANNOTATIONS_PER_BATCH = 5;

export interface RetriedAnnotations {
  readonly annotations_posted: number;
  /** Annotations that will be retried. */
  readonly annotations_deferred: number;
  readonly annotations_given_up: number;
}

/** @returns null without a trace server. @throws DependencyError when the database fails */
export async function retryAnnotations(services: InvestigationServices): Promise<RetriedAnnotations | null> {
  const { annotations, background, config, now } = services;
  if (annotations === null) return null;
  const total = { annotations_posted: 0, annotations_deferred: 0, annotations_given_up: 0 };
  await runInBatches(createTimeLimit(services), async () => {
    const pending = await claimAnnotations(background.database, {
      now: now(),
      limit: ANNOTATIONS_PER_BATCH,
      leaseSeconds: config.OUTBOX_LEASE_SECONDS,
    });
    if (pending.length === 0) return false;
    const outcomes = await postPendingAnnotations(services, pending);
    for (const { state } of outcomes) total[`annotations_${state}`] += 1;
    return outcomes.some(({ concernsAnnotation }) => concernsAnnotation);
  });
  return total;
}
