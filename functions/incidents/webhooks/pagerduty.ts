// Webhook of PagerDuty, version 3: one event of one incident.

import { z } from "@hono/zod-openapi";
import type { Alert, AlertDelivery, AlertStatus } from "../../schemas/alert.ts";
import { withLink } from "./alert-from.ts";
import { boundedLabels, LIMITS, truncateToLimit } from "./alert-limits.ts";
import { endAfter, optionalTime, startOf, time } from "./alert-times.ts";
import { severityOf } from "./severity.ts";
import { hmacSha256, isSameSignature } from "./signatures.ts";
import type { DeliveryContext, SignatureContext, Webhook } from "./webhook.ts";

const named = z.looseObject({ summary: z.string() }).nullish();

const incidentSchema = z.looseObject({
  id: z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters"),
  title: z.string(),
  created_at: optionalTime,
  number: z.number().int().optional(),
  html_url: z.string().nullish(),
  urgency: z.string().nullish(),
  priority: named,
  service: named,
});
type Incident = z.infer<typeof incidentSchema>;

/** PagerDuty tries to deliver an event for some hours; an older event is a replay. */
const MAX_AGE_DAYS = 7;
/** Tolerance for clocks that differ. */
const MAX_AHEAD_MINUTES = 5;

/** The status that each event gives its incident; other events are ignored. */
const STATUS_OF_EVENT: ReadonlyMap<string, AlertStatus> = new Map([
  ["incident.triggered", "firing"],
  ["incident.reopened", "firing"],
  ["incident.resolved", "resolved"],
]);

const eventSchema = z.looseObject({
  id: z.string().min(1).max(128),
  event_type: z.string().min(1).max(128),
  occurred_at: time,
  data: z.record(z.string(), z.unknown()).nullish(),
});

const EXAMPLE = {
  event: {
    id: "01FQ1AAAAAAAAAAAAAAAAAAAAA",
    event_type: "incident.triggered",
    resource_type: "incident",
    occurred_at: "2026-03-01T02:58:00.169Z",
    data: {
      id: "Q1XK2P7RZ0ABCD",
      type: "incident",
      number: 4711,
      status: "triggered",
      created_at: "2026-03-01T02:58:00Z",
      title: "orders-db: FATAL: sorry, too many clients already",
      service: { id: "PF9KMXQ", summary: "Orders", type: "service_reference" },
      priority: { id: "PSO75BQ", summary: "P1", type: "priority_reference" },
      urgency: "high",
    },
  },
};

/** `data` is parsed as an incident only for the events above: other events carry other objects. */
const schema = z
  .looseObject({ event: eventSchema })
  .openapi({ example: EXAMPLE })
  .transform(({ event }, context) => {
    const status = STATUS_OF_EVENT.get(event.event_type);
    if (status === undefined) return { event, status: null } as const;
    const parsed = incidentSchema.safeParse(event.data);
    if (parsed.success) return { event, status, incident: parsed.data } as const;
    for (const { path, message } of parsed.error.issues)
      context.addIssue({ code: "custom", path: ["event", "data", ...path], message });
    return z.NEVER;
  });

export const pagerduty: Webhook<"pagerduty", typeof schema> = {
  name: "pagerduty",
  summary: "Take the webhook of PagerDuty, version 3",
  description: `Needs the secret PAGERDUTY_WEBHOOK_SECRET. The header X-PagerDuty-Signature replaces the token. An event that occurred more than ${MAX_AGE_DAYS} days ago, or is to occur in more than ${MAX_AHEAD_MINUTES} minutes, is ignored.`,
  schema,
  authentication: {
    kind: "signature",
    signature: {
      secretSetting: "PAGERDUTY_WEBHOOK_SECRET",
      verify: isSignedByPagerDuty,
      remedy:
        "Set the secret PAGERDUTY_WEBHOOK_SECRET to the one that PagerDuty showed when the subscription was created.",
    },
  },
  whenTooLarge: "PagerDuty sends no larger bodies.",
  toAlerts,
};

/** The header is `v1=<hex>`, or several of these separated by commas while a secret is rotated. */
export function isSignedByPagerDuty(body: Uint8Array, headers: Headers, { secret }: SignatureContext): boolean {
  const signatures = (headers.get("x-pagerduty-signature") ?? "").split(",").map((part) => part.trim());
  const expected = `v1=${hmacSha256(secret, body)}`;
  return signatures.some((signature) => isSameSignature(signature, expected));
}

/** Replays within MAX_AGE_DAYS are recognised by the alerts that are stored. */
function toAlerts(webhook: z.output<typeof schema>, { receivedAt: now }: DeliveryContext): AlertDelivery {
  const { event } = webhook;
  const empty: AlertDelivery = { source: "pagerduty", alerts: [], ignored: [], refused: [], truncated: 0 };
  if (webhook.status === null) {
    const rule = `the event ${event.event_type} neither opens nor ends an incident`;
    return { ...empty, ignored: [{ fingerprint: event.id, status: null, rule }] };
  }
  const { incident, status } = webhook;
  const rule = untimelyReason(event.occurred_at, now);
  return rule === null
    ? { ...empty, alerts: [alertOf(incident, event, status, now)] }
    : { ...empty, ignored: [{ fingerprint: incident.id, status, rule }] };
}

function untimelyReason(occurredAt: Date, now: Date): string | null {
  const ageMs = now.getTime() - occurredAt.getTime();
  if (ageMs > MAX_AGE_DAYS * 86_400_000) return `it occurred more than ${MAX_AGE_DAYS} days ago`;
  if (ageMs < -MAX_AHEAD_MINUTES * 60_000) return `it is to occur in more than ${MAX_AHEAD_MINUTES} minutes`;
  return null;
}

function alertOf(incident: Incident, event: z.infer<typeof eventSchema>, status: AlertStatus, receivedAt: Date): Alert {
  const { id, title, created_at, number, html_url, urgency, priority, service } = incident;
  const start = startOf(event.event_type === "incident.reopened" ? event.occurred_at : created_at, receivedAt);
  const headline = truncateToLimit(title, LIMITS.title) ?? "PagerDuty incident without a title";
  return {
    source: "pagerduty",
    fingerprint: id,
    ...start,
    endsAt: status === "resolved" ? endAfter(start.startsAt, event.occurred_at) : null,
    status,
    // A resolved event has the time of the incident's creation only, even after a reopening.
    endsLatest: true,
    newStartWhenReopened: true,
    alertname: truncateToLimit(title, LIMITS.name) ?? headline,
    title: headline,
    description: truncateToLimit(withLink("", html_url), LIMITS.description),
    severity: severityOf(priority?.summary, urgency),
    target: truncateToLimit(service?.summary, LIMITS.name),
    namespace: null,
    labels: boundedLabels({
      service: service?.summary,
      urgency,
      priority: priority?.summary,
      pagerduty_number: number?.toString(),
    }),
    runbook: null,
    expression: null,
  };
}
