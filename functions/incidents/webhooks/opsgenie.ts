// Outgoing webhook of Opsgenie: one action on one alert. Payload:
// https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/

import { z } from "@hono/zod-openapi";
import type { Alert, AlertDelivery, AlertStatus } from "../../schemas/alert.ts";
import { alertFingerprint, boundedLabels, LIMITS, truncateToLimit, withoutBlanks } from "./alert-limits.ts";
import { endAfter, startOf } from "./alert-times.ts";
import { textsOf } from "./optional-fields.ts";
import { severityOf } from "./severity.ts";
import type { DeliveryContext, Webhook } from "./webhook.ts";

const optionalText = z.string().nullish();

const alertSchema = z.looseObject({
  alertId: z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters"),
  message: z.string(),
  createdAt: z.number().openapi({
    description: "Unix time in milliseconds. The time of receipt replaces a year before 2000 and the future.",
  }),
  updatedAt: z.number().nullish().openapi({ description: "Unix time in milliseconds or nanoseconds." }),
  alias: optionalText,
  tinyId: optionalText,
  entity: optionalText,
  source: optionalText,
  priority: optionalText,
  tags: z.array(z.string()).nullish(),
  /** Sent with `Create` only, and when the integration includes it; cut to 1,000 characters. */
  description: optionalText,
  /** Sent under the same conditions. */
  details: z.record(z.string(), z.unknown()).nullish(),
});
type OpsgenieAlert = z.infer<typeof alertSchema>;

/** The status that each action gives its alert; other actions are ignored. */
const STATUS_OF_ACTION: ReadonlyMap<string, AlertStatus> = new Map([
  ["Create", "firing"],
  ["Close", "resolved"],
]);

const EXAMPLE = {
  action: "Create",
  alert: {
    alertId: "9c1f0a52-3f0e-4b7d-9a61-5f6f7a2c1d10-1772333712345",
    tinyId: "1482",
    alias: "checkout/high-error-rate",
    message: "checkout: 5xx rate above 5 %",
    priority: "P2",
    entity: "checkout",
    source: "10.0.4.12",
    tags: ["production", "checkout"],
    createdAt: 1772333712345,
    updatedAt: 1772333712345000000,
  },
  source: { name: "", type: "api" },
  integrationId: "6f2d1c0b-8a49-4c3e-9a57-2b1d0e9f8c7a",
  integrationName: "Dejavu",
};

const schema = z.looseObject({ action: z.string().min(1).max(128), alert: alertSchema }).openapi({ example: EXAMPLE });

export const opsgenie: Webhook<"opsgenie", typeof schema> = {
  name: "opsgenie",
  summary: "Take the webhook of Opsgenie",
  description: "`Create` reports an alert and `Close` ends it. Other actions are ignored.",
  schema,
  authentication: { kind: "bearer" },
  whenTooLarge: "Opsgenie sends no larger bodies.",
  toAlerts({ action, alert }, context): AlertDelivery {
    const status = STATUS_OF_ACTION.get(action);
    const empty: AlertDelivery = { source: "opsgenie", alerts: [], ignored: [], refused: [], truncated: 0 };
    if (status !== undefined) return { ...empty, alerts: [alertOf(alert, status, context)] };
    const rule = `the action ${truncateToLimit(action, LIMITS.name)} neither opens nor ends an alert`;
    return { ...empty, ignored: [{ fingerprint: idOf(alert), status: null, rule }] };
  },
};

function alertOf(alert: OpsgenieAlert, status: AlertStatus, { receivedAt, targetOf }: DeliveryContext): Alert {
  const { message, createdAt, updatedAt, entity, description, priority } = alert;
  const start = startOf(new Date(createdAt), receivedAt);
  const details = detailsOf(alert);
  const title = truncateToLimit(message, LIMITS.title) ?? "Opsgenie alert without a message";
  return {
    source: "opsgenie",
    fingerprint: idOf(alert),
    ...start,
    endsAt: status === "resolved" ? endAfter(start.startsAt, updatedAt == null ? undefined : dateOf(updatedAt)) : null,
    status,
    endsLatest: false,
    newStartWhenReopened: true,
    alertname: truncateToLimit(details.alertname ?? message, LIMITS.name) ?? title,
    title,
    description: truncateToLimit(description, LIMITS.description),
    severity: severityOf(priority, details.severity),
    target: truncateToLimit(entity, LIMITS.name) ?? truncateToLimit(targetOf(details), LIMITS.name),
    namespace: truncateToLimit(details.namespace, LIMITS.name),
    labels: labelsOf(alert, details),
    runbook: truncateToLimit(details.runbook_url ?? details.runbook, LIMITS.runbook),
    expression: null,
  };
}

/**
 * The alias: Opsgenie gives each recurrence of a problem a new alert id and the same alias. An alias that does not fit
 * a fingerprint is replaced by its SHA-256.
 */
function idOf({ alias, alertId }: OpsgenieAlert): string {
  return alertFingerprint(alias) ?? alertId;
}

/** Alertmanager sends an alert's labels to Opsgenie as details. */
function detailsOf({ details }: OpsgenieAlert): Record<string, string> {
  return withoutBlanks(textsOf(details));
}

/** The alert's own fields precede the details, of which the last may not fit. */
function labelsOf({ priority, source, tags, tinyId }: OpsgenieAlert, details: Record<string, string>) {
  const fields = { priority, source, tags: tags?.join(","), opsgenie_tiny_id: tinyId };
  const others = Object.entries(details).filter(([name]) => !(name in fields));
  return boundedLabels({ ...fields, ...Object.fromEntries(others) });
}

/** Milliseconds until the year 5138 are below this number; larger values are nanoseconds. */
const MAX_MILLISECONDS = 1e14;

function dateOf(time: number): Date {
  return new Date(time > MAX_MILLISECONDS ? time / 1e6 : time);
}
