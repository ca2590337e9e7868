// Alerts in the format that Alertmanager and Grafana share: schema and mapping. Pure functions.

import { z } from "@hono/zod-openapi";
import { ALERT_STATUSES, type Alert } from "../../schemas/alert.ts";
import { boundedLabels, LIMITS, truncateToLimit, withoutBlanks } from "./alert-limits.ts";
import type { TargetOf } from "./alert-target.ts";
import { endAfter, startTime, time } from "./alert-times.ts";
import { severityOf } from "./severity.ts";

/** Alerts in one webhook: a number that is stored well within a sender's timeout. */
const MAX_ALERTS = 2_000;

const texts = z.record(z.string(), z.string());

const prometheusAlertSchema = z.looseObject({
  status: z.enum(ALERT_STATUSES),
  labels: texts,
  annotations: texts.default({}),
  startsAt: startTime,
  endsAt: time
    .optional()
    .openapi({ description: "When it ended. An end before the start means that it has not ended." }),
  fingerprint: z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters"),
  /** Grafana only: the measured values that made it fire. */
  valueString: z.string().optional(),
});
type PrometheusAlert = z.infer<typeof prometheusAlertSchema>;

/** The fields that both webhooks have. */
export const prometheusWebhookFields = {
  status: z.enum(ALERT_STATUSES),
  groupLabels: texts.default({}),
  commonLabels: texts.default({}),
  commonAnnotations: texts.default({}),
  truncatedAlerts: z
    .number()
    .int()
    .min(0)
    .default(0)
    .openapi({ description: "Number of alerts that the sender left out." }),
  alerts: z
    .array(prometheusAlertSchema)
    .max(MAX_ALERTS, `must hold at most ${MAX_ALERTS} alerts: set max_alerts in the sender`),
};
export const WHEN_TOO_LARGE = "Set max_alerts in the receiver, 500 for example, so that it sends fewer alerts at once.";

type PrometheusWebhook = z.infer<z.ZodObject<typeof prometheusWebhookFields>>;

/** The webhook's alerts. Each has the labels and annotations of its group; its own take precedence. */
export function alertsOf(source: string, webhook: PrometheusWebhook, targetOf: TargetOf): Alert[] {
  const labels = { ...withoutBlanks(webhook.commonLabels), ...withoutBlanks(webhook.groupLabels) };
  const annotations = withoutBlanks(webhook.commonAnnotations);
  return webhook.alerts.map((alert) =>
    alertOf(source, targetOf, {
      ...alert,
      labels: { ...labels, ...withoutBlanks(alert.labels) },
      annotations: { ...annotations, ...withoutBlanks(alert.annotations) },
    }),
  );
}

function alertOf(source: string, targetOf: TargetOf, { labels, annotations, ...alert }: PrometheusAlert): Alert {
  const alertname = truncateToLimit(labels.alertname, LIMITS.name) ?? "unnamed alert";
  const target = truncateToLimit(targetOf(labels), LIMITS.name);
  const headline = annotations.summary ?? annotations.title;
  const runbook = annotations.runbook_url ?? annotations.runbook ?? labels.runbook_url ?? labels.runbook;
  return {
    source,
    fingerprint: alert.fingerprint,
    startsAt: alert.startsAt,
    endsAt: alert.status === "resolved" ? endAfter(alert.startsAt, alert.endsAt) : null,
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
