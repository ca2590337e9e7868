// Webhook of Google Cloud Monitoring, version 1.2: one incident of one alerting policy.
// https://cloud.google.com/monitoring/support/notification-options#webhooks

import { z } from "@hono/zod-openapi";
import type { AlertDelivery, AlertStatus } from "../../schemas/alert.ts";
import { alertFrom, deliveryFrom } from "./alert-from.ts";
import { optional, optionalNumber, optionalText, optionalTexts } from "./optional-fields.ts";
import type { DeliveryContext, Webhook } from "./webhook.ts";

const incidentSchema = z.looseObject({
  incident_id: z.string().min(1),
  state: z.string(),
  scoping_project_id: optionalText,
  url: optionalText,
  severity: optionalText,
  /** Unix times in seconds. */
  started_at: optionalNumber,
  ended_at: optionalNumber,
  summary: optionalText,
  observed_value: optionalText,
  threshold_value: optionalText,
  policy_name: optionalText,
  policy_user_labels: optionalTexts,
  condition_name: optionalText,
  condition: optional(z.looseObject({ name: optionalText }), "object"),
  resource: optional(z.looseObject({ type: optionalText, labels: optionalTexts }), "object"),
  resource_name: optionalText,
  resource_display_name: optionalText,
  metric: optional(z.looseObject({ type: optionalText, labels: optionalTexts }), "object"),
  metadata: optional(z.looseObject({ user_labels: optionalTexts }), "object"),
  documentation: optional(
    z.looseObject({
      content: optionalText,
      links: optional(z.array(z.looseObject({ displayName: optionalText, url: optionalText })), "array"),
    }),
    "object",
  ),
});
type Incident = z.infer<typeof incidentSchema>;

const EXAMPLE = {
  version: "1.2",
  incident: {
    incident_id: "0.mz4b7xk2p1qd",
    state: "open",
    url: "https://console.cloud.google.com/monitoring/alerting/alerts/0.mz4b7xk2p1qd?project=shop-prod",
    severity: "Error",
    started_at: 1772333700,
    ended_at: null,
    summary: "CPU utilization for shop-prod orders-db is above the threshold of 0.900 with a value of 0.973.",
    resource: { type: "gce_instance", labels: { instance_id: "11223344", zone: "europe-west3-a" } },
    resource_display_name: "orders-db",
    policy_name: "orders-db CPU",
    condition_name: "CPU above 90 %",
    documentation: { content: "Runbook: https://wiki.example/runbooks/orders-db-cpu", mime_type: "text/markdown" },
  },
};

const schema = z
  .looseObject({ version: z.string().optional(), incident: incidentSchema })
  .openapi({ example: EXAMPLE });

const STATUS: ReadonlyMap<string, AlertStatus> = new Map([
  ["open", "firing"],
  ["closed", "resolved"],
]);

export const googleCloud: Webhook<"google-cloud", typeof schema> = {
  name: "google-cloud",
  summary: "Take the webhook of Google Cloud Monitoring, version 1.2",
  description: "An open incident is an alert, which ends when the incident is closed.",
  schema,
  authentication: { kind: "bearer" },
  whenTooLarge: "Shorten the documentation of the alerting policy.",
  toAlerts({ version, incident }, context): AlertDelivery {
    const status = STATUS.get(incident.state.toLowerCase());
    const ignored = (rule: string) => deliveryFrom("google-cloud", null, [{ fingerprint: "", status: null, rule }]);
    if (version === "test") return ignored("the test notification of a notification channel");
    return status === undefined
      ? ignored("its state is neither open nor closed")
      : deliveryFrom("google-cloud", alertOf(incident, status, context));
  },
};

function alertOf(incident: Incident, status: AlertStatus, context: DeliveryContext) {
  const { condition_name, documentation, metric, observed_value, policy_name, resource, summary } = incident;
  const objectLabels: Record<string, string> = { ...metric?.labels, ...resource?.labels };
  // A database of Cloud SQL has its project in front.
  const object = context.targetOf(objectLabels)?.replace(`${objectLabels.project_id}:`, "");
  const userLabels: Record<string, string> = { ...incident.metadata?.user_labels, ...incident.policy_user_labels };
  const links = (documentation?.links ?? []).map(({ displayName, url }) => `${displayName ?? "link"}: ${url ?? ""}`);
  return alertFrom(
    {
      source: "google-cloud",
      id: conditionId(incident, objectLabels),
      status,
      startsAt: dateOf(incident.started_at),
      endsAt: dateOf(incident.ended_at),
      endsLatest: false,
      name: policy_name ?? condition_name,
      title: summary,
      description: [
        condition_name && `condition: ${condition_name}`,
        observed_value && `value: ${observed_value}, threshold: ${incident.threshold_value ?? "none"}`,
        documentation?.content,
        ...links,
      ],
      link: incident.url,
      severity: [incident.severity, userLabels.severity],
      target: incident.resource_display_name ?? object ?? incident.resource_name,
      labels: {
        ...objectLabels,
        ...userLabels,
        severity: incident.severity ?? userLabels.severity,
        project: incident.scoping_project_id,
        resource_type: resource?.type,
        metric_type: metric?.type,
      },
    },
    context,
  );
}

/** Identifies the condition and the object. Each time that it is met, the incident has another id. */
function conditionId({ condition, incident_id }: Incident, objectLabels: Readonly<Record<string, string>>): string {
  if (!condition?.name) return incident_id;
  return JSON.stringify([condition.name, ...Object.entries(objectLabels).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function dateOf(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1_000);
}
