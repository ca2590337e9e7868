// Alerts in the format that Alertmanager and Grafana share: mapping. Pure functions.

import { generatorExpression } from "../../../lib/checks/promql/generator-expression.ts";
import type { Alert, AlertDelivery, UnstoredAlert } from "../../schemas/alert.ts";
import { isFilled, withLink } from "./alert-from.ts";
import {
  alertFingerprint,
  boundedLabels,
  fingerprintOfLabels,
  LIMITS,
  truncateToLimit,
  withoutBlanks,
} from "./alert-limits.ts";
import { endAfter, startOf } from "./alert-times.ts";
import { type PrometheusAlert, type PrometheusWebhook, refusedAlert } from "./prometheus-schema.ts";
import { severityOf } from "./severity.ts";
import type { DeliveryContext } from "./webhook.ts";

/**
 * The webhook's alerts. Each has the status, labels and annotations of its group; its own take precedence. An alert that cannot
 * be read is refused, and the others are not: the senders do not repeat a refused webhook.
 * @param source the webhook's name, or `pasted` by the command line, which stores nothing
 */
export function deliveryOf(source: string, webhook: PrometheusWebhook, context: DeliveryContext): AlertDelivery {
  const { readable, leftOut, refused } = webhook.alerts;
  const lendLabels = lender({ ...webhook.commonLabels, ...webhook.groupLabels }, readable.length);
  const lendAnnotations = lender(webhook.commonAnnotations, readable.length);
  const alerts: Alert[] = [];
  const unusable: UnstoredAlert[] = [];
  for (const alert of readable) {
    const status = alert.status ?? webhook.status;
    if (status === undefined) {
      unusable.push(refusedAlert(alert));
      continue;
    }
    const labels = lendLabels(alert.labels);
    const fingerprint = alertFingerprint(alert.fingerprint) ?? fingerprintOfLabels(labels);
    if (fingerprint === null)
      unusable.push({ fingerprint: "", status, rule: "it has neither a fingerprint nor labels" });
    else
      alerts.push({
        source,
        fingerprint,
        ...(webhook.groupKey ? { groupKey: webhook.groupKey } : {}),
        ...alertOf(
          { ...alert, status, labels: withUsualNames(labels), annotations: lendAnnotations(alert.annotations) },
          context,
        ),
      });
  }
  return {
    source,
    alerts,
    ignored: [],
    refused: [...refused, ...unusable],
    truncated: webhook.truncatedAlerts + leftOut,
  };
}

/** Silenced and inhibited alerts of a list are expected: they are left out, unless it has no others. */
export function withoutSuppressed<T>(
  alerts: readonly T[],
  isSuppressed: (alert: T) => boolean,
): { readonly shown: readonly T[]; readonly ignored: AlertDelivery["ignored"] } {
  const shown = alerts.filter((alert) => !isSuppressed(alert));
  if (shown.length === 0) return { shown: alerts, ignored: [] };
  const rule = "it is silenced or inhibited";
  const ignored = alerts.slice(shown.length).map((_, i) => ({ fingerprint: `suppressed-${i}`, status: null, rule }));
  return { shown, ignored };
}

function alertOf(
  { labels, annotations, ...alert }: PrometheusAlert & Pick<Alert, "status">,
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
    description: truncateToLimit(describe(annotations, alert), LIMITS.description),
    severity: severityOf(labels.severity, labels.priority, labels.level),
    target,
    namespace: truncateToLimit(labels.namespace, LIMITS.name),
    labels: boundedLabels(labels),
    runbook: truncateToLimit(runbook, LIMITS.runbook),
    expression: generatorExpression(alert.generatorURL),
  };
}

/** Names of OpenTelemetry's conventions, as Prometheus has them with dots or with underscores. */
const CONVENTION =
  /^(?:k8s[._](namespace|node|pod|container|deployment|statefulset|daemonset|replicaset|cronjob)|(host)|(service)(?=\.))[._]name$/;

/** The labels, with those of OpenTelemetry also under the names that the exporters of Prometheus use: `k8s.pod.name` as `pod`. */
function withUsualNames(labels: Texts): Texts {
  const usual = Object.entries(labels).flatMap(([name, value]) => {
    const short = CONVENTION.exec(name)?.slice(1).find(Boolean);
    return short === undefined ? [] : [[short, value] as const];
  });
  return { ...Object.fromEntries(usual), ...labels };
}

/** Annotations that are mapped to a field of their own. */
const MAPPED = new Set(["summary", "title", "description", "message", "runbook_url", "runbook"]);

/** The description, every other annotation by name, and the links. Names that begin with `__` are internal to Grafana. */
function describe(
  annotations: Readonly<Record<string, string>>,
  alert: Pick<PrometheusAlert, "valueString" | "silenceURL" | "panelURL" | "dashboardURL" | "generatorURL">,
): string {
  const others = Object.entries(annotations)
    .filter(([name]) => !MAPPED.has(name) && !name.startsWith("__"))
    .map(([name, value]) => `${name}: ${value}`);
  const own = annotations.description ?? annotations.message ?? "";
  const { valueString, silenceURL, panelURL, dashboardURL, generatorURL } = alert;
  const values = isFilled(valueString) ? `values: ${valueString}` : "";
  const silence = isFilled(silenceURL) ? `silence: ${silenceURL}` : "";
  const link = [panelURL, dashboardURL, generatorURL].find(isFilled);
  return withLink([own, ...others, values, silence].filter(isFilled).join("\n"), link);
}

/** Characters of common entries for all alerts of a request together; each alert gets an equal share. */
const MAX_LENT_CHARS = 100_000;

type Texts = Readonly<Record<string, string>>;

/**
 * @param common entries of the group; the first 64 that fit into an alert's share are added
 * @param alerts number of alerts that share the limit
 * @returns adds the common entries to an alert's own, which take precedence; blank ones are dropped
 */
function lender(common: Texts, alerts: number): (own: Texts) => Texts {
  const entries = firstEntries(common);
  const room = Math.floor(MAX_LENT_CHARS / Math.max(1, alerts));
  return (own) => {
    const texts = withoutBlanks(own);
    const added: [string, string][] = [];
    let used = 0;
    for (const [name, text] of entries) {
      if (Object.hasOwn(texts, name)) continue;
      const size = name.length + text.length;
      if (used + size > room) continue;
      used += size;
      added.push([name, text]);
    }
    return added.length === 0 ? texts : Object.fromEntries([...Object.entries(texts), ...added]);
  };
}

function firstEntries(common: Texts): [string, string][] {
  const entries = Object.entries(common).slice(0, LIMITS.labels);
  return Object.entries(withoutBlanks(Object.fromEntries(entries)));
}
