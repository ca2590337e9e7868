// Owns the alert as Alertmanager writes it, and Grafana after it: its shape, and which part of ours each part is. Pure.

import { z } from "@hono/zod-openapi";
import { labelledDomain } from "../../knowledge/domains/route-domain.ts";
import { ALERT_STATUSES, type Alert, type AlertSource } from "../../schemas/alert.ts";
import { boundedLabels, LIMITS, speaking, truncateToLimit } from "./alert-limits.ts";
import { targetOf } from "./alert-target.ts";
import { endAfter, startTime, time } from "./alert-times.ts";
import { severityOf } from "./severity.ts";

/** Alerts of one webhook: as many as are stored well within a sender's patience. */
const MAX_ALERTS = 2_000;

const texts = z.record(z.string(), z.string());

const prometheusAlertSchema = z.looseObject({
  status: z.enum(ALERT_STATUSES),
  labels: texts,
  annotations: texts.default({}),
  startsAt: startTime,
  endsAt: time.optional().openapi({ description: "When it ended; one before its start says that it has not." }),
  fingerprint: z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters"),
  /** Grafana's: the figures that made it fire. */
  valueString: z.string().optional(),
});
type PrometheusAlert = z.infer<typeof prometheusAlertSchema>;

/** What both webhooks have. Both gain fields from release to release, so unknown ones are let through. */
export const prometheusWebhookFields = {
  status: z.enum(ALERT_STATUSES),
  groupLabels: texts.default({}),
  commonLabels: texts.default({}),
  commonAnnotations: texts.default({}),
  truncatedAlerts: z.number().int().min(0).default(0).openapi({ description: "Alerts that the sender left out." }),
  alerts: z
    .array(prometheusAlertSchema)
    .max(MAX_ALERTS, `must hold at most ${MAX_ALERTS} alerts: set max_alerts where they come from`),
};
type PrometheusWebhook = z.infer<z.ZodObject<typeof prometheusWebhookFields>>;

/** The webhook's alerts; what is said of the whole group holds for each, unless its own labels say otherwise. */
export function alertsOf(source: AlertSource, webhook: PrometheusWebhook): Alert[] {
  const labels = { ...speaking(webhook.commonLabels), ...speaking(webhook.groupLabels) };
  const annotations = speaking(webhook.commonAnnotations);
  return webhook.alerts.map((alert) =>
    alertOf(source, {
      ...alert,
      labels: { ...labels, ...speaking(alert.labels) },
      annotations: { ...annotations, ...speaking(alert.annotations) },
    }),
  );
}

function alertOf(source: AlertSource, { labels, annotations, ...alert }: PrometheusAlert): Alert {
  const alertname = truncateToLimit(labels.alertname, LIMITS.name) ?? "unnamed alert";
  const target = truncateToLimit(targetOf(labels, labelledDomain(labels)?.name), LIMITS.name);
  const headline = annotations.summary ?? annotations.title;
  const runbook = annotations.runbook_url ?? annotations.runbook ?? labels.runbook_url ?? labels.runbook;
  return {
    source,
    fingerprint: alert.fingerprint,
    startsAt: alert.startsAt,
    endsAt: alert.status === "resolved" ? endAfter(alert.startsAt, alert.endsAt) : null,
    status: alert.status,
    endsLatest: false,
    alertname,
    title: truncateToLimit(headline, LIMITS.title) ?? (target === null ? alertname : `${alertname} on ${target}`),
    description: truncateToLimit(describe(annotations, alert.valueString), LIMITS.description),
    severity: severityOf(labels.severity, labels.priority, labels.level),
    target,
    namespace: truncateToLimit(labels.namespace, LIMITS.name),
    labels: boundedLabels(labels),
    runbook: truncateToLimit(runbook, LIMITS.runbook),
  };
}

/** Annotations that have a place of their own. */
const PLACED = new Set(["summary", "title", "description", "message", "runbook_url", "runbook"]);

/** What is wrong in the author's words, then every other annotation by its name; Grafana's internal ones tell nothing. */
function describe(annotations: Readonly<Record<string, string>>, values: string | undefined): string {
  const others = Object.entries(annotations)
    .filter(([name]) => !PLACED.has(name) && !name.startsWith("__"))
    .map(([name, value]) => `${name}: ${value}`);
  const own = annotations.description ?? annotations.message ?? "";
  return [own, ...others, values === undefined ? "" : `values: ${values}`]
    .filter((line) => line.trim() !== "")
    .join("\n");
}
