// Generic webhook: an event in the structured mode of CloudEvents 1.0, signed as Standard Webhooks has it.
// https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

import { createHmac } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { sendJson } from "../../adapters/http/send-json.ts";
import { DependencyError } from "../../dependencies.ts";
import { findTargetUrlProblem } from "../../schemas/evidence/source-url.ts";
import { SEVERITIES } from "../../schemas/incident.ts";
import { OUTCOME_WORDS, OUTCOMES } from "../../schemas/outcome.ts";
import { handoverSchema } from "../../schemas/reports.ts";
import { plainContent, plainReply } from "./plain-text.ts";
import {
  type Content,
  type FailureMessage,
  MESSAGE_STATUSES,
  NOTIFICATION_EVENTS,
  type NotificationKind,
} from "./target.ts";

const options = z.object({
  url: z
    .string()
    .check(({ value, issues }) => {
      const message = findTargetUrlProblem(value);
      if (message !== null) issues.push({ code: "custom", message, input: value });
    })
    .describe("Address that takes the events. Redirects are refused."),
});

const severity = z.enum(SEVERITIES);
const link = z.string().nullable().describe("The page in the console; null without PUBLIC_URL.");

const failureSchema = z.object({
  incident_id: z.string(),
  title: z.string(),
  severity,
  domain: z.string(),
  target: z.string().nullable(),
  status: z.enum(MESSAGE_STATUSES),
  outcome: z.enum(OUTCOMES).nullable().describe(`${OUTCOME_WORDS} Null without an answer.`),
  probability: z.number().nullable().describe("0 to 1; null where a figure says nothing."),
  fix: z
    .object({
      lead: z
        .string()
        .describe("`Fixed before`, with how probable it is that it is the same failure, if that is open."),
      text: z.string(),
    })
    .nullable()
    .describe("What fixed it before."),
  resolution: z.string().nullable(),
  holder: z.string().nullable().describe("Such as `Acknowledged by dana`; null if nobody has it."),
  recurrence: z.string().nullable().describe("Such as `3rd time in 2 h, for 40 min, on 4 services`."),
  quotes: z.array(z.string()).describe("Error lines of the report."),
  link,
});

const summarySchema = z.object({
  total: z.number().int(),
  open: z.number().int().describe("When none is, another event says so."),
  failures: z.number().int(),
  by_severity: z.array(z.object({ severity, count: z.number().int() })),
  worst: z.array(
    z.object({
      ...{ incident_id: z.string(), title: z.string(), severity, target: z.string().nullable(), link },
      incidents: z.number().int(),
    }),
  ),
  link,
});

/** The body of a request to a webhook, for the API document. */
export const notificationEventSchema = z.object({
  specversion: z.literal("1.0"),
  id: z.string().describe("The same in each attempt to deliver the event, as is the header `webhook-id`."),
  source: z.string().describe("PUBLIC_URL, or `/dejavu` without it."),
  type: z
    .string()
    .describe(
      `\`dejavu.failure.<event>\` with ${NOTIFICATION_EVENTS.join(", ")}; \`dejavu.failures.summary\` in a storm; or \`dejavu.handover\`.`,
    ),
  subject: z.string().optional().describe("Id of the incident."),
  time: z.string(),
  datacontenttype: z.literal("application/json"),
  data: z.object({
    message_id: z.string().describe("The same in all events of one message."),
    text: z.string().describe("The message, or what is new, as plain text."),
    failure: failureSchema.nullable().describe("Null in a summary and in a handover."),
    summary: summarySchema.nullable(),
    handover: handoverSchema.nullable(),
  }),
});
type NotificationEventBody = z.infer<typeof notificationEventSchema>;

export const webhook: NotificationKind<"webhook", typeof options> = {
  name: "webhook",
  product: "Webhook",
  options,
  credential: {
    isRequired: true,
    holds: "the secret that signs each request, as Standard Webhooks has it: `whsec_` and Base64, or any text",
  },
  ticketOf: null,
  connect({ url }, secret, { timeoutMs, startTimer, now, origin }) {
    if (secret === null) throw new DependencyError("notification_target", "refused", "there is no secret to sign with");
    const send = async (id: string, event: Pick<NotificationEventBody, "type" | "subject" | "data">) => {
      const time = now();
      const source = origin ?? "/dejavu";
      const body = JSON.stringify({
        ...{ specversion: "1.0", id, source, time: time.toISOString(), datacontenttype: "application/json" },
        ...event,
      } satisfies NotificationEventBody);
      const timestamp = String(Math.floor(time.getTime() / 1_000));
      const headers = {
        "content-type": "application/cloudevents+json; charset=utf-8",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signatureOf(secret, `${id}.${timestamp}.${body}`)}`,
      };
      await sendJson(
        { url, method: "POST", headers, body },
        { dependency: "notification_target", timeoutMs, startTimer },
      );
    };
    return {
      async post(content, { id }) {
        await send(id, eventOf(content, id));
        return id;
      },
      edit: null,
      async reply(reference, reply, { id }) {
        const { event, message } = reply;
        const data = { message_id: reference, text: plainReply(reply), failure: failureOf(message), ...NEITHER };
        await send(id, { type: typeOf(event), subject: message.incidentId, data });
      },
    };
  },
};

/** HMAC-SHA256 in Base64. */
export function signatureOf(secret: string, signed: string): string {
  const encoded = /^whsec_([A-Za-z0-9+/]{16,512}={0,2})$/.exec(secret)?.[1];
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, "base64");
  return createHmac("sha256", key).update(signed).digest("base64");
}

const NEITHER = { summary: null, handover: null } as const;

function typeOf(event: (typeof NOTIFICATION_EVENTS)[number]): string {
  return `dejavu.failure.${event}`;
}

function eventOf(content: Content, id: string): Pick<NotificationEventBody, "type" | "subject" | "data"> {
  const data = { message_id: id, text: plainContent(content) };
  if (content.kind === "failure") {
    const { message } = content;
    const { event, incidentId } = message;
    return { type: typeOf(event), subject: incidentId, data: { ...data, failure: failureOf(message), ...NEITHER } };
  }
  if (content.kind === "handover") {
    const { handover } = content.handover;
    return { type: "dejavu.handover", data: { ...data, failure: null, summary: null, handover } };
  }
  const { total, open, failures, bySeverity, worst, link: list } = content.summary;
  return {
    type: "dejavu.failures.summary",
    data: {
      ...data,
      failure: null,
      summary: {
        total,
        open,
        failures,
        by_severity: bySeverity.map(([name, count]) => ({ severity: name, count })),
        worst: worst.map(({ incidentId, ...each }) => ({ incident_id: incidentId, ...each })),
        link: list,
      },
      handover: null,
    },
  };
}

function failureOf(message: FailureMessage): z.infer<typeof failureSchema> {
  const { title, domain, target, status, outcome, probability, fix, resolution, holder, recurrence, quotes } = message;
  return {
    ...{
      incident_id: message.incidentId,
      title,
      severity: message.severity,
      domain,
      target,
      status,
      outcome,
      probability,
    },
    ...{ fix, resolution, holder, recurrence, quotes: [...quotes], link: message.link },
  };
}
