// Ingests alerts: each is scrubbed and stored, and new alerts that belong together create one incident, which is
// investigated in the background.

import type { RunInBackground } from "../background-tasks.ts";
import type { Alert, AlertDelivery, AlertStatus } from "../schemas/alert.ts";
import { type AlertDecision, type AlertReport, recordAlerts } from "./alert-records.ts";
import { createIncident } from "./create-incident.ts";
import { guardRequest, guardText } from "./guard-request.ts";
import type { IncidentServices } from "./services.ts";

export interface AlertReceipt {
  /** Number of alerts in the webhook, ignored ones included. */
  readonly received: number;
  /** Number of alerts that were stored for the first time. */
  readonly stored: number;
  /** Number of alerts that the sender left out. */
  readonly truncated: number;
  readonly alerts: readonly HandledAlert[];
  /** Ids of the created incidents. */
  readonly incidents: readonly string[];
}

export interface HandledAlert {
  readonly fingerprint: string;
  readonly status: AlertStatus | null;
  readonly decision: AlertDecision | "ignored";
  /** The reason for the decision, for people to read. */
  readonly rule: string;
  readonly incidentId: string | null;
  /** The incident that the same alert belonged to before, when a new one was created. */
  readonly relatedTo: string | null;
}

/** @throws DependencyError when the alerts are not stored; the sender must repeat the webhook, which is safe */
export async function ingestAlerts(
  services: IncidentServices,
  { source, alerts, ignored, truncated }: AlertDelivery,
  { reportedBy, runInBackground }: { readonly reportedBy: string; readonly runInBackground: RunInBackground },
): Promise<AlertReceipt> {
  const { background, config, now, log } = services;
  const result =
    alerts.length === 0
      ? { stored: 0, alerts: [], incidents: [] }
      : // The background timeout: in an alert storm a sender waits rather than being refused.
        await recordAlerts(background.database, {
          now: now(),
          windowSeconds: config.ALERT_GROUP_WINDOW_SECONDS,
          reports: alerts.map((alert) => reportOf(services, alert, reportedBy)),
        });
  const { stored, incidents } = result;
  if (incidents.length > 0) runInBackground(services.enqueueRuns(incidents));
  const received = alerts.length + ignored.length;
  const createdCount = incidents.length;
  const incident_id = createdCount === 1 ? incidents[0] : undefined;
  log("info", "alerts.received", { source, received, stored, truncated, created: createdCount, incident_id });
  const ignoredAlerts = ignored.map((alert) => ({
    ...alert,
    decision: "ignored" as const,
    incidentId: null,
    relatedTo: null,
  }));
  return { received, stored, truncated, alerts: [...result.alerts, ...ignoredAlerts], incidents };
}

/** The scrubbed alert, with the incident that it creates if it is new. */
function reportOf({ now, newId }: IncidentServices, alert: Alert, reportedBy: string): AlertReport {
  const { title, target, severity, labels, description, runbook } = alert;
  const { request, findings } = guardRequest({
    title,
    severity,
    labels,
    reportedBy,
    target: target ?? undefined,
    logs: description ?? undefined,
    runbook: runbook ?? undefined,
  });
  const { lines_removed, redacted } = findings;
  return {
    alert: {
      ...alert,
      alertname: guardText(alert.alertname),
      namespace: alert.namespace === null ? null : guardText(alert.namespace),
    },
    incident: createIncident(request, now(), newId),
    scrubbed: { lines_removed, redacted },
  };
}
