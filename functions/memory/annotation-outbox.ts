// Owns the posting of votes to the server of traces: at once after a vote, and later from the outbox when that failed. The
// database decides who holds a row; a post takes the place of the former one, so doing it twice is harmless.

import { z } from "zod";
import type { Annotations } from "../adapters/annotations.ts";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import { settle } from "../dependencies.ts";
import { retryDelayMs } from "../search-index/outbox.ts";

/** An annotation that is owed, as every SQL function returns it, held by the caller. */
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
    /** This one included. */
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
export interface PostEnd {
  readonly pending: PendingAnnotation;
  readonly state: PostState;
  /** A system and a code; null where it was posted. */
  readonly error: string | null;
  /** Whether the server judged this one; otherwise it would not take another one either. */
  readonly isJudged: boolean;
}

/** With the back-off of an hour at most, four days: a long weekend without the server costs no vote. */
const MAX_ATTEMPTS = 100;

/** Takes annotations that are due and not held by anybody else. @throws DependencyError */
export async function claimAnnotations(
  database: Database,
  { now, limit, leaseSeconds }: { readonly now: Date; readonly limit: number; readonly leaseSeconds: number },
): Promise<PendingAnnotation[]> {
  const args = { p_now: now.toISOString(), p_limit: limit, p_lease_seconds: leaseSeconds };
  const reply = await database.call("claim_annotations", args, z.array(pendingAnnotationSchema));
  return reply;
}

/**
 * Posts annotations that the caller holds, all at once, and records how each went.
 * @throws DependencyError of the database alone; then the claims run out and it is done again
 */
export async function postAnnotations(
  { annotations, database }: { readonly annotations: Annotations; readonly database: Database },
  pending: readonly PendingAnnotation[],
  now: () => Date,
): Promise<PostEnd[]> {
  const ends = await Promise.all(pending.map((each) => post(annotations, each)));
  const at = now();
  const settled = ends.map(({ pending: { claim, attempts }, state, error }) => {
    const again = state === "deferred" ? new Date(at.getTime() + retryDelayMs(attempts)).toISOString() : null;
    return { ...claim, error, next_attempt_at: again };
  });
  await database.call("record_annotation_results", { p_now: at.toISOString(), p_results: settled }, IGNORE_RESULT, {
    retries: 1,
  });
  return ends;
}

async function post(annotations: Annotations, pending: PendingAnnotation): Promise<PostEnd> {
  const mayTryAgain = pending.attempts < MAX_ATTEMPTS;
  const put = await settle(annotations.put(pending.annotation));
  if (!put.ok) {
    const { dependency, failure } = put.error;
    const isJudged = failure === "refused";
    const state = isJudged || !mayTryAgain ? "given_up" : "deferred";
    return { pending, state, error: `${dependency} ${failure}`, isJudged };
  }
  const outcome = put.value;
  if (outcome === "stored") return { pending, state: "posted", error: null, isJudged: true };
  const state = mayTryAgain ? "deferred" : "given_up";
  return { pending, state, error: `phoenix ${outcome}`, isJudged: outcome === "no_such_span" };
}
