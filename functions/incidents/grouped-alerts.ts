// The alerts that belong to an incident: schemas, and their summary for the investigation.

import { z } from "zod";
import { ALERT_STATUSES } from "../schemas/alert.ts";
import type { Incident } from "../schemas/incident.ts";
import { ALERT_SOURCES } from "./webhooks/index.ts";

/** Equal to the limit in the SQL function `grouped_alerts`. */
const MAX_TARGETS = 50;

export const groupedAlertsSchema = z.object({
  total: z.number().int(),
  firing: z.number().int(),
  targets: z.array(z.string()).describe(`The first ${MAX_TARGETS} in the order of arrival.`),
});
export type GroupedAlerts = z.infer<typeof groupedAlertsSchema>;

/** Where they fire or fired, such as `15 services`; null for one target. */
export const placeSchema = z.string().nullable();

export const incidentAlertsSchema = groupedAlertsSchema.extend({
  place: placeSchema,
  latest: z
    .array(
      z.object({
        source: z.enum(ALERT_SOURCES),
        fingerprint: z.string(),
        status: z.enum(ALERT_STATUSES),
        starts_at: z.string(),
        ends_at: z.string().nullable(),
        severity: z.string(),
        title: z.string(),
        target: z.string().nullable(),
        namespace: z.string().nullable(),
        times: z.number().int().describe("Number of firing notifications."),
        received_at: z.string(),
        last_received_at: z.string(),
        decision: z.enum(["created", "grouped"]),
        rule: z.string().describe("The reason for the decision."),
      }),
    )
    .describe("The newest 100."),
});

/**
 * Adds a summary of all alerts to the incident's logs: the report describes one alert only. It shows no failure, so the
 * evidence stays as it is.
 */
export function withAlerts(incident: Incident, { total, firing, targets }: GroupedAlerts): Incident {
  if (total < 2) return incident;
  const ended = firing === total ? "" : `, ${total - firing} have ended`;
  const where =
    targets.length === 0 ? "." : `: targets ${targets.join(", ")}${targets.length < MAX_TARGETS ? "" : ", …"}`;
  const summary = `${firing} alerts of this kind fire${ended}${where}`;
  return { ...incident, logs: incident.logs === null ? summary : `${summary}\n${incident.logs}` };
}
