// Owns what is told of the alerts that an incident covers: to whoever reads the incident, and to its investigation.

import { z } from "zod";
import { ALERT_STATUSES } from "../schemas/alert.ts";
import type { Incident } from "../schemas/incident.ts";
import { ALERT_SOURCES } from "./webhooks/index.ts";

/** As the SQL function `grouped_alerts` has it. */
const MAX_TARGETS = 50;

export const groupedAlertsSchema = z.object({
  total: z.number().int(),
  firing: z.number().int(),
  targets: z.array(z.string()).describe(`The first ${MAX_TARGETS} in the order of arrival.`),
});
export type GroupedAlerts = z.infer<typeof groupedAlertsSchema>;

export const incidentAlertsSchema = groupedAlertsSchema.extend({
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
        times: z.number().int().describe("How often it was said to fire."),
        received_at: z.string(),
        last_received_at: z.string(),
        decision: z.enum(["created", "grouped"]),
        rule: z.string().describe("What decided."),
      }),
    )
    .describe("The newest 100."),
});

/** The incident, told of all its alerts: a report of one of them says nothing of the others. */
export function withAlerts(incident: Incident, { total, firing, targets }: GroupedAlerts): Incident {
  if (total < 2) return incident;
  const ended = firing === total ? "" : `, ${total - firing} have ended`;
  const where =
    targets.length === 0 ? "." : `: targets ${targets.join(", ")}${targets.length < MAX_TARGETS ? "" : ", …"}`;
  const told = `${firing} alerts of this kind fire${ended}${where}`;
  return { ...incident, logs: incident.logs === null ? told : `${told}\n${incident.logs}` };
}
