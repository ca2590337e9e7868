// Messages of SNS topics: the envelope, and the signed text. Pure functions.
// https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html

import { z } from "@hono/zod-openapi";
import { isTopicServiceUrl } from "../../adapters/topic-service.ts";

export const topicMessageSchema = z.looseObject({
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
export type TopicMessage = z.infer<typeof topicMessageSchema>;

const NOTIFICATION_FIELDS = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const;
const CONFIRMATION_FIELDS = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const;

/** The text that SNS signs. */
export function signedText(message: TopicMessage): string {
  const fields = message.Type === "Notification" ? NOTIFICATION_FIELDS : CONFIRMATION_FIELDS;
  return fields.flatMap((name) => (message[name] == null ? [] : [`${name}\n${message[name]}\n`])).join("");
}

/** Whether a call of the message's SubscribeURL confirms its subscription, and does nothing else. */
export function confirmsSubscription({ SubscribeURL, TopicArn }: TopicMessage): boolean {
  if (!SubscribeURL || !isTopicServiceUrl(SubscribeURL)) return false;
  const { pathname, searchParams } = new URL(SubscribeURL);
  return (
    pathname === "/" &&
    searchParams.get("Action") === "ConfirmSubscription" &&
    searchParams.get("TopicArn") === TopicArn &&
    searchParams.has("Token")
  );
}
