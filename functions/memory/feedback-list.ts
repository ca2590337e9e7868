// Feedback on answers, each with its report and the sources of the answer.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { correctionSchema } from "../schemas/correction.ts";
import { SEVERITIES } from "../schemas/incident.ts";
import { OUTCOMES } from "../schemas/outcome.ts";
import { CITED_KINDS } from "../schemas/text-kind.ts";
import type { Rating } from "./feedback.ts";

const feedbackRowSchema = z.object({
  id: z.number().int(),
  at: z.string(),
  rating: z.literal([1, -1, 0]),
  comment: z.string().nullable(),
  corrections: z.array(correctionSchema),
  triage_id: z.string(),
  incident_id: z.string(),
  title: z.string(),
  question: z.string().nullable(),
  target: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  labels: z.record(z.string(), z.string()),
  logs: z.string().nullable(),
  domain: z.string(),
  outcome: z.enum(OUTCOMES),
  confidence: z.number(),
  sources: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(CITED_KINDS),
      title: z.string(),
      source: z.string().nullable(),
    }),
  ),
});
export type FeedbackRow = z.infer<typeof feedbackRowSchema>;

/** The last row of the previous page. */
export interface FeedbackPlace {
  readonly at: string;
  readonly id: number;
}

/** Newest first. @throws DependencyError */
export async function listFeedback(
  database: Database,
  {
    limit,
    after,
    rating,
  }: { readonly limit: number; readonly after: FeedbackPlace | undefined; readonly rating: Rating | undefined },
): Promise<FeedbackRow[]> {
  return database.call(
    "list_feedback",
    {
      p_limit: limit,
      ...(after === undefined ? {} : { p_before_at: after.at, p_before_id: after.id }),
      ...(rating === undefined ? {} : { p_rating: rating }),
    },
    z.array(feedbackRowSchema),
    { retries: 1 },
  );
}
