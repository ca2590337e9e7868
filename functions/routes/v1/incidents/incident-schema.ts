// Stored incidents in responses: schemas and what renders them.

import { z } from "@hono/zod-openapi";
import type { Caller } from "../../../access/caller.ts";
import { incidentStepSchema, incidentSteps } from "../../../incidents/detail/steps.ts";
import { incidentAlertsSchema } from "../../../incidents/grouped-alerts.ts";
import {
  activeRunSchema,
  daysSeenSchema,
  type IncidentRow,
  type IncidentWithHistory,
  incidentEventSchema,
  incidentMuteSchema,
  incidentRowSchema,
  storedTriage,
} from "../../../incidents/incident-records.ts";
import { fixEntry, unitedFixes } from "../../../memory/fixes.ts";
import { domainResultSchema } from "../../../schemas/domain.ts";
import { fixSchema } from "../../../schemas/fix.ts";
import { withFieldExamples } from "../../http/field-examples.ts";
import { withOwnSessionName, withOwnSessionNames } from "../../http/own-session-names.ts";
import { triageSchema } from "../triage-schema.ts";
import { DETAIL_EXAMPLE, INCIDENT_EXAMPLE } from "./incident-examples.ts";

// The table holds the rule that chose the domain or the type in a column of its own; the response groups them.
export const incidentSchema = withFieldExamples(
  incidentRowSchema
    .omit({ domain: true, domain_rule: true, incident_type: true, incident_type_rule: true })
    .extend({ domain: domainResultSchema, incident_type: domainResultSchema }),
  INCIDENT_EXAMPLE,
);

export const incidentDetailSchema = withFieldExamples(
  incidentSchema.extend({
    logs: z.string().nullable(),
    events: z.array(incidentEventSchema),
    steps: z
      .array(incidentStepSchema)
      .describe("The steps of the latest answer, each once, with their state for everybody."),
    run: activeRunSchema
      .nullable()
      .describe("The active investigation run; null if none is. Read the incident again until it is null."),
    queued_at: z
      .string()
      .nullable()
      .describe(
        "With status `queued`: since when it waits, or the earliest time of its next run. Null if it never waited.",
      ),
    alerts: incidentAlertsSchema.describe("Alerts grouped into the incident; none if a person reported it."),
    triage: z
      .union([triageSchema, z.null()])
      .describe("The latest triage result; null before the first triage, and when `triage_unreadable` is true."),
    mute: incidentMuteSchema,
    fixes: z
      .array(fixSchema)
      .describe(
        "What fixed its failure, newest first, also if it was recorded after the answer; former fixes are left out.",
      ),
    days_seen: daysSeenSchema,
    triage_unreadable: z
      .boolean()
      .describe("True when a triage result is stored, but in a format that this version of Dejavu cannot read."),
  }),
  DETAIL_EXAMPLE,
).openapi("Incident");

export const idParam = z.object({ id: z.uuid() });

export const NO_SUCH_INCIDENT =
  "No incident has this id. One that was answered with persisted: pending is stored within a minute after the database is back. List incidents with GET /v1/incidents.";

export function renderIncident(row: IncidentRow, caller: Caller): z.infer<typeof incidentSchema> {
  const { domain, domain_rule, incident_type, incident_type_rule, ...rest } = row;
  return {
    ...withOwnSessionName(caller, rest),
    domain: { name: domain, rule: domain_rule },
    incident_type: { name: incident_type, rule: incident_type_rule },
  };
}

export function renderDetail(record: IncidentWithHistory, caller: Caller): z.infer<typeof incidentDetailSchema> {
  const { events, alerts } = record;
  const { logs, resolved_by_caller, queued_at, ...row } = record.incident;
  const { triage, isUnreadable } = storedTriage(record);
  const ownTriage = triage === null ? null : withOwnSessionNames(caller, triage);
  return {
    ...renderIncident(row, caller),
    logs,
    events,
    steps: incidentSteps(triage, record.steps),
    run: record.run,
    queued_at,
    alerts,
    triage: ownTriage,
    mute: record.mute,
    fixes: unitedFixes(
      [...(record.observation?.fixes ?? []), ...record.shown_fixes].filter(
        ({ retired, worked }) => retired === null && worked > 0,
      ),
    ).map(fixEntry),
    days_seen: record.days_seen,
    triage_unreadable: isUnreadable,
  };
}
