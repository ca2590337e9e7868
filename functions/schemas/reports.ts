// Reports for people as the API returns them: the handover of a shift, and statistics of incidents.

import { z } from "zod";
import { failureIdSchema } from "./failure-signature.ts";
import { INCIDENT_STATUSES, SEVERITIES } from "./incident-values.ts";
import { OUTCOME_WORDS, OUTCOMES } from "./outcome.ts";

const count = z.number().int();

export const reportedIncidentSchema = z.object({
  id: z.string(),
  title: z.string(),
  severity: z.enum(SEVERITIES),
  status: z.enum(INCIDENT_STATUSES),
  domain: z.string(),
  target: z.string().nullable(),
  started_at: z.string().describe("The start of its first alert; without alerts, the time of its report."),
  ended_at: z
    .string()
    .nullable()
    .describe("The end of its last alert, or its resolution if that was earlier. Null while it is open."),
  alerts: z.object({ total: count, firing: count }),
  outcome: z.enum(OUTCOMES).nullable().describe(`Of the latest answer; null without one. ${OUTCOME_WORDS}`),
  failure_id: failureIdSchema,
  owner: z.string().nullable().describe("The person who has it; null for nobody."),
  acknowledged_by: z.string().nullable(),
  resolution: z.string().nullable().describe("The fix. Null for an incident that ended without one."),
  resolved_by: z.string().nullable(),
  came_back_at: z.string().nullable().describe("Null if the fix held."),
});
export type ReportedIncident = z.infer<typeof reportedIncidentSchema>;

export const handoverIncidentSchema = reportedIncidentSchema.extend({
  same: z
    .object({
      incidents: count,
      since: z.string(),
      firing: count,
      longest_minutes: z.number().nullable().describe("Null while all are open."),
    })
    .describe("With others of the failure, which are not listed."),
});
export type HandoverIncident = z.infer<typeof handoverIncidentSchema>;

const incidents = z.array(handoverIncidentSchema).describe("The worst first, at most 50 failures.");

/** A mute, as people read it. */
export const shownMuteSchema = z.object({
  id: z.string(),
  incident_id: z.string().nullable(),
  domain: z.string().nullable(),
  matchers: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
  ends_at: z.string(),
  muted: count
    .nullable()
    .describe("Incidents that are open, or that a target would have shown without it; null if they are not counted."),
  failures: z.array(z.string()),
  more_failures: count,
});
export type ShownMute = z.infer<typeof shownMuteSchema>;

export const handoverSchema = z.object({
  since: z.string(),
  until: z.string(),
  firing: z.object({ total: count, incidents }).describe("Incidents with an alert that fires."),
  open: z
    .object({
      total: count,
      older: count.describe("Those that were reported before `since`; at most 1,000 are counted."),
      incidents,
    })
    .describe("Incidents without a firing alert that were reported since then and are not resolved."),
  resolved: z
    .object({ total: count, with_fix: count, incidents: incidents.describe("Those with a fix first.") })
    .describe("Incidents without a firing alert that were resolved since then."),
  came_back: z
    .object({
      total: count,
      failures: z
        .array(
          z.object({
            record_id: z.string(),
            title: z.string(),
            domain: z.string(),
            targets: z.array(z.string()).describe("At most five."),
            fix: z.string(),
            fixed_by: z.string().nullable(),
            fixed_at: z.string(),
            came_back_at: z.string(),
          }),
        )
        .describe("Newest first, at most 50."),
    })
    .describe("Failures that came back since then after a fix that had helped."),
  without_runbook: z
    .object({
      total: count,
      gaps: z
        .array(
          z.object({
            id: z.string(),
            name: z.string(),
            domain: z.string(),
            alertname: z.string().nullable(),
            title: z.string(),
            unanswered: count,
            has_fix: z.boolean(),
          }),
        )
        .describe("Most frequent first, at most 50; see `GET /v1/quality/gaps`."),
    })
    .describe("Failures to whose newest answer since then no runbook was even possible."),
  mutes: z.array(shownMuteSchema).describe("The next to end first, at most 50."),
});
export type Handover = z.infer<typeof handoverSchema>;

const minutesSchema = z
  .object({ mean_minutes: z.number(), median_minutes: z.number() })
  .nullable()
  .describe("From the start of an incident to its end; null without any.");

export const incidentStatsSchema = z.object({
  since: z.string(),
  incidents: count.describe(
    "Reported since then, without imported ones, questions, evaluations, duplicates and those with outcome `benign`.",
  ),
  resolved: count,
  with_fix: count,
  time_to_resolve: minutesSchema.describe("Of all that are resolved, with those whose alerts ended by themselves."),
  time_to_fix: minutesSchema.describe("Of those with a recorded fix."),
  failures: count.describe("Different failures among these incidents."),
  repeated: count.describe("Failures of these that were reported more than once, now or before."),
  minutes_lost: z
    .number()
    .describe(
      "While an alert fired; without alerts, from the report to the resolution. Incidents of one failure at the same time count once.",
    ),
  top: z
    .array(
      z.object({
        incident_id: z.string().describe("The newest incident of the failure."),
        title: z.string(),
        domain: z.string(),
        severity: z.enum(SEVERITIES),
        target: z.string().nullable(),
        incidents: count,
        minutes_lost: z.number(),
        last_at: z.string(),
        fix: z.string().nullable().describe("The newest active fix of the failure."),
      }),
    )
    .describe("The ten failures that cost most time."),
});
export type IncidentStats = z.infer<typeof incidentStatsSchema>;
