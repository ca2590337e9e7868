// What Slack commands and buttons do: each runs one use case and returns its result, or its failure, as a message. Runs
// after Slack got its acknowledgement.

import { signInLink } from "../../answer-view/console-link.ts";
import type { RunInBackground } from "../../background-tasks.ts";
import { DependencyError, settle } from "../../dependencies.ts";
import { findIncident, getIncident } from "../../incidents/incident-records.ts";
import { claimWebhookDelivery } from "../../incidents/webhook-deduplication.ts";
import { recordTry } from "../../investigation/learning/record-try.ts";
import { resolveIncident } from "../../investigation/learning/resolve-incident.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { searchMemory } from "../../investigation/search-memory.ts";
import { triage } from "../../investigation/triage.ts";
import { giveFeedback } from "../../memory/give-feedback.ts";
import type { Services } from "../../services.ts";
import { leaveAuditEvent } from "../middleware/audit.ts";
import { type Message, type MessageBlock, plainMessage } from "./block-kit.ts";
import { type Command, triageRequestOf } from "./commands.ts";
import {
  AMBIGUOUS_INCIDENT,
  failure,
  helpMessage,
  NO_SUCH_INCIDENT,
  renderSignInLink,
  TOO_MANY_TRIAGES,
  UNDELIVERABLE,
} from "./notices.ts";
import { PENDING_FIX, renderRating } from "./render-fix.ts";
import { renderIncident, renderResolved, renderSimilar } from "./render-records.ts";
import { renderTriage } from "./render-triage.ts";

export interface SlackContext {
  readonly services: Services;
  readonly requestId: string;
  /** The address of the console. */
  readonly origin: string;
  readonly runInBackground: RunInBackground;
}

export interface Answer {
  readonly message: Message;
  readonly audience: "channel" | "person";
}

export type Deliver = (message: Message, audience: Answer["audience"]) => Promise<void>;

export interface Work {
  /** Null if there is nothing to send. */
  readonly work: () => Promise<Answer | null>;
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
  const answer = await work().catch((error: unknown): Answer => {
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

export interface CommandSource {
  /** How people call Dejavu here: `/triage` or `@dejavu`. */
  readonly address: string;
  readonly sessionId: string;
  readonly channel: string;
  /** Unique id of the person: for rate limits, fixes and audit events. */
  readonly person: string;
  /** Display name of the person. */
  readonly by: string;
}

export async function runCommand(context: SlackContext, command: Command, source: CommandSource): Promise<Answer> {
  const { services, runInBackground } = context;
  switch (command.name) {
    case "help":
    case "unclear":
      return { message: helpMessage(command, source.address), audience: "person" };
    case "triage": {
      if (!(await services.limits.triages(source.person))) {
        services.log("warn", "slack.too_many_triages");
        return { message: TOO_MANY_TRIAGES, audience: "person" };
      }
      const request = triageRequestOf(command.text, source.sessionId);
      const outcome = await triage(services, request, { idempotency: null, runInBackground });
      if (outcome.state !== "answered") throw new TypeError(`A triage without a key is ${outcome.state}.`);
      recordAuditEvent(context, outcome.result.incident_id, source.person);
      return { message: renderTriage(outcome.result, source.channel, context.origin), audience: "channel" };
    }
    case "console": {
      const { sessions, database } = services;
      const { code } = await sessions.createCode(database, { kind: "slack", id: source.person, name: source.by });
      recordAuditEvent(context, "console", source.person);
      return { message: renderSignInLink(signInLink(context.origin, code)), audience: "person" };
    }
    case "similar": {
      const hits = await searchMemory(services, { query: command.text, sessionId: source.sessionId });
      return { message: renderSimilar(hits), audience: "person" };
    }
    case "status":
      return onIncident(context, command.incident, async (id) => {
        const incident = await getIncident(services.database, id);
        return incident && { message: renderIncident(incident, source.channel, context.origin), audience: "person" };
      });
    case "resolve":
      return onIncident(context, command.incident, async (incidentId) => {
        const message = await resolveOrTry(context, { incidentId, text: command.resolution }, source);
        return message && { message, audience: "channel" };
      });
  }
}

/**
 * Records the fix, beside the one of another person if there is one: they or an admin may replace theirs.
 * @returns null for an unknown incident
 */
async function resolveOrTry(
  context: SlackContext,
  { incidentId, text }: { readonly incidentId: string; readonly text: string },
  { person, by }: Pick<CommandSource, "person" | "by">,
): Promise<Message | null> {
  const { services, runInBackground } = context;
  const author = { caller: person, isAdmin: false };
  const request = { incidentId, resolution: text, resolvedBy: by, worked: null, author };
  const resolved = await resolveIncident(services, request, runInBackground);
  if (resolved === null) return null;
  if (resolved.state === "pending") {
    recordAuditEvent(context, incidentId, person);
    return plainMessage(PENDING_FIX);
  }
  if (resolved.state === "of_another") {
    const attempt = { incidentId, action: text, helped: true, by, conditions: null, fixId: null, author };
    if ((await recordTry(services, attempt, runInBackground)) === null) return null;
  }
  recordAuditEvent(context, incidentId, person);
  return renderResolved(resolved, text);
}

/** Runs the work on the incident whose id begins with the digits. */
async function onIncident(
  { services }: SlackContext,
  digits: string,
  work: (id: string) => Promise<Answer | null>,
): Promise<Answer> {
  const match = await findIncident(services.database, digits);
  if (match.state === "ambiguous") return { message: AMBIGUOUS_INCIDENT, audience: "person" };
  const answer = match.state === "found" ? await work(match.id) : null;
  return answer ?? { message: NO_SUCH_INCIDENT, audience: "person" };
}

export interface Press {
  readonly triageId: string;
  readonly incidentId: string;
  /** Unique id of the person; only its digest is stored. */
  readonly person: string;
  /** Display name of the person. */
  readonly name: string;
}

/** Records a rating. Pressing the button again changes nothing. */
export async function handleRating(context: SlackContext, rating: 1 | -1, press: Press): Promise<Answer> {
  const { triageId, person } = press;
  const feedback = { triageId, person, rating, comment: null } as const;
  const recorded = await giveFeedback(context.services, feedback, context.runInBackground);
  if (recorded !== null) recordAuditEvent(context, triageId, person);
  return { message: renderRating(rating, recorded), audience: "person" };
}

/** @param person their unique id is the actor */
export function recordAuditEvent(
  { services, requestId, runInBackground }: SlackContext,
  subject: string,
  person: string,
): void {
  const by = { actor: person, requestId };
  const change = { at: services.now(), by, method: "POST", route: "/slack", status: 200, subject };
  runInBackground(leaveAuditEvent(services, change));
}

function noop(): void {}
