// Incidents of PagerDuty and alerts of Opsgenie: their webhooks, and the objects of their APIs. Pure functions.

import { z } from "zod";
import { boundedLabels, LIMITS, truncateToLimit } from "../../functions/incidents/webhooks/alert-limits.ts";
import { opsgenie } from "../../functions/incidents/webhooks/opsgenie.ts";
import { pagerduty } from "../../functions/incidents/webhooks/pagerduty.ts";
import { severityOf } from "../../functions/incidents/webhooks/severity.ts";
import type { DeliveryContext } from "../../functions/incidents/webhooks/webhook.ts";
import type { AlertDelivery } from "../../functions/schemas/alert.ts";
import { CommandError } from "../service/command-error.ts";
import type { TriageBody } from "./triage-body.ts";

const incident = z.looseObject({
  title: z.string().min(1),
  status: z.string().nullish(),
  created_at: z.string().nullish(),
});
type Incident = z.infer<typeof incident>;
/** The webhook, its former version, and the answers of the API. */
const incidentShapes: readonly z.ZodType<Incident[]>[] = [
  z
    .looseObject({ event: z.looseObject({ event_type: z.string(), data: incident }) })
    .transform(({ event }) => [
      { ...event.data, ...(event.event_type === "incident.resolved" ? { status: "resolved" } : {}) },
    ]),
  z
    .looseObject({ messages: z.array(z.looseObject({ incident })).min(1) })
    .transform(({ messages }) => messages.map((message) => message.incident)),
  z.looseObject({ incident: incident.extend({ type: z.string() }) }).transform((answer) => [answer.incident]),
  z.looseObject({ incidents: z.array(incident).min(1) }).transform(({ incidents }) => incidents),
  incident.extend({ type: z.literal("incident"), status: z.string() }).transform((one) => [one]),
];

/** Null for another shape. */
export function pagerdutyAlerts(payload: unknown, context: DeliveryContext): AlertDelivery | null {
  for (const shape of incidentShapes) {
    const parsed = shape.safeParse(payload);
    if (!parsed.success) continue;
    const deliveries = parsed.data.map((each) => pagerdutyAlert(each, context));
    const complete = deliveries.filter((delivery) => delivery !== null);
    return complete.length < deliveries.length ? null : joined("pagerduty", complete);
  }
  return null;
}

/** The incident as its webhook would send it now: a pasted one may be old, or acknowledged. */
function pagerdutyAlert({ status, created_at, ...rest }: Incident, context: DeliveryContext): AlertDelivery | null {
  const now = context.receivedAt.toISOString();
  const event = {
    id: "pasted",
    event_type: status === "resolved" ? "incident.resolved" : "incident.triggered",
    occurred_at: now,
    data: { id: "pasted", ...rest, status, created_at: created_at ?? now },
  };
  const parsed = pagerduty.schema.safeParse({ event });
  return parsed.success ? pagerduty.toAlerts(parsed.data, context) : null;
}

const opsgenieShape = z.union([
  z.looseObject({ action: z.string(), alert: z.looseObject({ message: z.string() }) }),
  z
    .looseObject({ data: z.looseObject({ message: z.string(), tinyId: z.string(), status: z.string().nullish() }) })
    .transform(({ data }) => ({ action: data.status === "closed" ? "Close" : "Create", alert: data })),
]);

/** Null for another shape. An alert of any action but `Close` is open. */
export function opsgenieAlerts(payload: unknown, context: DeliveryContext): AlertDelivery | null {
  const shape = opsgenieShape.safeParse(payload);
  if (!shape.success) return null;
  const { action, alert } = shape.data;
  const now = context.receivedAt.getTime();
  const parsed = opsgenie.schema.safeParse({
    action: action === "Close" ? "Close" : "Create",
    alert: {
      alertId: "pasted",
      ...alert,
      createdAt: typeof alert.createdAt === "number" ? alert.createdAt : now,
      updatedAt: typeof alert.updatedAt === "number" ? alert.updatedAt : now,
    },
  });
  return parsed.success ? opsgenie.toAlerts(parsed.data, context) : null;
}

const event = z.looseObject({
  event_action: z.string(),
  payload: z.looseObject({
    summary: z.string().min(1),
    source: z.string().nullish(),
    severity: z.string().nullish(),
    component: z.string().nullish(),
    group: z.string().nullish(),
    class: z.string().nullish(),
    custom_details: z.unknown().optional(),
  }),
});

/** An event as programs send it to PagerDuty's Events API, version 2. @throws CommandError when it resolves an alert */
export function eventOf(payload: unknown): TriageBody | null {
  const parsed = event.safeParse(payload);
  if (!parsed.success) return null;
  const { event_action, payload: reported } = parsed.data;
  if (event_action === "resolve")
    throw new CommandError("usage", "The event resolves an alert, so there is nothing to triage.");
  const { summary, source, severity, component, group, class: kind, custom_details } = reported;
  const target = truncateToLimit(component ?? source, LIMITS.name);
  const details = truncateToLimit(detailsOf(custom_details), LIMITS.description);
  const title = truncateToLimit(summary, LIMITS.title);
  if (title === null) return null;
  return {
    title,
    severity: severityOf(severity),
    labels: boundedLabels({ source, component, group, class: kind }),
    ...(target === null ? {} : { target }),
    ...(details === null ? {} : { logs: details }),
  };
}

function detailsOf(details: unknown): string {
  const parsed = z.record(z.string(), z.unknown()).safeParse(details);
  if (!parsed.success) return typeof details === "string" ? details : "";
  return Object.entries(parsed.data)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}

function joined(source: string, deliveries: readonly AlertDelivery[]): AlertDelivery {
  return {
    source,
    alerts: deliveries.flatMap(({ alerts }) => alerts),
    ignored: deliveries.flatMap(({ ignored }) => ignored),
    refused: deliveries.flatMap(({ refused }) => refused),
    truncated: 0,
  };
}
