// Feedback on answers, which is a rating and a comment, and the review score of observations.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Redact } from "../../lib/redaction/redact.ts";
import type { Database, FunctionArguments } from "../adapters/database.ts";
import type { Correction } from "../schemas/correction.ts";
import { type PendingAnnotation, pendingAnnotationSchema } from "./annotation-outbox.ts";
import { type ObservationEntry, observationRowSchema } from "./memory-lists.ts";

/** 1 for helpful, -1 for not helpful, 0 for none. */
export type Rating = 1 | -1 | 0;

export interface Feedback {
  readonly triageId: string;
  /** Unique id of the person; it begins with the integration and the caller, so that no other can rate for them. */
  readonly person: string;
  /** The person's name, for the corrections in the timeline. */
  readonly by?: string;
  /** Null keeps the stored rating. */
  readonly rating: Rating | null;
  /** Null keeps the stored comment. */
  readonly comment: string | null;
  /** Each replaces the stored one of its part; an empty list, all. Without them, the stored ones are kept. */
  readonly corrections?: readonly Correction[] | undefined;
  readonly now: Date;
  /** Until then the caller posts the rating to the trace server; null without one. */
  readonly claimUntil: string | null;
}

export interface RecordedFeedback {
  readonly rating: Rating;
  /** The sum of all ratings; null when the answer is not in memory. */
  readonly netRating: number | null;
  /** The annotation that the caller must post; null when there is none or another worker posts it. */
  readonly annotation: PendingAnnotation | null;
}

const recordedRowSchema = z.object({
  state: z.literal("recorded"),
  rating: z.literal([1, -1, 0]),
  net_rating: z.number().int().nullable(),
  annotation: pendingAnnotationSchema.nullable().default(null),
});
type RecordedFeedbackRow = z.infer<typeof recordedRowSchema>;

const feedbackResultSchema = z.discriminatedUnion("state", [
  z.object({ state: z.literal("not_found") }),
  recordedRowSchema,
]);

/** What the database stores of one person's feedback on an answer, scrubbed. */
export function feedbackArguments(
  redact: Redact,
  { triageId, person, by, rating, comment, corrections, now, claimUntil }: Feedback,
): FunctionArguments<"record_feedback"> {
  return {
    p: {
      now: now.toISOString(),
      triage_id: triageId,
      // A digest distinguishes people without storing their names, which redaction would remove.
      person: person === "" ? "" : createHash("sha256").update(person).digest("hex"),
      ...(by === undefined ? {} : { by }),
      rating,
      comment: comment === null ? null : redact(comment).text,
      ...(corrections === undefined ? {} : { corrections: corrections.map((each) => redacted(redact, each)) }),
      ...(claimUntil === null ? {} : { annotate: true, claim_until: claimUntil }),
    },
  };
}

function redacted(redact: Redact, { part, was, right }: Correction) {
  return {
    part,
    ...(was === undefined ? {} : { was: redact(was).text }),
    ...(right === undefined ? {} : { right: redact(right).text }),
  };
}

/** Records feedback; may be repeated. @returns null for an unknown triage @throws DependencyError */
export async function recordFeedback(
  database: Database,
  args: FunctionArguments<"record_feedback">,
): Promise<RecordedFeedback | null> {
  const result = await database.call("record_feedback", args, feedbackResultSchema, { retries: 1 });
  return result.state === "not_found" ? null : recordedOf(result);
}

/**
 * The same for feedback that waited in the queue.
 * @returns `superseded` if the person has given this or newer feedback since @throws DependencyError
 */
export async function recordBufferedFeedback(
  database: Database,
  args: FunctionArguments<"store_buffered_feedback">,
): Promise<RecordedFeedback | "superseded" | null> {
  const schema = z.union([feedbackResultSchema, z.object({ state: z.literal("superseded") })]);
  const result = await database.call("store_buffered_feedback", args, schema, { retries: 1 });
  if (result.state === "not_found") return null;
  return result.state === "superseded" ? "superseded" : recordedOf(result);
}

function recordedOf({ rating, net_rating, annotation }: RecordedFeedbackRow): RecordedFeedback {
  return { rating, netRating: net_rating, annotation };
}

const latestTriageSchema = z.object({ triage_id: z.string(), title: z.string(), at: z.string() });
export type LatestTriage = z.infer<typeof latestTriageSchema>;

/** The newest triage of a session, for feedback without an id; null when there is none. @throws DependencyError */
export async function latestTriage(database: Database, sessionId: string): Promise<LatestTriage | null> {
  return database.call("latest_triage", { p_session_id: sessionId }, latestTriageSchema.nullable(), { retries: 1 });
}

/**
 * Sets the review score of an observation, -1 to 2; null removes it.
 * @returns the observation; null when there is none @throws DependencyError
 */
export async function setReviewScore(
  database: Database,
  id: string,
  reviewScore: number | null,
): Promise<ObservationEntry | null> {
  const args = { p_id: id, ...(reviewScore === null ? {} : { p_review_score: reviewScore }) };
  return database.call("set_review_score", args, observationRowSchema.nullable(), { retries: 1 });
}
