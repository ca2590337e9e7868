// Webhook of Grafana Alerting.

import { z } from "@hono/zod-openapi";
import type { Alert } from "../../schemas/alert.ts";
import { isFilled } from "./alert-from.ts";
import { deliveryOf } from "./prometheus-alert.ts";
import { type PrometheusAlert, prometheusWebhookFields, WHEN_TOO_LARGE } from "./prometheus-schema.ts";
import { hmacSha256, isSameSignature } from "./signatures.ts";
import type { SignatureContext, Webhook } from "./webhook.ts";

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

const schema = z
  .looseObject({
    version: z.literal("1", {
      error:
        'must be "1", as in webhooks of Grafana without a custom payload; webhooks of Alertmanager go to /v1/alerts/alertmanager',
    }),
    ...prometheusWebhookFields,
  })
  .openapi({ example: EXAMPLE });

/** How old a signed time may be, or how far in the future. */
const TOLERANCE_SECONDS = 300;

export const grafana: Webhook<"grafana", typeof schema> = {
  name: "grafana",
  summary: "Take the webhook of Grafana's alerting",
  schema,
  authentication: {
    kind: "bearer",
    signature: {
      secretSetting: "GRAFANA_WEBHOOK_SECRET",
      verify: isSignedByGrafana,
      remedy:
        "Set the contact point's HMAC secret to GRAFANA_WEBHOOK_SECRET, the header to X-Grafana-Alerting-Signature and the timestamp header to X-Grafana-Alerting-Timestamp. A signed time may differ by 5 minutes.",
    },
  },
  whenTooLarge: WHEN_TOO_LARGE,
  toAlerts(payload, context) {
    const { readable, ...others } = payload.alerts;
    const delivery = deliveryOf(
      "grafana",
      { ...payload, alerts: { ...others, readable: readable.map(namedAfterRule) } },
      context,
    );
    return {
      ...delivery,
      alerts: delivery.alerts.filter((alert) => !isTest(alert)),
      ignored: delivery.alerts.filter(isTest).map(({ fingerprint, status }) => ({
        fingerprint,
        status,
        rule: "the test notification of a contact point",
      })),
    };
  },
};

/**
 * Grafana sends one name for all rules without data or with a failed query, and the summary and the description of the rule,
 * which do not hold then.
 */
function namedAfterRule(alert: PrometheusAlert): PrometheusAlert {
  const { labels, annotations } = alert;
  const { alertname = "", rulename } = labels;
  if (rulename === undefined || !/^Datasource(?:NoData|Error)$/.test(alertname)) return alert;
  const name = `${rulename}: ${alertname}`;
  const rule = [annotations.summary, annotations.description].filter(isFilled).join(" ");
  return {
    ...alert,
    labels: { ...labels, alertname: name },
    annotations: { ...annotations, summary: name, description: `Text of the rule: ${rule}` },
  };
}

/** Whether the button "Test" of a contact point sent it. */
function isTest({ alertname, labels }: Alert): boolean {
  return alertname === "TestAlert" && labels.instance === "Grafana";
}

/** Grafana signs the body, or `<unix seconds>:<body>` when a timestamp header is configured. */
export function isSignedByGrafana(body: Uint8Array, headers: Headers, { secret, now }: SignatureContext): boolean {
  const signature = headers.get("x-grafana-alerting-signature") ?? "";
  const timestamp = headers.get("x-grafana-alerting-timestamp");
  if (timestamp === null) return isSameSignature(signature, hmacSha256(secret, body));
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const isFresh = Math.abs(now.getTime() / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS;
  return isSameSignature(signature, hmacSha256(secret, `${timestamp}:`, body)) && isFresh;
}
