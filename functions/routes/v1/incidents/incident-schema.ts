// Stored incidents in responses: schemas, examples and what renders them.

import { z } from "@hono/zod-openapi";
import type { Caller } from "../../../access/caller.ts";
import { incidentStepSchema, incidentSteps } from "../../../incidents/detail/steps.ts";
import { incidentAlertsSchema } from "../../../incidents/grouped-alerts.ts";
import {
  activeRunSchema,
  type IncidentRow,
  type IncidentWithHistory,
  incidentEventSchema,
  incidentRowSchema,
  storedTriage,
} from "../../../incidents/incident-records.ts";
import { domainResultSchema } from "../../../schemas/domain.ts";
import { named, namedResult } from "../../http/session-names.ts";
import { TRIAGE_EXAMPLE, triageSchema } from "../triage-schema.ts";

export const INCIDENT_EXAMPLE = {
  id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  created_at: "2026-03-01T03:00:00+00:00",
  title: "api-gateway container exited with code 137",
  question: null,
  target: "api-gateway",
  runbook: null,
  severity: "high" as const,
  labels: { container_runtime: "docker" },
  session_id: "on-call-2026-03-01",
  status: "triaged" as const,
  resolution: null,
  resolved_by: null,
  resolved_at: null,
  worked: null,
  reported_by: "service",
  previous_id: null,
  benign: false,
  domain: { name: "docker" as const, rule: "label container_runtime=docker" },
  incident_type: { name: "oom_killed", rule: 'words "exited with code 137"' },
};

// The table holds the rule that chose the domain or the type in a column of its own; the response groups them.
export const incidentSchema = incidentRowSchema
  .omit({ domain: true, domain_rule: true, incident_type: true, incident_type_rule: true })
  .extend({
    domain: domainResultSchema,
    incident_type: z.object({ name: z.string(), rule: z.string() }),
  })
  .openapi({ example: INCIDENT_EXAMPLE });

const STEPS_EXAMPLE = incidentSteps(TRIAGE_EXAMPLE, []).map((step, i) =>
  i === 0 ? { ...step, done: true, by: "dana", at: "2026-03-01T03:04:00+00:00" } : step,
);

export const incidentDetailSchema = incidentSchema
  .extend({
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
    triage: z.union([triageSchema, z.null()]).openapi({
      description: "The latest triage result; null before the first triage, and when `triage_unreadable` is true.",
    }),
    triage_unreadable: z.boolean().openapi({
      description: "True when a triage result is stored, but in a format that this version of Dejavu cannot read.",
    }),
  })
  .openapi("Incident", {
    example: {
      ...INCIDENT_EXAMPLE,
      logs: "Memory cgroup out of memory: Killed process 4711 (node)",
      events: [
        { at: "2026-03-01T03:00:00+00:00", kind: "reported", detail: {} },
        {
          at: "2026-03-01T03:00:02+00:00",
          kind: "triaged",
          detail: { mode: "extractive", outcome: "cause", confidence: 0.86 },
        },
      ],
      steps: STEPS_EXAMPLE,
      run: null,
      queued_at: null,
      alerts: { total: 0, firing: 0, targets: [], latest: [] },
      triage: TRIAGE_EXAMPLE,
      triage_unreadable: false,
    },
  });

export const idParam = z.object({ id: z.uuid() });

export const NO_SUCH_INCIDENT =
  "No incident has this id. One that was answered with persisted: pending is stored within a minute after the database is back. List incidents with GET /v1/incidents.";

export function renderIncident(row: IncidentRow, caller: Caller): z.infer<typeof incidentSchema> {
  const { domain, domain_rule, incident_type, incident_type_rule, ...rest } = row;
  return {
    ...named(caller, rest),
    domain: { name: domain, rule: domain_rule },
    incident_type: { name: incident_type, rule: incident_type_rule },
  };
}

export function renderDetail(record: IncidentWithHistory, caller: Caller): z.infer<typeof incidentDetailSchema> {
  const { events, alerts } = record;
  const { logs, resolved_by_caller, queued_at, ...row } = record.incident;
  const { triage, isUnreadable } = storedTriage(record);
  const ownTriage = triage === null ? null : namedResult(caller, triage);
  return {
    ...renderIncident(row, caller),
    logs,
    events,
    steps: incidentSteps(triage, record.steps),
    run: record.run,
    queued_at,
    alerts,
    triage: ownTriage,
    triage_unreadable: isUnreadable,
  };
}
