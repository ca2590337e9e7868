// Owns what people say of memory: votes and comments on an answer, and the judgement of an observation.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { redact } from "../guardrails/redaction/redact.ts";
import { type PendingAnnotation, pendingAnnotationSchema } from "./annotation-outbox.ts";
import { type ObservationEntry, observationEntrySchema } from "./memory-lists.ts";

/** 1 for helpful, -1 for not, 0 for none. */
export type Vote = 1 | -1 | 0;

export interface Feedback {
  readonly triageId: string;
  /** Who says it; empty for callers who do not say. Has one vote. */
  readonly person: string;
  /** Null leaves the vote as it is. */
  readonly vote: Vote | null;
  /** Null leaves the comment as it is. */
  readonly comment: string | null;
  readonly now: Date;
  /** Until then the caller posts the vote to the server of traces; null where there is none. */
  readonly claimUntil: string | null;
}

export interface Recorded {
  readonly vote: Vote;
  /** Of the memory; null where the answer is not remembered. */
  readonly rating: number | null;
  /** What the caller has to post; null where there is nothing, or somebody else is at it. */
  readonly annotation: PendingAnnotation | null;
}

const feedbackResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  z.object({
    state: z.literal("recorded"),
    vote: z.literal([1, -1, 0]),
    rating: z.number().int().nullable(),
    annotation: pendingAnnotationSchema.nullable().default(null),
  }),
]);

/**
 * Records one person's word on an answer, scrubbed; saying it again changes nothing.
 * @returns null for an unknown triage
 * @throws DependencyError
 */
export async function recordFeedback(
  database: Database,
  { triageId, person, vote, comment, now, claimUntil }: Feedback,
): Promise<Recorded | null> {
  const p = {
    now: now.toISOString(),
    triage_id: triageId,
    // A digest tells people apart, also those whose names would be scrubbed, and keeps none of them.
    person: person === "" ? "" : createHash("sha256").update(person).digest("hex"),
    vote,
    comment: comment === null ? null : redact(comment).text,
    ...(claimUntil === null ? {} : { annotate: true, claim_until: claimUntil }),
  };
  const reply = await database.call("give_feedback", { p }, feedbackResultSchema, { retries: 1 });
  if (reply.state === "not_found") return null;
  return { vote: reply.vote, rating: reply.rating, annotation: reply.annotation };
}

const latestTriageSchema = z.object({ triage_id: z.string(), title: z.string(), at: z.string() });
export type LatestTriage = z.infer<typeof latestTriageSchema>;

/** The last answer that a session was given, which a word without an id is about; null when there is none. @throws DependencyError */
export async function latestTriage(database: Database, sessionId: string): Promise<LatestTriage | null> {
  return database.call("latest_triage", { p_session_id: sessionId }, latestTriageSchema.nullable(), { retries: 1 });
}

/**
 * Sets a person's judgement of an observation, -1 to 2, or takes it back with null.
 * @returns the observation, or null when there is none @throws DependencyError
 */
export async function setReviewScore(
  database: Database,
  id: string,
  quality: number | null,
): Promise<ObservationEntry | null> {
  const args = { p_id: id, ...(quality === null ? {} : { p_quality: quality }) };
  return database.call("set_observation_quality", args, observationEntrySchema.nullable(), { retries: 1 });
}
