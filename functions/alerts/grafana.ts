// Owns the webhook of Grafana's alerting. Pure.

import { z } from "@hono/zod-openapi";
import type { Alert, AlertDelivery } from "../memory/alert.ts";
import { alertsOf, prometheusWebhookFields } from "./prometheus-alert.ts";

export const grafanaWebhookSchema = z.object({
  version: z.literal("1", {
    error:
      'must be "1", as Grafana sends it without a custom payload; what Alertmanager sends goes to /v1/alerts/alertmanager',
  }),
  orgId: z.number().int().optional().openapi({ example: 1 }),
  ...prometheusWebhookFields,
});

export function alertsOfGrafana(webhook: z.infer<typeof grafanaWebhookSchema>): AlertDelivery {
  const source = "grafana";
  const alerts = alertsOf(source, webhook);
  return {
    source,
    alerts: alerts.filter((alert) => !isTest(alert)),
    ignored: alerts.filter(isTest).map(({ fingerprint, status }) => ({
      fingerprint,
      status,
      rule: "the test notification of a contact point",
    })),
    truncated: webhook.truncatedAlerts,
  };
}

/** What the button "Test" of a contact point sends. */
function isTest({ alertname, labels }: Alert): boolean {
  return alertname === "TestAlert" && labels.instance === "Grafana";
}
