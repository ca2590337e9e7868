// A report as the alert of a monitoring system that quotes its error line in prose: in a summary, a description, a message or
// a title.

import type { z } from "zod";
import type { TriageRequest } from "../../functions/incidents/create-incident.ts";
import { reportOfAlert } from "../../functions/incidents/ingest-alerts.ts";
import { createTargetOf } from "../../functions/incidents/webhooks/alert-target.ts";
import { alertmanager } from "../../functions/incidents/webhooks/alertmanager.ts";
import { datadog } from "../../functions/incidents/webhooks/datadog.ts";
import { grafana } from "../../functions/incidents/webhooks/grafana.ts";
import { pagerduty } from "../../functions/incidents/webhooks/pagerduty.ts";
import type { Webhook } from "../../functions/incidents/webhooks/webhook.ts";
import { EMPTY_CATALOG } from "../../functions/knowledge/domains/domain-catalog.ts";

/** The line in prose. */
interface Quoted {
  readonly technology: string;
  readonly service: string;
  readonly line: string;
}

const AT = "2026-03-02T08:59:00Z";
const context = { receivedAt: new Date(AT), targetOf: createTargetOf(EMPTY_CATALOG) };

const ALERT_FORMS = {
  summary: ({ technology, service, line }: Quoted) =>
    prometheusAlert(alertmanager, service, {
      summary: `${technology} ${service} is failing: ${line}`,
      description: `More than 5 errors in 5 minutes on ${service}.`,
    }),
  description: ({ technology, service, line }: Quoted) =>
    prometheusAlert(alertmanager, service, {
      summary: `${service} logs errors`,
      description: `${technology} ${service} has logged 12 errors in the last 5 minutes. Last one: ${line}`,
    }),
  grafana: ({ technology, service, line }: Quoted) =>
    prometheusAlert(grafana, service, { summary: `${technology} errors`, last_error: `${line} (12 in 5m)` }),
  datadog: ({ technology, service, line }: Quoted) =>
    reportOf(datadog, {
      alert_id: "1",
      alert_transition: "Triggered",
      event_title: `[Triggered] Errors of ${service}`,
      event_msg: `%%%\n${technology} on ${service} writes errors: ${line}\n\nThe monitor was last triggered at 08:59.\n%%%`,
      tags: `service:${service},env:prod`,
    }),
  pagerduty: ({ technology, service, line }: Quoted) =>
    reportOf(pagerduty, {
      event: {
        id: "01FQ1",
        event_type: "incident.triggered",
        resource_type: "incident",
        occurred_at: AT,
        data: {
          id: "Q1XK2P7RZ0ABCD",
          type: "incident",
          status: "triggered",
          title: `${technology} ${service}: ${line}`,
          html_url: "https://pd.example/incidents/Q1XK2P7RZ0ABCD",
          service: { summary: service },
        },
      },
    }),
} satisfies Record<string, (quoted: Quoted) => TriageRequest>;

export type AlertForm = keyof typeof ALERT_FORMS;
export const ALERT_FORM_NAMES = Object.keys(ALERT_FORMS) as readonly AlertForm[];

export function asAlert(form: AlertForm, quoted: Quoted): TriageRequest {
  return ALERT_FORMS[form](quoted);
}

function prometheusAlert(
  webhook: typeof alertmanager | typeof grafana,
  service: string,
  annotations: Readonly<Record<string, string>>,
): TriageRequest {
  const labels = { alertname: "ErrorsLogged", service, severity: "critical" };
  const alert = {
    status: "firing",
    labels,
    annotations,
    startsAt: AT,
    endsAt: "0001-01-01T00:00:00Z",
    fingerprint: "1",
  };
  return reportOf<z.ZodType>(webhook, {
    version: webhook.name === "grafana" ? "1" : "4",
    groupKey: "{}",
    receiver: "dejavu",
    status: "firing",
    orgId: 1,
    alerts: [alert],
  });
}

function reportOf<Schema extends z.ZodType>(webhook: Webhook<string, Schema>, payload: unknown): TriageRequest {
  const [alert] = webhook.toAlerts(webhook.schema.parse(payload), context).alerts;
  if (alert === undefined) throw new Error(`The webhook of ${webhook.name} does not read its own payload.`);
  return reportOfAlert(alert);
}
