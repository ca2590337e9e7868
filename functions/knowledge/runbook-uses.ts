// Reads the incidents whose answers cite a runbook.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { INCIDENT_STATUSES, SEVERITIES } from "../schemas/incident-values.ts";
import { OUTCOME_WORDS, OUTCOMES } from "../schemas/outcome.ts";

const counts = {
  answered: z.number().int(),
  helped: z.number().int().describe("Answers that led to the fix, or have more ratings up than down."),
  did_not_help: z.number().int().describe("Answers that did not lead to the fix, or have more ratings down than up."),
};

export const runbookTotalsSchema = z
  .object({
    ...counts,
    since: z.string().nullable().describe("Time of the oldest answer that is counted."),
  })
  .describe("Over the newest 1000 incidents.");

export const runbookUsesSchema = z.object({
  totals: runbookTotalsSchema,
  topics: z
    .array(z.object({ anchor: z.string(), title: z.string(), ...counts }))
    .describe(
      "The same for each topic, in the order of the text. An answer may cite several. Empty for a runbook about one failure.",
    ),
  uses: z.array(
    z.object({
      incident_id: z.string(),
      triage_id: z.string().describe("The newest answer to the incident that cites the runbook."),
      at: z.string().describe("Time of that answer."),
      topics: z.array(z.string()).describe("Anchors of the topics that it cites."),
      title: z.string(),
      target: z.string().nullable(),
      severity: z.enum(SEVERITIES),
      status: z.enum(INCIDENT_STATUSES),
      outcome: z.enum(OUTCOMES).describe(OUTCOME_WORDS),
      confidence: z.number(),
      worked: z.boolean().nullable().describe("Whether the answer led to the fix; null if unknown."),
      rating_up: z.number().int(),
      rating_down: z.number().int(),
    }),
  ),
});
export type RunbookUses = z.infer<typeof runbookUsesSchema>;

/** Newest first. Null if there is no such runbook. @throws DependencyError */
export async function listRunbookUses(
  database: Database,
  id: string,
  {
    limit,
    before,
  }: { readonly limit: number; readonly before?: { readonly at: string; readonly id: string } | undefined },
): Promise<RunbookUses | null> {
  const after = before === undefined ? {} : { before_at: before.at, before_id: before.id };
  return database.call("list_runbook_uses", { p: { id, limit, ...after } }, runbookUsesSchema.nullable(), {
    retries: 1,
  });
}
