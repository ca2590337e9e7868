// Alerts with labels and annotations: webhooks of Alertmanager and Grafana, lists of their APIs and of Prometheus, and
// single alerts. Pure functions.

import { z } from "zod";
import { isPlausible } from "../../functions/incidents/webhooks/alert-times.ts";
import { deliveryOf, withoutSuppressed } from "../../functions/incidents/webhooks/prometheus-alert.ts";
import type { DeliveryContext } from "../../functions/incidents/webhooks/webhook.ts";
import type { AlertDelivery } from "../../functions/schemas/alert.ts";

const record = z.record(z.string(), z.unknown());
/** Values that are no text are written as JSON. */
const texts = record.transform((values) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  ),
);
const alert = z.looseObject({
  labels: texts,
  annotations: texts.nullish(),
  status: z.union([z.string(), z.looseObject({ state: z.string() })]).nullish(),
  state: z.string().nullish(),
  startsAt: z.string().nullish(),
  activeAt: z.string().nullish(),
  endsAt: z.string().nullish(),
  fingerprint: z.string().nullish(),
  valueString: z.string().nullish(),
});
type PastedAlert = z.infer<typeof alert>;
const group = z.looseObject({
  groupLabels: texts.nullish(),
  commonLabels: texts.nullish(),
  commonAnnotations: texts.nullish(),
  truncatedAlerts: z.number().int().min(0).nullish().catch(null),
  alerts: z.array(alert),
});
const response = z.looseObject({
  status: z.literal("success"),
  data: z.union([z.array(alert), z.looseObject({ alerts: z.array(alert) })]),
});

/** Null for another shape. */
export function prometheusAlerts(payload: unknown, context: DeliveryContext): AlertDelivery | null {
  const webhook = group.safeParse(payload);
  if (webhook.success && webhook.data.alerts.length > 0) {
    const { groupLabels, commonLabels, commonAnnotations, truncatedAlerts, alerts } = webhook.data;
    const common = {
      groupLabels: groupLabels ?? {},
      commonLabels: commonLabels ?? {},
      commonAnnotations: commonAnnotations ?? {},
    };
    return deliver(alerts, { ...common, truncatedAlerts: truncatedAlerts ?? 0 }, context);
  }
  const list = listOf(payload);
  const common = { groupLabels: {}, commonLabels: {}, commonAnnotations: {}, truncatedAlerts: 0 };
  return list !== null && list.length > 0 && list.every(isAlert) ? deliver(list, common, context) : null;
}

function listOf(payload: unknown): PastedAlert[] | null {
  const answered = response.safeParse(payload);
  if (answered.success) return Array.isArray(answered.data.data) ? answered.data.data : answered.data.data.alerts;
  const parsed = z.array(alert).safeParse(Array.isArray(payload) ? payload : [payload]);
  return parsed.success ? parsed.data : null;
}

/** Other documents have labels, too: a log line, for example. */
function isAlert({ labels, annotations, startsAt, activeAt }: PastedAlert): boolean {
  return labels.alertname !== undefined || (annotations != null && (startsAt ?? activeAt) != null);
}

interface Common {
  readonly groupLabels: Record<string, string>;
  readonly commonLabels: Record<string, string>;
  readonly commonAnnotations: Record<string, string>;
  readonly truncatedAlerts: number;
}

function deliver(list: readonly PastedAlert[], common: Common, context: DeliveryContext): AlertDelivery {
  const { receivedAt } = context;
  const pending = list.filter((each) => stateOf(each) === "pending");
  const { shown, ignored } = withoutSuppressed(
    list.filter((each) => !pending.includes(each)),
    (each) => stateOf(each) === "suppressed",
  );
  const readable = shown.map((each, i) => ({
    status: isResolved(each, receivedAt) ? ("resolved" as const) : ("firing" as const),
    labels: each.labels,
    annotations: each.annotations ?? {},
    startsAt: timeOf(each.startsAt ?? each.activeAt) ?? receivedAt,
    endsAt: undefined,
    fingerprint: each.fingerprint ?? `pasted-${i}`,
    ...(each.valueString == null ? {} : { valueString: each.valueString }),
  }));
  const rule = "it is pending and does not fire yet";
  const alerts = { readable, refused: [], leftOut: 0 };
  return {
    ...deliveryOf("pasted", { ...common, alerts }, context),
    ignored: [...pending.map((_, i) => ({ fingerprint: `pending-${i}`, status: null, rule })), ...ignored],
  };
}

function stateOf({ status, state }: PastedAlert): string {
  return (state ?? (typeof status === "string" ? status : status?.state) ?? "firing").toLowerCase();
}

/** A list of firing alerts has ends in the future; a webhook has Go's zero time. */
function isResolved(pasted: PastedAlert, now: Date): boolean {
  if (["resolved", "inactive", "normal", "ok"].includes(stateOf(pasted))) return true;
  const end = pasted.status === "firing" ? null : timeOf(pasted.endsAt);
  return end !== null && end < now;
}

function timeOf(value: string | null | undefined): Date | null {
  const time = new Date(value ?? "");
  return !Number.isNaN(time.getTime()) && isPlausible(time) ? time : null;
}

const legacy = z.looseObject({
  ruleName: z.string().min(1),
  state: z.string(),
  title: z.string().nullish(),
  message: z.string().nullish(),
  tags: texts.nullish(),
  evalMatches: z.array(z.looseObject({ metric: z.string().nullish(), value: z.number().nullish() })).nullish(),
});

/** A webhook of Grafana before version 9: one rule. */
export function legacyAlert(payload: unknown, context: DeliveryContext): AlertDelivery | null {
  const parsed = legacy.safeParse(payload);
  if (!parsed.success) return null;
  const { ruleName, state, title, message, tags, evalMatches } = parsed.data;
  const values = (evalMatches ?? []).map(({ metric, value }) => `${metric ?? "value"}: ${value ?? "none"}`).join("\n");
  const annotations = {
    summary: title?.replace(/^\[[^\]]{1,20}\]\s*/, "") || ruleName,
    ...(message ? { description: message } : {}),
    ...(values === "" ? {} : { values }),
  };
  return prometheusAlerts([{ labels: { ...tags, alertname: ruleName }, annotations, status: state }], context);
}
