// Posts ratings to the trace server: at once after a rating, and from the outbox if that fails. A claim gives each row
// to one worker; a post replaces the former one, so a second post is harmless.

import { z } from "zod";
import type { Annotations } from "../adapters/annotations.ts";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import { settle } from "../dependencies.ts";
import { retryDelayMs } from "../search-index/outbox.ts";

/** A pending annotation as the SQL functions return it, claimed by the caller. */
export const pendingAnnotationSchema = z
  .object({
    id: z.number().int(),
    version: z.number().int(),
    claimed_until: z.string(),
    attempts: z.number().int(),
    triage_id: z.string(),
    incident_id: z.string(),
    span_id: z.string(),
    person: z.string(),
    rating: z.literal([1, -1, 0]),
    comment: z.string().nullable(),
  })
  .transform(({ id, version, claimed_until, attempts, ...row }) => ({
    claim: { id, version, claimed_until },
    /** Attempts, this one included. */
    attempts,
    annotation: {
      spanId: row.span_id,
      person: row.person,
      rating: row.rating,
      comment: row.comment,
      triageId: row.triage_id,
      incidentId: row.incident_id,
    },
  }));
export type PendingAnnotation = z.infer<typeof pendingAnnotationSchema>;

export type PostState = "posted" | "deferred" | "given_up";
export interface PostOutcome {
  readonly pending: PendingAnnotation;
  readonly state: PostState;
  /** The dependency and a failure code; null when posted. */
  readonly error: string | null;
  /** Whether the response concerns this annotation; otherwise the server would refuse every annotation. */
  readonly concernsAnnotation: boolean;
}

/** With pauses of at most an hour, this is four days: an outage over a long weekend loses no rating. */
const MAX_ATTEMPTS = 100;

/** Claims annotations that are due and not claimed by another worker. @throws DependencyError */
export async function claimAnnotations(
  database: Database,
  { now, limit, leaseSeconds }: { readonly now: Date; readonly limit: number; readonly leaseSeconds: number },
): Promise<PendingAnnotation[]> {
  const args = { p_now: now.toISOString(), p_limit: limit, p_lease_seconds: leaseSeconds };
  return database.call("claim_annotations", args, z.array(pendingAnnotationSchema));
}

/**
 * Posts claimed annotations in parallel, and records the outcomes.
 * @throws DependencyError of the database only; the claims expire then and the annotations are posted again
 */
export async function postAnnotations(
  { annotations, database }: { readonly annotations: Annotations; readonly database: Database },
  pending: readonly PendingAnnotation[],
  now: () => Date,
): Promise<PostOutcome[]> {
  const outcomes = await Promise.all(pending.map((each) => post(annotations, each)));
  const at = now();
  const results = outcomes.map(({ pending: { claim, attempts }, state, error }) => {
    const retryAt = state === "deferred" ? new Date(at.getTime() + retryDelayMs(attempts)).toISOString() : null;
    return { ...claim, error, next_attempt_at: retryAt };
  });
  await database.call("record_annotation_results", { p_now: at.toISOString(), p_results: results }, IGNORE_RESULT, {
    retries: 1,
  });
  return outcomes;
}

async function post(annotations: Annotations, pending: PendingAnnotation): Promise<PostOutcome> {
  const mayRetry = pending.attempts < MAX_ATTEMPTS;
  const put = await settle(annotations.put(pending.annotation));
  if (!put.ok) {
    const { dependency, failure } = put.error;
    const concernsAnnotation = failure === "refused";
    const state = concernsAnnotation || !mayRetry ? "given_up" : "deferred";
    return { pending, state, error: `${dependency} ${failure}`, concernsAnnotation };
  }
  const outcome = put.value;
  if (outcome === "stored") return { pending, state: "posted", error: null, concernsAnnotation: true };
  const state = mayRetry ? "deferred" : "given_up";
  return { pending, state, error: `phoenix ${outcome}`, concernsAnnotation: outcome === "no_such_span" };
}
