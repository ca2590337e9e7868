// Owns the webhook of Prometheus' Alertmanager, version 4. Pure.

import { z } from "@hono/zod-openapi";
import type { AlertDelivery } from "../memory/alert.ts";
import { alertsOf, prometheusWebhookFields } from "./prometheus-alert.ts";

export const alertmanagerWebhookSchema = z.object({
  version: z.literal("4", {
    error: 'must be "4", as Alertmanager sends it; what Grafana sends goes to /v1/alerts/grafana',
  }),
  groupKey: z.string().openapi({ example: '{}:{alertname="KubePodCrashLooping"}' }),
  ...prometheusWebhookFields,
});

export function alertsOfAlertmanager(webhook: z.infer<typeof alertmanagerWebhookSchema>): AlertDelivery {
  const source = "alertmanager";
  return { source, alerts: alertsOf(source, webhook), ignored: [], truncated: webhook.truncatedAlerts };
}
