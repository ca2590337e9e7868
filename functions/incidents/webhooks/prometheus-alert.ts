// Alerts in the format that Alertmanager and Grafana share: mapping. Pure functions.

import { generatorExpression } from "../../../lib/checks/promql/generator-expression.ts";
import type { Alert, AlertDelivery, UnstoredAlert } from "../../schemas/alert.ts";
import { boundedLabels, fingerprintOf, fingerprintOfLabels, LIMITS, truncateToLimit } from "./alert-limits.ts";
import { endAfter, startOf } from "./alert-times.ts";
import { lender } from "./common-texts.ts";
import type { PrometheusAlert, PrometheusWebhook } from "./prometheus-schema.ts";
import { severityOf } from "./severity.ts";
import type { DeliveryContext } from "./webhook.ts";

/**
 * The webhook's alerts. Each has the labels and annotations of its group; its own take precedence. An alert that cannot
 * be read is refused, and the others are not: the senders do not repeat a refused webhook.
 */
export function deliveryOf(source: string, webhook: PrometheusWebhook, context: DeliveryContext): AlertDelivery {
  const { readable, leftOut, refused } = webhook.alerts;
  const lendLabels = lender({ ...webhook.commonLabels, ...webhook.groupLabels }, readable.length);
  const lendAnnotations = lender(webhook.commonAnnotations, readable.length);
  const alerts: Alert[] = [];
  const unidentified: UnstoredAlert[] = [];
  for (const alert of readable) {
    const labels = lendLabels(alert.labels);
    const fingerprint = fingerprintOf(alert.fingerprint) ?? fingerprintOfLabels(labels);
    if (fingerprint === null)
      unidentified.push({ fingerprint: "", status: alert.status, rule: "it has neither a fingerprint nor labels" });
    else
      alerts.push({
        source,
        fingerprint,
        ...alertOf({ ...alert, labels, annotations: lendAnnotations(alert.annotations) }, context),
      });
  }
  return {
    source,
    alerts,
    ignored: [],
    refused: [...refused, ...unidentified],
    truncated: webhook.truncatedAlerts + leftOut,
  };
}

function alertOf(
  { labels, annotations, ...alert }: PrometheusAlert,
  { receivedAt, targetOf }: DeliveryContext,
): Omit<Alert, "source" | "fingerprint"> {
  const alertname = truncateToLimit(labels.alertname, LIMITS.name) ?? "unnamed alert";
  const target = truncateToLimit(targetOf(labels), LIMITS.name);
  const headline = annotations.summary ?? annotations.title;
  const runbook = annotations.runbook_url ?? annotations.runbook ?? labels.runbook_url ?? labels.runbook;
  const start = startOf(alert.startsAt, receivedAt);
  return {
    ...start,
    endsAt: alert.status === "resolved" ? endAfter(start.startsAt, alert.endsAt) : null,
    status: alert.status,
    endsLatest: false,
    newStartWhenReopened: false,
    alertname,
    title: truncateToLimit(headline, LIMITS.title) ?? (target === null ? alertname : `${alertname} on ${target}`),
    description: truncateToLimit(describe(annotations, alert.valueString), LIMITS.description),
    severity: severityOf(labels.severity, labels.priority, labels.level),
    target,
    namespace: truncateToLimit(labels.namespace, LIMITS.name),
    labels: boundedLabels(labels),
    runbook: truncateToLimit(runbook, LIMITS.runbook),
    expression: generatorExpression(alert.generatorURL),
  };
}

/** Annotations that are mapped to a field of their own. */
const MAPPED = new Set(["summary", "title", "description", "message", "runbook_url", "runbook"]);

/** The description, then every other annotation by name. Names that begin with `__` are internal to Grafana. */
function describe(annotations: Readonly<Record<string, string>>, values: string | undefined): string {
  const others = Object.entries(annotations)
    .filter(([name]) => !MAPPED.has(name) && !name.startsWith("__"))
    .map(([name, value]) => `${name}: ${value}`);
  const own = annotations.description ?? annotations.message ?? "";
  return [own, ...others, values === undefined ? "" : `values: ${values}`]
    .filter((line) => line.trim() !== "")
    .join("\n");
}
