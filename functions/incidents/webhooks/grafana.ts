// Owns the webhook of Grafana's alerting. Pure.

import { z } from "@hono/zod-openapi";
import type { Alert, AlertDelivery } from "../../schemas/alert.ts";
import { alertsOf, prometheusWebhookFields } from "./prometheus-alert.ts";

const EXAMPLE = {
  version: "1",
  orgId: 1,
  groupKey: '{}/{}:{alertname="Container restarts"}',
  truncatedAlerts: 0,
  status: "firing",
  receiver: "dejavu",
  title: "[FIRING:1] Container restarts (api-gateway)",
  alerts: [
    {
      status: "firing",
      labels: { alertname: "Container restarts", name: "api-gateway", severity: "major" },
      annotations: { summary: "api-gateway exited with code 137" },
      startsAt: "2026-03-01T03:56:03.157076+01:00",
      endsAt: "0001-01-01T00:00:00Z",
      fingerprint: "c6eadffa33fcdf37",
      valueString: "[ var='B' labels={name=api-gateway} value=5 ]",
    },
  ],
};

export const grafanaWebhookSchema = z
  .looseObject({
    version: z.literal("1", {
      error:
        'must be "1", as Grafana sends it without a custom payload; what Alertmanager sends goes to /v1/alerts/alertmanager',
    }),
    ...prometheusWebhookFields,
  })
  .openapi({ example: EXAMPLE });

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
