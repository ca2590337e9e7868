// Runs the work of a Slack payload after its acknowledgement, and sends its result, or its failure, as a message.

import type { Message, MessageBlock } from "../../adapters/block-kit.ts";
import { DependencyError, settle } from "../../dependencies.ts";
import { claimWebhookDelivery } from "../../incidents/webhook-deduplication.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { failure, UNDELIVERABLE } from "./notices.ts";
import type { SlackContext } from "./slack-context.ts";

export interface SlackAnswer {
  readonly message: Message;
  readonly audience: "channel" | "person";
}

export type Deliver = (message: Message, audience: SlackAnswer["audience"]) => Promise<void>;

export interface Work {
  /** Null if there is nothing to send. */
  readonly work: () => Promise<SlackAnswer | null>;
  readonly deliver: Deliver;
  /** Shown below the notice of a failure. */
  readonly belowFailure?: readonly MessageBlock[];
}

/**
 * Runs the work of a Slack delivery once, and sends its answer or a failure notice.
 * @param deliveryName identifies the delivery, so that Slack's retries run nothing
 */
export async function runAndDeliver(context: SlackContext, deliveryName: string, work: Work): Promise<void> {
  if (await isFirstDelivery(context, deliveryName)) await runAndDeliverAlways(context, work);
  else context.services.log("info", "slack.repeated");
}

/** The same for work that a repetition does not harm. */
export async function runAndDeliverAlways(
  context: SlackContext,
  { work, deliver, belowFailure = [] }: Work,
): Promise<void> {
  const { services, requestId: request_id } = context;
  const answer = await work().catch((error: unknown): SlackAnswer => {
    logFailure(context, error);
    const notice = failure(error, request_id);
    return { message: { ...notice, blocks: [...notice.blocks, ...belowFailure] }, audience: "person" };
  });
  if (answer === null) return;
  const delivered = await settle(deliver(answer.message, answer.audience));
  if (delivered.ok) return;
  services.log("error", "slack.undelivered", { error: delivered.error.message });
  // Slack may accept a short notice after it refused the full message. After a timeout the message may be visible already.
  if (delivered.error.failure === "refused") await deliver(UNDELIVERABLE, "person").catch(noop);
}

/** True while the database is unavailable: a repeated answer is better than none. */
async function isFirstDelivery({ services }: SlackContext, name: string): Promise<boolean> {
  const claimed = await settle(claimWebhookDelivery(services.database, name, services.now()));
  if (claimed.ok) return claimed.value;
  services.log("warn", "slack.claim_failed", { error: claimed.error.message });
  return true;
}

/** The message of a dependency failure holds no user content. */
function logFailure({ services }: SlackContext, error: unknown): void {
  if (error instanceof DependencyError || error instanceof RecallUnavailable) {
    services.log("error", "slack.dependency_failed", { error: error.message });
    return;
  }
  services.log("error", "slack.failed", { error: error instanceof Error ? error : "unknown" });
}

function noop(): void {}
