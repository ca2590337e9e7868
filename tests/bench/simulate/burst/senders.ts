// Senders of webhooks: deliver at the planned time and again after a refusal, as Alertmanager does.

import { z } from "zod";
import type { VirtualClock } from "../platform/virtual-clock.ts";
import type { Webhook } from "./webhooks.ts";

/** Outcomes of all deliveries. */
export interface DeliveryCounts {
  readonly requests: number;
  /** Requests by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 429 and 503 without Retry-After. */
  readonly withoutRetryAfter: number;
  /** Alerts by decision, of the last answer to each webhook. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Alerts of all webhooks, those of repeated ones included. */
  readonly offered: number;
  /** Virtual milliseconds when the last webhook was accepted. */
  readonly lastAcceptedAt: number;
  /** Webhooks that are not accepted yet. */
  readonly open: number;
  /** The longest time from the first try of a webhook to its acceptance. */
  readonly longestDeliveryMs: number;
}

export interface SenderOptions {
  readonly clock: VirtualClock;
  readonly random: () => number;
  /** Sends one request. */
  readonly send: (webhook: Webhook) => Promise<Response>;
}

/** Alertmanager's backoff after 5xx: 0.5 s, growing by half up to a minute, half of it at random. */
const FIRST_BACKOFF_MS = 500;
const BACKOFF_FACTOR = 1.5;
const MAX_BACKOFF_MS = 60_000;
/** After 4xx, Alertmanager gives up until the next notification of the group: its `group_interval`. */
const GROUP_INTERVAL_MS = 300_000;

const receiptSchema = z.object({ alerts: z.array(z.object({ decision: z.string() })), persisted: z.unknown() });

export function startSenders(webhooks: readonly Webhook[], { clock, random, send }: SenderOptions): DeliveryCounts {
  const statuses: Record<string, number> = {};
  const decisions: Record<string, number> = {};
  const counts = { requests: 0, withoutRetryAfter: 0, lastAcceptedAt: 0, open: webhooks.length, longestDeliveryMs: 0 };
  const deliver = async (webhook: Webhook): Promise<void> => {
    for (let tries = 0; ; tries++) {
      counts.requests += 1;
      const response = await send(webhook);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      if (response.status === 202) {
        const { alerts } = receiptSchema.parse(await response.json());
        for (const { decision } of alerts) decisions[decision] = (decisions[decision] ?? 0) + 1;
        break;
      }
      if (response.status !== 429 && response.status < 500)
        throw new Error(`A webhook was answered with ${response.status}: ${await response.text()}`);
      if (!response.headers.has("retry-after")) counts.withoutRetryAfter += 1;
      const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * BACKOFF_FACTOR ** tries) * (0.5 + random());
      await clock.sleep(response.status === 429 ? GROUP_INTERVAL_MS : backoff);
    }
    counts.open -= 1;
    counts.lastAcceptedAt = clock.now();
    counts.longestDeliveryMs = Math.max(counts.longestDeliveryMs, clock.now() - webhook.sentAt);
  };
  for (const webhook of webhooks) clock.after(webhook.sentAt, () => clock.start(() => deliver(webhook)));
  const offered = webhooks.reduce((sum, { alerts }) => sum + alerts, 0);
  return Object.assign(counts, { statuses, decisions, offered });
}
