// What a triage observed of the running system without a runbook: the alert's own expression, its object in a cluster, other
// alerts and recent changes.

import { z } from "zod";
import { SEVERITIES } from "./incident-values.ts";

const timestamp = z.string().describe("ISO 8601.");
const place = {
  source: z.string().describe("Name of the source of evidence."),
  link: z.string().nullable().describe("A page that shows it in the source; null if the source has none."),
};

const expressionSchema = z.object({
  ...place,
  query: z.string(),
  start: timestamp,
  end: timestamp,
  series: z
    .array(
      z.object({
        labels: z.record(z.string(), z.string()),
        points: z
          .array(z.tuple([z.number().int(), z.number().nullable()]))
          .describe("Seconds since 1970 and the value, at most 60; null for NaN and infinite values."),
      }),
    )
    .describe("At most 20."),
});

const objectSchema = z.object({
  ...place,
  kind: z.string(),
  namespace: z.string().nullable(),
  name: z.string(),
  state: z.string().describe("One line, such as `Running, not ready, 7 restarts`."),
  owner: z.string().nullable().describe("Such as `Deployment checkout`."),
  facts: z.array(z.string()).describe("One line each: last termination, conditions, limits."),
  events: z
    .array(
      z.object({
        at: timestamp.nullable(),
        type: z.string(),
        reason: z.string(),
        message: z.string(),
        count: z.number().int(),
      }),
    )
    .describe("Newest first, at most 10; warnings before others."),
});

const otherAlertSchema = z.object({
  incident_id: z.string(),
  alertname: z.string(),
  title: z.string(),
  severity: z.enum(SEVERITIES),
  target: z.string().nullable(),
  starts_at: timestamp,
  shared_labels: z.record(z.string(), z.string()).describe("Labels that both alerts have with the same value."),
});

const originSchema = z
  .object({
    level: z.enum(["host", "service", "instance"]),
    object: z.string(),
    probability: z.number().describe("That the storm began here, among all objects that alert; 0.5 to less than 1."),
    incident_id: z.string().describe("The incident of the first alert that names it."),
    alerts: z.number().int(),
    objects: z.number().int(),
    since: timestamp,
  })
  .describe("Where alerts on at least three objects that belong together began.");

export const CHANGE_KINDS = ["deployment", "release", "push", "configuration", "other"] as const;

export const recentChangeSchema = z.object({
  id: z.string(),
  kind: z.enum(CHANGE_KINDS),
  service: z.string(),
  environment: z.string().nullable(),
  title: z.string(),
  version: z.string().nullable(),
  by: z.string().nullable(),
  url: z.string().nullable(),
  at: timestamp,
  minutes_before: z
    .number()
    .describe(
      "Minutes between the change and the start of the incident; negative for an event after the start, such as the end of a rollout.",
    ),
});

export const liveEvidenceSchema = z.object({
  expression: expressionSchema.nullable().describe("The alert's own expression around its start."),
  object: objectSchema.nullable().describe("The object of the alert in its cluster."),
  other_alerts: z.array(otherAlertSchema).describe("Other alerts that fire since shortly before, at most 10."),
  origin: originSchema.nullable(),
  changes: z.object({
    reported: z
      .boolean()
      .describe("Whether changes are reported for this service, so that an empty list means something."),
    recent: z
      .array(recentChangeSchema)
      .describe("From two hours before the start to 5 minutes after it, nearest first, at most 10."),
  }),
});

/** Without a source of evidence, and where the database is unavailable. */
export const NOTHING_OBSERVED: z.infer<typeof liveEvidenceSchema> = {
  expression: null,
  object: null,
  other_alerts: [],
  origin: null,
  changes: { reported: false, recent: [] },
};

export type LiveEvidence = z.infer<typeof liveEvidenceSchema>;
export type ObservedExpression = z.infer<typeof expressionSchema>;
export type ObservedObject = z.infer<typeof objectSchema>;
export type OtherAlert = z.infer<typeof otherAlertSchema>;
export type RecentChange = z.infer<typeof recentChangeSchema>;
