// Webhook of Datadog's monitors. The user writes its payload: the template of docs/guides/alerts.md names each field after
// its variable. Variables: https://docs.datadoghq.com/integrations/webhooks/

import { z } from "@hono/zod-openapi";
import type { AlertDelivery, AlertStatus } from "../../schemas/alert.ts";
import { alertFrom, deliveryFrom } from "./alert-from.ts";
import type { DeliveryContext, Webhook } from "./webhook.ts";

/** Numbers become text. A variable without a value is sent as `null`, an unknown one as its name. */
const variable = z
  .custom<string | number | null>()
  .optional()
  .transform((value) => {
    const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
    return text === "" || text === "null" || /^\$[A-Z_]{1,64}$/.test(text) ? undefined : text;
  })
  .openapi({ type: "string" });

const EXAMPLE = {
  alert_id: "91827364",
  alert_transition: "Triggered",
  event_title: "[Triggered on {host:orders-db-1}] CPU of orders-db is high",
  event_msg: "CPU has been above 90 % for 5 minutes.",
  alert_priority: "P2",
  alert_scope: "host:orders-db-1",
  hostname: "orders-db-1",
  tags: "env:prod,host:orders-db-1,service:orders-db",
  link: "https://app.datadoghq.com/event/event?id=7428956323719245",
  last_updated: "1772333701000",
};

const schema = z
  .looseObject({
    alert_id: variable,
    alert_transition: variable,
    event_title: variable,
    event_msg: variable,
    alert_query: variable,
    alert_priority: variable,
    alert_type: variable,
    priority: variable,
    alert_scope: variable,
    aggreg_key: variable,
    hostname: variable,
    tags: variable,
    link: variable,
    date: variable,
    last_updated: variable,
    alert_title: variable,
    // The names in the payload of a webhook without a template.
    title: variable,
    body: variable,
  })
  .refine(({ alert_transition, event_title, title }) => (alert_transition ?? event_title ?? title) !== undefined, {
    path: ["alert_transition"],
    message: "is missing: add $ALERT_TRANSITION to the payload of the webhook",
  })
  .openapi({ example: EXAMPLE });
type Payload = z.output<typeof schema>;

/** Before the name of the monitor in a title: its priority, the transition and the scope, `[P2] [Triggered on {host:a}]`. */
const PREFIX =
  /^(?:\[(P[1-5])\] ?)?\[((?:Re-)?(?:Triggered|Warn|No Data|Recovered)|Renotify)(?: on \{([^}]{0,500})\})?\] ?/i;

/** The marks around Markdown, and who is notified. */
const MARKUP = /^%%%[ \t]*$|(?<!\S)@(?:webhook|slack|teams|pagerduty|opsgenie)-\S+[ \t]?/gm;

const STATUS: ReadonlyMap<string, AlertStatus> = new Map([
  ["triggered", "firing"],
  ["warn", "firing"],
  ["no data", "firing"],
  ["recovered", "resolved"],
]);

export const datadog: Webhook<"datadog", typeof schema> = {
  name: "datadog",
  summary: "Take the webhook of a Datadog monitor",
  description:
    "Each field has the name of its variable in lower case. `Triggered`, `Warn` and `No Data` report an alert, and `Recovered` ends it. A renotification is ignored.",
  schema,
  authentication: { kind: "bearer" },
  whenTooLarge: "Leave $LOGS_SAMPLE and $EVENT_MSG out of the payload.",
  toAlerts(payload, context): AlertDelivery {
    const title = payload.event_title ?? payload.title ?? payload.alert_title ?? "";
    const transition = (payload.alert_transition ?? PREFIX.exec(title)?.[2] ?? "").toLowerCase();
    const status = STATUS.get(transition);
    if (status !== undefined) return deliveryFrom("datadog", alertOf(payload, { title, transition, status }, context));
    const unstored = { fingerprint: "", status: null };
    if (/^re-|^renotify$/.test(transition))
      return deliveryFrom("datadog", null, [{ ...unstored, rule: "it repeats an alert that still fires" }]);
    const rule = "it has no alert_transition: add $ALERT_TRANSITION to the payload of the webhook";
    return { ...deliveryFrom("datadog", null), refused: [{ ...unstored, rule }] };
  },
};

interface Reading {
  readonly title: string;
  readonly transition: string;
  readonly status: AlertStatus;
}

function alertOf(payload: Payload, { title, transition, status }: Reading, context: DeliveryContext) {
  const { alert_id, alert_scope, alert_query, hostname, link } = payload;
  const [prefix = "", priority, , scopeInTitle] = PREFIX.exec(title) ?? [];
  const alert_priority = payload.alert_priority ?? priority;
  const name = title.slice(prefix.length);
  const at = timeOf(payload.date) ?? timeOf(payload.last_updated);
  const group = alert_scope ?? scopeInTitle;
  const scope = labelsIn(group);
  const labels = labelsIn(payload.tags);
  return alertFrom(
    {
      source: "datadog",
      // A monitor has one alert for each group of its scope.
      id: alert_id === undefined ? payload.aggreg_key : `${alert_id}/${group ?? hostname ?? ""}`,
      status,
      startsAt: at,
      endsAt: at,
      endsLatest: true,
      name,
      title: name,
      description: [
        (payload.event_msg ?? payload.body)?.replace(MARKUP, "").trim(),
        alert_query && `query: ${alert_query}`,
      ],
      link,
      // `priority` is normal or low, so it says less than the others.
      severity: [
        alert_priority,
        labels.severity,
        transition === "warn" ? "warning" : payload.alert_type,
        payload.priority,
      ],
      target: context.targetOf(scope) ?? hostname,
      labels: { ...labels, ...scope, hostname, priority: alert_priority, monitor_id: alert_id },
    },
    context,
  );
}

/** `env:prod,host:a,monitor`: a tag without a value is a label `tags`. */
function labelsIn(tags: string | undefined): Record<string, string> {
  const labels = new Map<string, string>();
  for (const tag of (tags ?? "").split(",").map((each) => each.trim())) {
    const colon = tag.indexOf(":");
    const [name, value] = colon < 1 ? ["tags", tag] : [tag.slice(0, colon), tag.slice(colon + 1)];
    const earlier = labels.get(name);
    if (value !== "" && name !== "__proto__") labels.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(labels);
}

/** Unix time in milliseconds, or in seconds. */
function timeOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{10,13}$/.test(text)) return undefined;
  return new Date(text.length > 10 ? Number(text) : Number(text) * 1_000);
}
