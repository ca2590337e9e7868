// Failures whose answers found no runbook, and the evidence that a draft of one is made of.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { OUTCOMES } from "../schemas/outcome.ts";

/** The newest answers that are grouped. */
const MAX_ANSWERS = 5_000;
const MAX_GAPS = 100;

const answerGapSchema = z.object({
  id: z.string().describe("Identifies the failure."),
  name: z.string().describe("Of the alert if it means no other failure, else the error line, else the title."),
  domain: z.string(),
  alertname: z.string().nullable().describe("Of the newest incident."),
  title: z.string().describe("The title of the newest incident."),
  incidents: z.number().int().describe("Answered incidents of the period."),
  unanswered: z
    .number()
    .int()
    .describe("Those of them without even a possible runbook, or whose answer did not lead to the fix."),
  first_at: z.string(),
  last_at: z.string(),
  last_outcome: z
    .enum(OUTCOMES)
    .describe("Outcome of the newest answer. With `cause`, it rests on a past incident alone."),
  incident_ids: z.array(z.string()).describe("The newest three that were not answered."),
  targets: z.array(z.string()).describe("At most five of the `services`."),
  services: z.number().int(),
  has_fix: z.boolean().describe("Whether a fix that helped is recorded. The draft then has steps."),
  runbook: z
    .string()
    .nullable()
    .describe(
      "A stored runbook with the name of the draft: it was written since, and no such alert came yet. Else null.",
    ),
});

export const answerGapsSchema = z.object({
  total: z.number().int().describe("Failures without a runbook; more than listed if there are over 100."),
  gaps: z.array(answerGapSchema).describe("Most frequent first, at most 100."),
});

/** What a draft is made of. */
const gapEvidenceSchema = z.object({
  domain: z.string(),
  name: z.string(),
  source: z.string(),
  incidents: z
    .array(
      z.object({
        id: z.string(),
        created_at: z.string(),
        title: z.string(),
        question: z.string().nullable(),
        target: z.string().nullable(),
        labels: z.record(z.string(), z.string()),
        logs: z.string().nullable(),
        expression: z.string().nullable(),
      }),
    )
    .min(1),
  fixes: z.array(
    z.object({
      text: z.string(),
      conditions: z.string().nullable(),
      tried: z.number().int(),
      worked: z.number().int(),
      last_worked_at: z.string().nullable(),
    }),
  ),
});
export type GapEvidence = z.infer<typeof gapEvidenceSchema>;

/** @throws DependencyError */
export async function listAnswerGaps(database: Database, since: Date): Promise<z.infer<typeof answerGapsSchema>> {
  const args = { p_since: since.toISOString(), p_limit: MAX_ANSWERS, p_groups: MAX_GAPS };
  return database.call("list_answer_gaps", args, answerGapsSchema, { retries: 1 });
}

/** Null if there is no such gap in the period. @throws DependencyError */
export async function readGapEvidence(database: Database, id: string, since: Date): Promise<GapEvidence | null> {
  const args = { p_id: id, p_since: since.toISOString(), p_limit: MAX_ANSWERS };
  return database.call("answer_gap_evidence", args, gapEvidenceSchema.nullable(), { retries: 1 });
}
