// The front doors of monitoring systems: each takes the webhook of one of them as it is really sent.

import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { ALERT_DECISIONS } from "../../incidents/alert-records.ts";
import { type AlertReceipt, ingestAlerts } from "../../incidents/ingest-alerts.ts";
import { alertmanagerWebhookSchema, alertsOfAlertmanager } from "../../incidents/webhooks/alertmanager.ts";
import { alertsOfGrafana, grafanaWebhookSchema } from "../../incidents/webhooks/grafana.ts";
import { alertsOfPagerDuty, pagerDutyWebhookSchema } from "../../incidents/webhooks/pagerduty.ts";
import { isSignedByGrafana, isSignedByPagerDuty } from "../../incidents/webhooks/signatures.ts";
import { ALERT_STATUSES } from "../../schemas/alert.ts";
import type { AppEnv } from "../http/app-env.ts";
import { jsonBody } from "../http/input.ts";
import { problem } from "../http/problem.ts";
import { createRouter, problemContent } from "../http/router.ts";
import { scoped } from "../middleware/require-scope.ts";

const EXAMPLE = {
  received: 1,
  stored: 1,
  truncated: 0,
  alerts: [
    {
      fingerprint: "505698848f8bc406",
      status: "firing",
      decision: "new",
      rule: "first of its kind",
      incident_id: "5b1c1f64-6f0e-4b7e-9d55-0d7c2a8f3e11",
      related_to: null,
    },
  ],
  incidents: ["5b1c1f64-6f0e-4b7e-9d55-0d7c2a8f3e11"],
};

const receiptSchema = z
  .object({
    received: z.number().int().describe("Alerts in the webhook."),
    stored: z.number().int().describe("Of those, the ones that were not known."),
    truncated: z.number().int().describe("Alerts that the sender left out."),
    alerts: z.array(
      z.object({
        fingerprint: z.string(),
        status: z.enum(ALERT_STATUSES).nullable(),
        decision: z
          .enum([...ALERT_DECISIONS, "ignored"])
          .describe(
            "new: it opened an incident. same: it is known. related: it joined an open incident. resolved: it ended. ignored: nothing is done about it.",
          ),
        rule: z
          .string()
          .describe(
            "What decided. Of a new one: first of its kind; same fingerprint, new start; fired again after it had ended; still firing, and its investigation failed.",
          ),
        incident_id: z.uuid().nullable().describe("The incident that covers it."),
        related_to: z
          .uuid()
          .nullable()
          .describe("The incident that covered the same alert before, where a new one was opened."),
      }),
    ),
    incidents: z.array(z.uuid()).describe("The incidents that were opened."),
  })
  .openapi({ example: EXAMPLE });

const responses = {
  202: {
    description: "All alerts are stored; new incidents will be investigated in the background.",
    content: { "application/json": { schema: receiptSchema } },
  },
  413: problemContent("The body is too large."),
  422: problemContent("It is not the webhook that this path takes."),
  503: problemContent("The database is away: nothing is stored. Send it again."),
};
const whenTooLarge = "Set max_alerts in the receiver, 500 for example, so that it sends fewer alerts at once.";

const alertmanagerRoute = createRoute({
  method: "post",
  path: "/v1/alerts/alertmanager",
  summary: "Take the webhook of Prometheus' Alertmanager",
  ...scoped("triage", jsonBody({ whenTooLarge })),
  request: { body: { required: true, content: { "application/json": { schema: alertmanagerWebhookSchema } } } },
  responses,
});

const grafanaRoute = createRoute({
  method: "post",
  path: "/v1/alerts/grafana",
  summary: "Take the webhook of Grafana's alerting",
  ...scoped(
    "triage",
    jsonBody({
      whenTooLarge,
      look: (c, body) => {
        const { config, now } = c.get("services");
        const secret = config.GRAFANA_WEBHOOK_SECRET;
        if (secret === undefined) return undefined;
        const signature = c.req.header("x-grafana-alerting-signature");
        const timestamp = c.req.header("x-grafana-alerting-timestamp");
        if (isSignedByGrafana(body, { signature, timestamp }, { secret, now: now() })) return undefined;
        return problem(
          c,
          "invalid-signature",
          "Set the contact point's HMAC secret to GRAFANA_WEBHOOK_SECRET, the header to X-Grafana-Alerting-Signature and the one of the time, if any, to X-Grafana-Alerting-Timestamp. A signed time may be 5 minutes off.",
        );
      },
    }),
  ),
  request: { body: { required: true, content: { "application/json": { schema: grafanaWebhookSchema } } } },
  responses: { ...responses, 401: problemContent("The token or the signature is missing or wrong.") },
});

const pagerDutyRoute = createRoute({
  method: "post",
  path: "/v1/alerts/pagerduty",
  summary: "Take the webhook of PagerDuty, version 3",
  description:
    "Where PAGERDUTY_WEBHOOK_SECRET is set. The header X-PagerDuty-Signature stands in for a token. An event that occurred more than 7 days ago, or is to occur in more than 5 minutes, is ignored.",
  security: [],
  middleware: [
    jsonBody({
      whenTooLarge: "PagerDuty sends no larger ones.",
      look: (c, body) => {
        const secret = c.get("services").config.PAGERDUTY_WEBHOOK_SECRET;
        const isSigned = isSignedByPagerDuty(body, c.req.header("x-pagerduty-signature"), secret ?? "");
        return secret !== undefined && isSigned
          ? undefined
          : problem(
              c,
              "invalid-signature",
              "Set the secret PAGERDUTY_WEBHOOK_SECRET to the one that PagerDuty showed when the subscription was made.",
            );
      },
    }),
  ],
  request: { body: { required: true, content: { "application/json": { schema: pagerDutyWebhookSchema } } } },
  responses: { ...responses, 401: problemContent("The signature is missing or wrong.") },
});

export const alertRoutes = createRouter()
  .openapi(alertmanagerRoute, async (c) => {
    const delivery = alertsOfAlertmanager(c.req.valid("json"));
    return c.json(render(await ingestAlerts(c.get("services"), delivery, senderOf(c))), 202);
  })
  .openapi(grafanaRoute, async (c) => {
    const delivery = alertsOfGrafana(c.req.valid("json"));
    return c.json(render(await ingestAlerts(c.get("services"), delivery, senderOf(c))), 202);
  });

export const pagerDutyRoutes = createRouter().openapi(pagerDutyRoute, async (c) => {
  const services = c.get("services");
  const delivery = alertsOfPagerDuty(c.req.valid("json"), services.now());
  return c.json(
    render(
      await ingestAlerts(services, delivery, { reportedBy: "pagerduty", runInBackground: c.get("runInBackground") }),
    ),
    202,
  );
});

function senderOf(c: Context<AppEnv>) {
  return { reportedBy: c.get("caller").id, runInBackground: c.get("runInBackground") };
}

function render({ alerts, incidents, ...counts }: AlertReceipt): z.infer<typeof receiptSchema> {
  return {
    ...counts,
    alerts: alerts.map(({ incidentId, relatedTo, ...alert }) => ({
      ...alert,
      incident_id: incidentId,
      related_to: relatedTo,
    })),
    incidents: [...incidents],
  };
}
