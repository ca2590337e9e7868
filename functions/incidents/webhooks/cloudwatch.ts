// Alarms of Amazon CloudWatch: through an SNS topic, in its envelope or as raw messages, and as events of EventBridge.
// https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/cloudwatch-and-eventbridge.html

import { z } from "@hono/zod-openapi";
import { isTopicServiceUrl, type TopicService } from "../../adapters/topic-service.ts";
import type { AlertDelivery, AlertStatus } from "../../schemas/alert.ts";
import { alertFrom, deliveryFrom } from "./alert-from.ts";
import { optional, optionalText, optionalTexts } from "./optional-fields.ts";
import type { DeliveryContext, Webhook } from "./webhook.ts";

const dimensions = optional(z.array(z.looseObject({ name: z.string(), value: z.string() })), "array");
const metricFields = { MetricName: optionalText, Namespace: optionalText, Dimensions: dimensions };
/** An alarm on an expression has `Metrics`. */
const triggerSchema = z.looseObject({
  ...metricFields,
  Metrics: optional(
    z.array(
      z.looseObject({
        MetricStat: optional(z.looseObject({ Metric: z.looseObject(metricFields) }), "object"),
      }),
    ),
    "array",
  ),
});
const alarmSchema = z.looseObject({
  AlarmName: z.string().min(1),
  NewStateValue: z.string(),
  AlarmArn: optionalText,
  AlarmDescription: optionalText,
  AWSAccountId: optionalText,
  NewStateReason: optionalText,
  StateChangeTime: optionalText,
  AlarmTags: optionalTexts,
  Trigger: optional(triggerSchema, "object"),
});

const eventMetricSchema = z.looseObject({ name: optionalText, namespace: optionalText, dimensions: optionalTexts });
const configurationSchema = z.looseObject({
  description: optionalText,
  metrics: optional(
    z.array(z.looseObject({ metricStat: optional(z.looseObject({ metric: eventMetricSchema }), "object") })),
    "array",
  ),
});
const eventSchema = z.looseObject({
  "detail-type": z.string(),
  source: z.literal("aws.cloudwatch"),
  account: optionalText,
  resources: optional(z.array(z.string()), "array"),
  detail: z.looseObject({
    alarmName: z.string().min(1),
    state: z.looseObject({ value: z.string(), reason: optionalText, timestamp: optionalText }),
    configuration: optional(configurationSchema, "object"),
    alarmTags: optionalTexts,
  }),
});

/** What both forms say. */
interface Alarm {
  readonly name: string;
  readonly state: string;
  readonly arn: string | undefined;
  readonly account: string | undefined;
  readonly description: string | undefined;
  readonly reason: string | undefined;
  readonly changedAt: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly metric: string | undefined;
  readonly namespace: string | undefined;
  readonly dimensions: readonly (readonly [name: string, value: string])[];
}

const alarm = alarmSchema.transform((message): Alarm => {
  const { Trigger } = message;
  const stat = Trigger?.Metrics?.find(({ MetricStat }) => MetricStat !== undefined)?.MetricStat?.Metric;
  return {
    name: message.AlarmName,
    state: message.NewStateValue,
    arn: message.AlarmArn,
    account: message.AWSAccountId,
    description: message.AlarmDescription,
    reason: message.NewStateReason,
    changedAt: message.StateChangeTime,
    tags: message.AlarmTags ?? {},
    metric: Trigger?.MetricName ?? stat?.MetricName,
    namespace: Trigger?.Namespace ?? stat?.Namespace,
    dimensions: (Trigger?.Dimensions ?? stat?.Dimensions ?? []).map(({ name, value }) => [name, value] as const),
  };
});
const event = eventSchema.transform(({ detail, resources, account }): Alarm => {
  const metric = detail.configuration?.metrics?.find(({ metricStat }) => metricStat !== undefined)?.metricStat?.metric;
  return {
    name: detail.alarmName,
    state: detail.state.value,
    arn: resources?.[0],
    account,
    description: detail.configuration?.description,
    reason: detail.state.reason,
    changedAt: detail.state.timestamp,
    tags: detail.alarmTags ?? {},
    metric: metric?.name,
    namespace: metric?.namespace,
    dimensions: Object.entries(metric?.dimensions ?? {}),
  };
});
const message = z.union([alarm, event]);

/** The message itself. In an envelope of SNS, it is a text in the field `Message`. */
const EXAMPLE = {
  AlarmName: "orders-db-cpu-high",
  AlarmDescription: "CPU of orders-db is above 90 %.",
  NewStateValue: "ALARM",
  NewStateReason: "Threshold Crossed: 1 out of the last 1 datapoints [97.5] was greater than the threshold (90.0).",
  StateChangeTime: "2026-03-01T02:55:12.345+0000",
  AlarmArn: "arn:aws:cloudwatch:eu-central-1:123456789012:alarm:orders-db-cpu-high",
  Trigger: {
    MetricName: "CPUUtilization",
    Namespace: "AWS/RDS",
    Dimensions: [{ name: "DBInstanceIdentifier", value: "orders-db" }],
  },
};

/** Null for a message of a topic that is no alarm: other services write to topics, too. */
interface Delivered {
  readonly envelope: TopicMessage | null;
  readonly alarm: Alarm | null;
}

/** The `Message` of an envelope is JSON in a string. */
const schema = z
  .looseObject({})
  .openapi({ example: EXAMPLE })
  .transform((payload, context): Delivered => {
    if (typeof payload.Type !== "string") {
      const parsed = message.safeParse(payload);
      if (parsed.success) return { envelope: null, alarm: parsed.data };
      context.addIssue({
        code: "custom",
        message: "must be a message of SNS, an alarm of CloudWatch or its event of EventBridge",
      });
      return z.NEVER;
    }
    const envelope = topicMessageSchema.safeParse(payload);
    if (envelope.success) return { envelope: envelope.data, alarm: alarmIn(envelope.data) };
    for (const { path, message: text } of envelope.error.issues)
      context.addIssue({ code: "custom", path: [...path], message: text });
    return z.NEVER;
  });

function alarmIn({ Type, Message }: TopicMessage): Alarm | null {
  if (Type !== "Notification") return null;
  try {
    return message.safeParse(JSON.parse(Message)).data ?? null;
  } catch {
    // Text for people.
    return null;
  }
}

const STATUS: ReadonlyMap<string, AlertStatus> = new Map([
  ["ALARM", "firing"],
  ["OK", "resolved"],
]);

export const cloudwatch: Webhook<"cloudwatch", typeof schema> = {
  name: "cloudwatch",
  summary: "Take alarms of Amazon CloudWatch, from SNS or EventBridge",
  description:
    "`ALARM` reports an alert, and `OK` ends it. A request to confirm a subscription is confirmed. The signature of a message of SNS is verified besides the token.",
  schema,
  authentication: { kind: "bearer" },
  isPlainText: true,
  whenTooLarge: "SNS sends no larger bodies.",
  verifyWithSender: verifyEnvelope,
  toAlerts({ envelope, alarm: reported }, context): AlertDelivery {
    const ignored = (rule: string) =>
      deliveryFrom("cloudwatch", null, [{ fingerprint: envelope?.MessageId ?? "", status: null, rule }]);
    if (envelope?.Type === "SubscriptionConfirmation") return ignored("the subscription is confirmed");
    if (envelope?.Type === "UnsubscribeConfirmation") return ignored("the subscription has ended");
    if (reported === null) return ignored("the message is no alarm of CloudWatch");
    const status = STATUS.get(reported.state);
    return status === undefined
      ? ignored(`the state ${reported.state.slice(0, 64)} neither starts nor ends an alert`)
      : deliveryFrom("cloudwatch", alertOf(reported, status, context));
  },
};

/** Verifies the signature, then confirms a subscription. Nothing is fetched for a message without an envelope. */
async function verifyEnvelope({ envelope }: Delivered, service: TopicService): Promise<string | null> {
  if (envelope === null) return null;
  const { SignatureVersion: version, Signature: signature, SigningCertURL: certificate } = envelope;
  if (!(await service.isSigned({ text: signedText(envelope), version, signature, certificate })))
    return "The signature of the message is not that of SNS. Messages are verified with the certificate at SigningCertURL, which must be at https://sns.<region>.amazonaws.com.";
  if (envelope.Type !== "SubscriptionConfirmation") return null;
  if (!confirmsSubscription(envelope))
    return "SubscribeURL does not confirm this subscription. It must be at https://sns.<region>.amazonaws.com, and name the topic of the message.";
  await service.confirm(envelope.SubscribeURL ?? "");
  return null;
}

function alertOf(reported: Alarm, status: AlertStatus, context: DeliveryContext) {
  const at = timeOf(reported.changedAt);
  const region = /^arn:[\w-]{1,20}:cloudwatch:([a-z0-9-]{1,30}):/.exec(reported.arn ?? "")?.[1];
  return alertFrom(
    {
      source: "cloudwatch",
      id: reported.arn ?? `${reported.account ?? ""}/${reported.name}`,
      status,
      startsAt: at,
      endsAt: at,
      endsLatest: true,
      name: reported.name,
      description: [reported.description, reported.reason],
      link: region && pageOf(region, reported.name),
      severity: [reported.tags.severity, reported.tags.Severity, reported.tags.priority],
      target: targetIn(reported.dimensions),
      labels: {
        ...reported.tags,
        ...Object.fromEntries(reported.dimensions),
        metric_name: reported.metric,
        metric_namespace: reported.namespace,
        region,
        account: reported.account,
      },
    },
    context,
  );
}

/** The last dimension that names an object: the earlier ones are wider, and others are a kind of operation. */
function targetIn(dimensions: Alarm["dimensions"]): string | undefined {
  return (dimensions.findLast(([name]) => /(?:Name|Id|Identifier)$/.test(name)) ?? dimensions[0])?.[1];
}

function pageOf(region: string, name: string): string {
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#alarmsV2:alarm/${encodeURIComponent(name)}`;
}

/** CloudWatch writes offsets without a colon: `+0000`. */
function timeOf(text: string | undefined): Date | undefined {
  const time = new Date((text ?? "").replace(/([+-]\d{2})(\d{2})$/, "$1:$2"));
  return Number.isNaN(time.getTime()) ? undefined : time;
}

const topicMessageSchema = z.looseObject({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
  MessageId: z.string().regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 visible ASCII characters"),
  TopicArn: z.string().min(1).max(512),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string().max(4_096),
  SigningCertURL: z.string().max(2_048),
  Subject: z.string().nullish(),
  Token: z.string().nullish(),
  SubscribeURL: z.string().max(4_096).nullish(),
});
type TopicMessage = z.infer<typeof topicMessageSchema>;

const NOTIFICATION_FIELDS = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const;
const CONFIRMATION_FIELDS = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const;

/** The text that SNS signs. */
function signedText(message: TopicMessage): string {
  const fields = message.Type === "Notification" ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS;
  return fields.flatMap((name) => (message[name] == null ? [] : [`${name}\n${message[name]}\n`])).join("");
}

/** Whether a call of the message's SubscribeURL confirms its subscription, and does nothing else. */
function confirmsSubscription({ SubscribeURL, TopicArn }: TopicMessage): boolean {
  if (!SubscribeURL || !isTopicServiceUrl(SubscribeURL)) return false;
  const { pathname, searchParams } = new URL(SubscribeURL);
  return (
    pathname === "/" &&
    searchParams.get("Action") === "ConfirmSubscription" &&
    searchParams.get("TopicArn") === TopicArn &&
    searchParams.has("Token")
  );
}
