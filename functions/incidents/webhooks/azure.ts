// Webhook of Azure Monitor's action groups, in the common alert schema:
// https://learn.microsoft.com/en-us/azure/azure-monitor/alerts/alerts-common-schema

import { z } from "@hono/zod-openapi";
import type { AlertDelivery, AlertStatus } from "../../schemas/alert.ts";
import { alertFrom, deliveryFrom } from "./alert-from.ts";
import { optionalTime } from "./alert-times.ts";
import { optional, optionalText, optionalTexts } from "./optional-fields.ts";
import type { DeliveryContext, Webhook } from "./webhook.ts";

const texts = optional(z.array(z.string()), "array");

const essentialsSchema = z.looseObject({
  alertId: z.string().min(1),
  alertRule: z.string(),
  monitorCondition: z.string(),
  severity: optionalText,
  signalType: optionalText,
  monitoringService: optionalText,
  alertTargetIDs: texts,
  configurationItems: texts,
  originAlertId: optionalText,
  firedDateTime: optionalTime,
  resolvedDateTime: optionalTime,
  description: optionalText,
  investigationLink: optionalText,
});
const scalar = optional(z.union([z.string(), z.number()]), "string");
/** Of a metric alert or a log alert. */
const conditionSchema = z.looseObject({
  metricName: scalar,
  searchQuery: scalar,
  operator: scalar,
  threshold: scalar,
  metricValue: scalar,
  timeAggregation: scalar,
  dimensions: optional(z.array(z.looseObject({ name: z.string(), value: z.string() })), "array"),
});
type Condition = z.infer<typeof conditionSchema>;
/** Alerts of the managed Prometheus have labels and annotations in place of conditions. Other alerts have contexts of their own. */
const contextSchema = z.looseObject({
  condition: optional(z.looseObject({ allOf: z.array(conditionSchema).max(100) }), "object"),
  labels: optionalTexts,
  annotations: optionalTexts,
});

const EXAMPLE = {
  schemaId: "azureMonitorCommonAlertSchema",
  data: {
    essentials: {
      alertId:
        "/subscriptions/11111111-1111-1111-1111-111111111111/providers/Microsoft.AlertsManagement/alerts/b9569717-bc32-442f-add5-83a997729330",
      alertRule: "orders-vm cpu",
      severity: "Sev1",
      signalType: "Metric",
      monitorCondition: "Fired",
      monitoringService: "Platform",
      configurationItems: ["orders-vm"],
      firedDateTime: "2026-03-01T02:55:24.3713213Z",
      description: "The CPU of orders-vm is above 90 %.",
    },
    alertContext: {
      condition: {
        allOf: [{ metricName: "Percentage CPU", operator: "GreaterThan", threshold: "90", metricValue: 97.7 }],
      },
    },
    customProperties: { runbook_url: "https://wiki.example/runbooks/orders-vm" },
  },
};

const schema = z
  .looseObject({
    schemaId: z.literal("azureMonitorCommonAlertSchema", {
      error:
        'must be "azureMonitorCommonAlertSchema": enable the common alert schema in the action of the action group',
    }),
    data: z.looseObject({
      essentials: essentialsSchema,
      alertContext: optional(contextSchema, "object"),
      customProperties: optionalTexts,
    }),
  })
  .openapi({ example: EXAMPLE });
type Data = z.output<typeof schema>["data"];

const STATUS: ReadonlyMap<string, AlertStatus> = new Map([
  ["fired", "firing"],
  ["resolved", "resolved"],
]);

export const azure: Webhook<"azure", typeof schema> = {
  name: "azure",
  summary: "Take the webhook of Azure Monitor",
  description: "The common alert schema. `Fired` reports an alert, and `Resolved` ends it.",
  schema,
  authentication: { kind: "bearer" },
  whenTooLarge: "Azure Monitor sends no larger bodies.",
  toAlerts({ data }, context): AlertDelivery {
    const { monitorCondition } = data.essentials;
    const status = STATUS.get(monitorCondition.toLowerCase());
    if (status !== undefined) return deliveryFrom("azure", alertOf(data, status, context));
    const rule = "its monitorCondition is neither Fired nor Resolved";
    return deliveryFrom("azure", null, [{ fingerprint: "", status: null, rule }]);
  },
};

function alertOf({ essentials, alertContext, customProperties }: Data, status: AlertStatus, context: DeliveryContext) {
  const { alertId, alertRule, severity, description } = essentials;
  const { condition, labels = {}, annotations = {} } = alertContext ?? {};
  const conditions = condition?.allOf ?? [];
  const resource = essentials.alertTargetIDs?.[0] ?? "";
  const dimensions = conditions.flatMap((each) => each.dimensions ?? []).map(({ name, value }) => [name, value]);
  return alertFrom(
    {
      source: "azure",
      id: essentials.originAlertId ?? alertId,
      status,
      startsAt: essentials.firedDateTime,
      endsAt: essentials.resolvedDateTime,
      endsLatest: false,
      name: alertRule,
      description: [description, ...conditions.map(describeCondition), annotations.summary, annotations.description],
      link: essentials.investigationLink ?? pageOf(alertId),
      severity: [priorityOf(severity)],
      target: context.targetOf(labels) ?? lastSegment(essentials.configurationItems?.[0]) ?? lastSegment(resource),
      labels: {
        ...Object.fromEntries(dimensions),
        ...labels,
        ...customProperties,
        severity,
        signal_type: essentials.signalType,
        monitoring_service: essentials.monitoringService,
        resource_group: /\/resourcegroups\/([^/]{1,128})/i.exec(resource)?.[1],
        resource_type: /\/providers\/([^/]{1,128}\/[^/]{1,128})\/[^/]{1,256}$/i.exec(resource)?.[1],
        resource_id: resource,
        metric_name: conditions[0]?.metricName?.toString(),
      },
    },
    context,
  );
}

/** Sev0 is the most severe. */
function priorityOf(severity: string | undefined): string | undefined {
  const level = /^sev([0-4])$/i.exec(severity ?? "")?.[1];
  return level === undefined ? undefined : `P${Number(level) + 1}`;
}

/** Both parts in one line: `Average Percentage CPU is 97.7, GreaterThan 90`. */
function describeCondition(condition: Condition): string {
  const { metricName, searchQuery, operator, threshold, metricValue, timeAggregation } = condition;
  const what = [timeAggregation, metricName ?? "of the query"].filter((part) => part !== undefined).join(" ");
  const line =
    metricValue === undefined ? "" : `${what} is ${metricValue}, ${operator ?? "limit"} ${threshold ?? ""}`.trim();
  return [line, searchQuery === undefined ? "" : `query: ${searchQuery}`].filter((part) => part !== "").join("\n");
}

function pageOf(alertId: string): string {
  return `https://portal.azure.com/#blade/Microsoft_Azure_Monitoring/AlertDetailsTemplateBlade/alertId/${encodeURIComponent(alertId)}`;
}

function lastSegment(id: string | undefined): string | undefined {
  return id?.split("/").findLast((part) => part !== "");
}
