// What is recorded about one incident, for a postmortem.

import { z } from "zod";
import type { Database } from "../../adapters/database.ts";
import { reportedIncidentSchema } from "../../schemas/reports.ts";
import type { TriageResult } from "../../schemas/triage-result.ts";
import { type IncidentStep, incidentSteps } from "../detail/steps.ts";
import { incidentWithHistorySchema, storedTriage } from "../incident-records.ts";

const rowSchema = incidentWithHistorySchema.extend({
  started_at: z.string(),
  ended_at: z.string().nullable(),
  services: z.object({
    total: z.number().int(),
    /** At most 50, in the order in which they began to fail. */
    first: z.array(
      z.object({
        target: z.string().nullable(),
        alerts: z.number().int(),
        notifications: z.number().int(),
        started_at: z.string(),
        ended_at: z.string().nullable(),
        /** While at least one alert fired. */
        minutes: z.number(),
      }),
    ),
  }),
  tries: z.array(
    z.object({
      text: z.string(),
      conditions: z.string().nullable(),
      at: z.string(),
      by: z.string().nullable(),
      helped: z.boolean(),
      resolved: z.boolean(),
      came_back_at: z.string().nullable(),
      /** When the job check-fixes looked whether the failure had come back. */
      checked_at: z.string().nullable(),
      /** Over all incidents. */
      tried: z.number().int(),
      worked: z.number().int(),
    }),
  ),
  reports: z.object({ before: z.number().int(), after: z.number().int() }),
  nearest_reports: z.array(reportedIncidentSchema),
});
type Row = z.infer<typeof rowSchema>;

export interface PostmortemFacts extends Omit<Row, "triage" | "steps" | "run"> {
  /** When they were read. */
  readonly read_at: Date;
  /** The latest answer; null without one that can be read. */
  readonly triage: TriageResult | null;
  readonly steps: readonly IncidentStep[];
}

/** Null if there is no such incident. @throws DependencyError */
export async function readPostmortemFacts(database: Database, id: string, now: Date): Promise<PostmortemFacts | null> {
  const args = { p_id: id, p_now: now.toISOString() };
  const row = await database.call("postmortem_facts", args, rowSchema.nullable(), { retries: 1 });
  if (row === null) return null;
  const { triage } = storedTriage(row);
  return { ...row, read_at: now, triage, steps: incidentSteps(triage, row.steps) };
}
