// Owns alerts on record: storing those that arrive, and what is shown of those that an incident covers. One SQL function
// decides about all alerts of a webhook, so that of any number of deliveries each alert is stored once.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { ALERT_STATUSES, type Alert } from "../schemas/alert.ts";
import type { Incident } from "../schemas/incident.ts";
import type { ScrubbedReport } from "./incident-queue.ts";
import { incidentColumns } from "./run-records.ts";

/**
 * - `new`: it opened an incident
 * - `same`: it is known
 * - `related`: an open incident covers it
 * - `resolved`: it ended
 */
export const ALERT_DECISIONS = ["new", "same", "related", "resolved"] as const;
export type AlertDecision = (typeof ALERT_DECISIONS)[number];

export interface AlertReport {
  /** Title, target, labels and the rest that it shares with the incident are taken from there, where they are scrubbed. */
  readonly alert: Pick<
    Alert,
    "source" | "fingerprint" | "startsAt" | "endsAt" | "status" | "endsLatest" | "alertname" | "namespace"
  >;
  /** Stored if the alert opens one. */
  readonly incident: Incident;
  readonly scrubbed: ScrubbedReport;
}

const ingestResultSchema = z.object({
  stored: z.number().int(),
  alerts: z.array(
    z
      .object({
        fingerprint: z.string(),
        status: z.enum(ALERT_STATUSES),
        decision: z.enum(ALERT_DECISIONS),
        rule: z.string(),
        incident_id: z.string().nullable(),
        related_to: z.string().nullable(),
      })
      .transform(({ incident_id, related_to, ...rest }) => ({
        ...rest,
        incidentId: incident_id,
        relatedTo: related_to,
      })),
  ),
  incidents: z.array(z.string()),
});

/** What became of the alerts, in the order in which they were sent, and the incidents that were opened. */
export type IngestResult = z.infer<typeof ingestResultSchema>;

/** Stores alerts, opens incidents for them and ends what ended, all or nothing; may be repeated. @throws DependencyError */
export async function recordAlerts(
  database: Database,
  {
    now,
    windowSeconds,
    reports,
  }: {
    readonly now: Date;
    /** Alerts of one name and domain within it are one incident. */
    readonly windowSeconds: number;
    readonly reports: readonly AlertReport[];
  },
): Promise<IngestResult> {
  const p = {
    now: now.toISOString(),
    window_seconds: windowSeconds,
    alerts: reports.map(({ alert, incident, scrubbed }) => ({
      ...incidentColumns(incident),
      guardrails: scrubbed,
      source: alert.source,
      fingerprint: alert.fingerprint,
      starts_at: alert.startsAt.toISOString(),
      ends_at: alert.endsAt?.toISOString() ?? null,
      status: alert.status,
      ends_latest: alert.endsLatest,
      alertname: alert.alertname,
      namespace: alert.namespace,
    })),
  };
  return database.call("receive_alerts", { p }, ingestResultSchema, { retries: 1 });
}
