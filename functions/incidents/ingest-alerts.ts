// Owns what becomes of alerts that arrive: each is scrubbed and stored, and what is new among them is one incident for all
// that belong together, to be investigated in the background.

import type { RunInBackground } from "../background-tasks.ts";
import type { Alert, AlertDelivery, AlertStatus } from "../schemas/alert.ts";
import { type AlertDecision, type AlertReport, recordAlerts } from "./alert-records.ts";
import { createIncident } from "./create-incident.ts";
import { guardRequest, guardText } from "./guard-request.ts";
import type { IncidentServices } from "./services.ts";

export interface AlertReceipt {
  /** Alerts that were sent, ignored ones included. */
  readonly received: number;
  /** Of those, the ones that were not known. */
  readonly stored: number;
  /** Alerts that the sender left out. */
  readonly truncated: number;
  readonly alerts: readonly HandledAlert[];
  /** Ids of the incidents that were opened. */
  readonly incidents: readonly string[];
}

export interface HandledAlert {
  readonly fingerprint: string;
  readonly status: AlertStatus | null;
  readonly decision: AlertDecision | "ignored";
  /** What decided, in words for a person. */
  readonly rule: string;
  readonly incidentId: string | null;
  /** The incident that covered the same alert before, where a new one was opened. */
  readonly relatedTo: string | null;
}

/** @throws DependencyError when they could not be stored: then the sender has to try again, and nothing is doubled */
export async function ingestAlerts(
  services: IncidentServices,
  { source, alerts, ignored, truncated }: AlertDelivery,
  { reportedBy, runInBackground }: { readonly reportedBy: string; readonly runInBackground: RunInBackground },
): Promise<AlertReceipt> {
  const { background, config, now, log } = services;
  const reply =
    alerts.length === 0
      ? { stored: 0, alerts: [], incidents: [] }
      : // Nobody reads along: in a storm a sender waits for its turn rather than being sent away.
        await recordAlerts(background.database, {
          now: now(),
          windowSeconds: config.ALERT_GROUP_WINDOW_SECONDS,
          reports: alerts.map((alert) => reportOf(services, alert, reportedBy)),
        });
  const { stored, incidents } = reply;
  if (incidents.length > 0) runInBackground(services.enqueueRuns(incidents));
  const received = alerts.length + ignored.length;
  const opened = incidents.length;
  const incident_id = opened === 1 ? incidents[0] : undefined;
  log("info", "alerts.received", { source, received, stored, truncated, opened, incident_id });
  const passed = ignored.map((alert) => ({
    ...alert,
    decision: "ignored" as const,
    incidentId: null,
    relatedTo: null,
  }));
  return { received, stored, truncated, alerts: [...reply.alerts, ...passed], incidents };
}

/** The alert as it may be stored, with the incident that it opens if it is new. */
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
