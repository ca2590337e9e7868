// Ingestion of alerts. Each alert is scrubbed and stored. New alerts of one name and domain create one incident, which
// is queued for its investigation.

import type { RunInBackground } from "../background-tasks.ts";
import { domainCatalog } from "../knowledge/domain-store.ts";
import { type DomainCatalog, EMPTY_CATALOG } from "../knowledge/domains/domain-catalog.ts";
import type { Alert, AlertDelivery, AlertStatus, UnstoredAlert } from "../schemas/alert.ts";
import { storeOrBuffer } from "../write-buffer.ts";
import { type AlertDecision, type AlertReport, alertArguments, bufferedAlerts, recordAlerts } from "./alert-records.ts";
import { createIncident, type TriageRequest } from "./create-incident.ts";
import type { IncidentServices } from "./incident-services.ts";
import { LIMITS } from "./webhooks/alert-limits.ts";

export interface AlertReceipt {
  /** Number of alerts that were read, ignored and refused ones included. */
  readonly received: number;
  /** Number of alerts that were stored for the first time. */
  readonly stored: number;
  /** Number of alerts that were left out, by the sender or because a request has too many. */
  readonly truncated: number;
  /** Number of alerts that are not stored because too many incidents wait. The sender must repeat the request. */
  readonly postponed: number;
  readonly alerts: readonly HandledAlert[];
  /** Ids of the created incidents. */
  readonly incidents: readonly string[];
  /** `pending`: the database is unavailable; the queue keeps the alerts, and grouping is decided when they are stored. */
  readonly persisted: true | "pending";
}

export interface HandledAlert {
  readonly fingerprint: string;
  readonly status: AlertStatus | null;
  readonly decision: AlertDecision | "ignored" | "refused" | "pending";
  /** The reason for the decision, for people to read. */
  readonly rule: string;
  readonly incidentId: string | null;
  /** For an alert that created an incident: the earlier incident of the same alert. Null for a first occurrence. */
  readonly relatedTo: string | null;
}

/**
 * Stores the alerts of one webhook request. A repeated call stores nothing twice. Alerts of other owners are not touched:
 * the sender chooses fingerprints, names and times.
 * @throws DependencyError when the alerts are neither stored nor buffered; the sender must repeat the request
 */
export async function ingestAlerts(
  services: IncidentServices,
  { source, alerts, ignored, refused, truncated }: AlertDelivery,
  {
    reportedBy,
    owner,
    runInBackground,
  }: { readonly reportedBy: string; readonly owner: string; readonly runInBackground: RunInBackground },
): Promise<AlertReceipt> {
  const { background, config, now, log } = services;
  const catalog = alerts.length === 0 ? EMPTY_CATALOG : await domainCatalog(services);
  const at = now();
  const args = alertArguments({
    now: at,
    owner,
    windowSeconds: config.ALERT_GROUP_WINDOW_SECONDS,
    groupLabels: config.ALERT_GROUP_LABELS,
    waitingLimit: config.MAX_WAITING_INCIDENTS,
    reports: alerts
      .map((alert) => withGroup(alert, config.ALERT_GROUP_LABELS))
      .map((alert) => reportOf({ ...services, now: () => at }, alert, { catalog, reportedBy })),
  });
  const result: IngestedAlerts =
    alerts.length === 0
      ? { ...NOTHING_STORED, persisted: true }
      : await storeOrBuffer<IngestedAlerts>(services, {
          writes: () => bufferedAlerts(args, at),
          // The background database has a longer timeout: in an alert storm the sender waits and gets no error.
          store: async () => ({ ...(await recordAlerts(background.database, args)), persisted: true }),
          pending: () => pendingAlerts(alerts),
        });
  const { stored, incidents, postponed, persisted } = result;
  if (incidents.length > 0) runInBackground(services.enqueueRuns(incidents));
  if (alerts.length > 0 && persisted === true) runInBackground(services.deliverNotifications());
  const received = alerts.length + ignored.length + refused.length;
  const createdCount = incidents.length;
  const incident_id = createdCount === 1 ? incidents[0] : undefined;
  log("info", "alerts.received", { source, received, stored, truncated, created: createdCount, incident_id });
  if (refused.length > 0) log("warn", "alerts.refused", { source, refused: refused.length });
  if (postponed > 0) log("warn", "alerts.postponed", { source, postponed });
  const unstored = [...unstoredAlerts(ignored, "ignored"), ...unstoredAlerts(refused, "refused")];
  return { received, stored, truncated, postponed, alerts: [...result.alerts, ...unstored], incidents, persisted };
}

/** Name among the labels for grouping that stands for the group of the sender. */
const SENDERS_GROUP = "groupKey";

/** The alert with the group of its sender as a label, if alerts are grouped by it. */
function withGroup(alert: Alert, groupLabels: readonly string[]): Alert {
  const { groupKey, labels } = alert;
  const isWanted = groupKey !== undefined && groupLabels.includes(SENDERS_GROUP);
  return isWanted ? { ...alert, labels: { ...labels, [SENDERS_GROUP]: groupKey.slice(0, LIMITS.labelValue) } } : alert;
}

const NOTHING_STORED = { stored: 0, alerts: [], incidents: [], postponed: 0 };

type IngestedAlerts = Pick<AlertReceipt, "stored" | "alerts" | "incidents" | "postponed" | "persisted">;

function pendingAlerts(alerts: readonly Alert[]): IngestedAlerts {
  const pending = alerts.map(({ fingerprint, status }) => ({
    fingerprint,
    status,
    decision: "pending" as const,
    rule: "stored when the database is back",
    incidentId: null,
    relatedTo: null,
  }));
  return { ...NOTHING_STORED, alerts: pending, persisted: "pending" };
}

function unstoredAlerts(alerts: readonly UnstoredAlert[], decision: "ignored" | "refused"): HandledAlert[] {
  return alerts.map((alert) => ({ ...alert, decision, incidentId: null, relatedTo: null }));
}

/** The report that an alert is. */
export function reportOfAlert({
  title,
  target,
  severity,
  labels,
  description,
  runbook,
  expression,
}: Alert): TriageRequest {
  return {
    title,
    severity,
    labels,
    target: target ?? undefined,
    logs: description ?? undefined,
    runbook: runbook ?? undefined,
    expression: expression ?? undefined,
  };
}

/** The scrubbed alert, and the incident to store in case the database decides that the alert creates one. */
function reportOf(
  { guard, now, newId }: Pick<IncidentServices, "guard" | "now" | "newId">,
  alert: Alert,
  { catalog, reportedBy }: { readonly catalog: DomainCatalog; readonly reportedBy: string },
): AlertReport {
  const { request, findings } = guard.request({ ...reportOfAlert(alert), reportedBy });
  const { lines_removed, redacted } = findings;
  return {
    alert: {
      ...alert,
      alertname: guard.text(alert.alertname),
      namespace: alert.namespace === null ? null : guard.text(alert.namespace),
    },
    incident: createIncident(request, { catalog, now: now(), newId }),
    scrubbed: { lines_removed, redacted },
  };
}
