// Webhook of Prometheus Alertmanager, version 4.

import { z } from "@hono/zod-openapi";
import { deliveryOf } from "./prometheus-alert.ts";
import { prometheusWebhookFields, WHEN_TOO_LARGE } from "./prometheus-schema.ts";
import type { Webhook } from "./webhook.ts";

const EXAMPLE = {
  version: "4",
  groupKey: '{}:{alertname="KubePodCrashLooping", namespace="shop"}',
  truncatedAlerts: 0,
  status: "firing",
  receiver: "dejavu",
  groupLabels: { alertname: "KubePodCrashLooping", namespace: "shop" },
  commonLabels: { alertname: "KubePodCrashLooping", namespace: "shop", severity: "warning" },
  commonAnnotations: { summary: "Pod is crash looping." },
  externalURL: "http://alertmanager.example:9093",
  alerts: [
    {
      status: "firing",
      labels: {
        alertname: "KubePodCrashLooping",
        namespace: "shop",
        pod: "checkout-7c9f8d6b5-x2x4z",
        severity: "warning",
      },
      annotations: {
        summary: "Pod is crash looping.",
        description: 'Pod shop/checkout-7c9f8d6b5-x2x4z is in waiting state (reason: "CrashLoopBackOff").',
        runbook_url: "https://runbooks.example/kubernetes/crash-loop-back-off",
      },
      startsAt: "2026-03-01T02:55:12.345Z",
      endsAt: "0001-01-01T00:00:00Z",
      generatorURL: "http://prometheus.example:9090/graph?g0.tab=1",
      fingerprint: "505698848f8bc406",
    },
  ],
};

const schema = z
  .looseObject({
    version: z.literal("4", {
      error: 'must be "4", as in webhooks of Alertmanager; webhooks of Grafana go to /v1/alerts/grafana',
    }),
    ...prometheusWebhookFields,
    groupKey: z.string(),
  })
  .openapi({ example: EXAMPLE });

export const alertmanager: Webhook<"alertmanager", typeof schema> = {
  name: "alertmanager",
  summary: "Take the webhook of Prometheus' Alertmanager",
  schema,
  authentication: { kind: "bearer" },
  whenTooLarge: WHEN_TOO_LARGE,
  toAlerts: (payload, context) => deliveryOf("alertmanager", payload, context),
};
