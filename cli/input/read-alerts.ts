// Alerts as monitoring systems send and list them, in JSON or as a table, detected by their shape. Pure functions.

import { tableAlerts } from "../../functions/incidents/webhooks/alert-table.ts";
import { createTargetOf } from "../../functions/incidents/webhooks/alert-target.ts";
import { azure } from "../../functions/incidents/webhooks/azure.ts";
import { cloudwatch } from "../../functions/incidents/webhooks/cloudwatch.ts";
import { datadog } from "../../functions/incidents/webhooks/datadog.ts";
import { googleCloud } from "../../functions/incidents/webhooks/google-cloud.ts";
import type { DeliveryContext, Webhook } from "../../functions/incidents/webhooks/webhook.ts";
import { EMPTY_CATALOG } from "../../functions/knowledge/domains/domain-catalog.ts";
import type { Alert, AlertDelivery } from "../../functions/schemas/alert.ts";
import { SEVERITIES } from "../../functions/schemas/incident.ts";
import { eventOf, opsgenieAlerts, pagerdutyAlerts } from "./incident-alerts.ts";
import { legacyAlert, prometheusAlerts } from "./prometheus-alerts.ts";
import type { TriageBody } from "./triage-body.ts";

/** Alerts that are triaged at once. */
const MAX_ALERTS = 10;

export interface AlertRequests {
  readonly requests: readonly TriageBody[];
  readonly notes: readonly string[];
}

/**
 * The firing alerts, the most severe first, and notes on those that are left out. Null for a text that holds no alerts.
 * @throws CommandError for an event that resolves an alert
 */
export function readAlerts(text: string, now: Date): AlertRequests | null {
  const context = { receivedAt: now, targetOf: createTargetOf(EMPTY_CATALOG) };
  const payload = jsonOf(text);
  if (payload === undefined) {
    const table = tableAlerts(text, context);
    return table && chooseAlerts(table);
  }
  if (Array.isArray(payload) && payload.length === 0)
    return {
      requests: [],
      notes: ["The input is an empty JSON list: no alert is firing, so there is nothing to triage."],
    };
  const event = eventOf(payload);
  if (event !== null) return { requests: [event], notes: [] };
  const delivery =
    prometheusAlerts(payload, context) ??
    legacyAlert(payload, context) ??
    pagerdutyAlerts(payload, context) ??
    opsgenieAlerts(payload, context) ??
    cloudAlerts(payload, context);
  return delivery === null ? null : chooseAlerts(delivery);
}

/** Webhooks that are read as they are sent. */
const CLOUD_WEBHOOKS: readonly Webhook[] = [cloudwatch, azure, googleCloud, datadog];

/** Null for another shape. */
function cloudAlerts(payload: unknown, context: DeliveryContext): AlertDelivery | null {
  for (const { schema, toAlerts } of CLOUD_WEBHOOKS) {
    const parsed = schema.safeParse(payload);
    const delivery = parsed.success ? toAlerts(parsed.data, context) : null;
    if (delivery !== null && delivery.refused.length === 0) return delivery;
  }
  return null;
}

function jsonOf(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: any other text.
    return undefined;
  }
}

function chooseAlerts({ alerts, ignored, truncated }: AlertDelivery): AlertRequests {
  const firing = alerts.filter(({ status }) => status === "firing");
  const resolved = alerts.length - firing.length;
  const notes = [
    ...(resolved > 0 ? [`${count(resolved, "resolved alert")} skipped.`] : []),
    ...[...new Set(ignored.map(({ rule }) => rule))].map(
      (rule) => `${count(ignored.filter((each) => each.rule === rule).length, "alert")} skipped: ${rule}.`,
    ),
    ...(truncated > 0 ? [`The sender left out ${count(truncated, "alert")}.`] : []),
  ];
  if (firing.length === 0)
    return { requests: [], notes: ["No alert is firing, so there is nothing to triage.", ...notes] };
  const bySeverity = firing.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  const chosen = bySeverity.slice(0, MAX_ALERTS);
  if (chosen.length < firing.length)
    notes.push(`${firing.length} alerts are firing; the ${MAX_ALERTS} most severe are triaged.`);
  return { requests: chosen.map(bodyOf), notes };
}

function bodyOf({ title, severity, labels, target, description, runbook }: Alert): TriageBody {
  return {
    title,
    severity,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(target === null ? {} : { target }),
    ...(description === null ? {} : { logs: description }),
    ...(runbook === null ? {} : { runbook_url: runbook }),
  };
}

function count(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? "" : "s"}`;
}
