// Owns what Dejavu does for people in Slack: one use case a command or button, its result as a message, and never
// silence. Nobody waits for it but the person; Slack has its acknowledgement already.

import type { RunInBackground } from "../../background-tasks.ts";
import { DependencyError, settle } from "../../dependencies.ts";
import { findIncident } from "../../incidents/find-incident.ts";
import { getIncident } from "../../incidents/incident-records.ts";
import { claimWebhookDelivery } from "../../incidents/webhook-deduplication.ts";
import { resolveIncident } from "../../investigation/learning/resolve-incident.ts";
import { RecallUnavailable } from "../../investigation/recall/recall-result.ts";
import { searchMemory } from "../../investigation/search-memory.ts";
import { triage } from "../../investigation/triage.ts";
import { giveFeedback } from "../../memory/give-feedback.ts";
import type { Services } from "../../services.ts";
import { leaveAuditEvent } from "../middleware/audit.ts";
import type { Message } from "./block-kit.ts";
import { type Command, triageRequestOf } from "./commands.ts";
import { followedFix } from "./followed-fix.ts";
import { AMBIGUOUS_INCIDENT, advice, failure, NO_SUCH_INCIDENT, TOO_MANY_TRIAGES, UNDELIVERABLE } from "./notices.ts";
import type { Button } from "./payloads.ts";
import {
  type Followed,
  renderIncident,
  renderPress,
  renderResolved,
  renderSimilar,
  triageOf,
} from "./render-records.ts";
import { renderTriage } from "./render-triage.ts";

export interface AnswerContext {
  readonly services: Services;
  readonly requestId: string;
  readonly runInBackground: RunInBackground;
}

export interface Answer {
  readonly message: Message;
  readonly audience: "channel" | "person";
}

export type Deliver = (message: Message, audience: Answer["audience"]) => Promise<void>;

/** Does the work of a delivery once, and brings the answer, or why there is none. @param name of the delivery */
export async function serve(
  context: AnswerContext,
  name: string,
  { work, deliver }: { readonly work: () => Promise<Answer>; readonly deliver: Deliver },
): Promise<void> {
  const { services, requestId: request_id } = context;
  if (!(await isOurs(context, name))) {
    services.log("info", "slack.repeated");
    return;
  }
  const { message, audience } = await work().catch((error: unknown): Answer => {
    note(context, error);
    return { message: failure(error, request_id), audience: "person" };
  });
  const delivered = await settle(deliver(message, audience));
  if (delivered.ok) return;
  services.log("error", "slack.undelivered", { error: delivered.error.message });
  // Slack may take a short notice where it refused the full message. After a timeout the message may be visible already.
  if (delivered.error.failure === "refused") await deliver(UNDELIVERABLE, "person").catch(noop);
}

/** While the database cannot say, the work is done: a question answered twice at night is better than one not at all. */
async function isOurs({ services }: AnswerContext, name: string): Promise<boolean> {
  const claimed = await settle(claimWebhookDelivery(services.database, name, services.now()));
  if (claimed.ok) return claimed.value;
  services.log("warn", "slack.claim_failed", { error: claimed.error.message });
  return true;
}

/** An expected failure's message holds no content. */
function note({ services }: AnswerContext, error: unknown): void {
  if (error instanceof DependencyError || error instanceof RecallUnavailable) {
    services.log("error", "slack.dependency_failed", { error: error.message });
    return;
  }
  services.log("error", "slack.failed", { error: error instanceof Error ? error : "unknown" });
}

export async function carryOut(
  context: AnswerContext,
  command: Command,
  asked: {
    readonly address: string;
    readonly sessionId: string;
    /** Tells people apart. */
    readonly person: string;
    readonly by: string;
  },
): Promise<Answer> {
  const { services, runInBackground } = context;
  switch (command.name) {
    case "help":
    case "unclear":
      return { message: advice(command, asked.address), audience: "person" };
    case "triage": {
      if (!(await services.limits.triages(asked.person))) {
        services.log("warn", "slack.too_many_triages");
        return { message: TOO_MANY_TRIAGES, audience: "person" };
      }
      const request = triageRequestOf(command.text, asked.sessionId);
      const outcome = await triage(services, request, { idempotency: null, runInBackground });
      if (outcome.state !== "answered") throw new TypeError(`A triage without a key is ${outcome.state}.`);
      return { message: renderTriage(outcome.result), audience: "channel" };
    }
    case "similar": {
      const found = await searchMemory(services, { query: command.text, sessionId: asked.sessionId });
      return { message: renderSimilar(found), audience: "person" };
    }
    case "status":
      return onIncident(context, command.incident, async (id) => {
        const found = await getIncident(services.database, id);
        return found && { message: renderIncident(found), audience: "person" };
      });
    case "resolve":
      return onIncident(context, command.incident, async (incidentId) => {
        const { resolution } = command;
        const request = { incidentId, resolution, resolvedBy: asked.by, worked: null };
        const resolved = await resolveIncident(services, request, runInBackground);
        if (resolved) leaveEvent(context, incidentId);
        return resolved && { message: renderResolved(resolved), audience: "channel" };
      });
  }
}

async function onIncident(
  { services }: AnswerContext,
  digits: string,
  work: (id: string) => Promise<Answer | null>,
): Promise<Answer> {
  const named = await findIncident(services.database, digits);
  if (named.state === "ambiguous") return { message: AMBIGUOUS_INCIDENT, audience: "person" };
  const answer = named.state === "found" ? await work(named.id) : null;
  return answer ?? { message: NO_SUCH_INCIDENT, audience: "person" };
}

/** What a button says of an answer. Saying it again changes nothing. */
export async function press(
  context: AnswerContext,
  pressed: Button,
  said: {
    readonly triageId: string;
    readonly incidentId: string;
    /** Tells people apart; only its digest is kept. */
    readonly person: string;
    readonly name: string;
  },
): Promise<Answer> {
  const { triageId, person } = said;
  const word = { triageId, person, vote: pressed === "not_helpful" ? -1 : 1, comment: null } as const;
  const feedback = await giveFeedback(context.services, word, context.runInBackground);
  const followed = pressed === "resolved" ? await follow(context, said) : null;
  if (feedback !== null || followed?.state === "resolved") leaveEvent(context, triageId);
  return { message: renderPress(pressed, feedback, followed), audience: "person" };
}

/** Resolves an incident, if it is open, with what the pressed answer said to do. */
async function follow(
  { services, runInBackground }: AnswerContext,
  { triageId, incidentId, name }: { readonly triageId: string; readonly incidentId: string; readonly name: string },
): Promise<Followed> {
  const found = await getIncident(services.database, incidentId);
  if (found === null) return { state: "not_found" };
  if (found.incident.status === "resolved") return { state: "resolved", found };
  const latest = triageOf(found);
  // The record tells the latest answer alone, and the fix of another one is not what people followed.
  if (latest !== null && latest.triage_id !== triageId) return { state: "superseded", incidentId };
  const resolution = latest && followedFix(latest);
  if (resolution === null) return { state: "no_fix", incidentId };
  const request = { incidentId, resolution, resolvedBy: name, worked: true, onlyOpen: true };
  const resolved = await resolveIncident(services, request, runInBackground);
  return resolved ? { state: "resolved", found: resolved } : { state: "not_found" };
}

/** Who it was is on the incident's timeline, or a digest beside the vote. */
function leaveEvent({ services, requestId, runInBackground }: AnswerContext, subject: string): void {
  const by = { actor: "slack", requestId };
  const change = { at: services.now(), by, method: "POST", route: "/slack", status: 200, subject };
  runInBackground(leaveAuditEvent(services, change));
}

function noop(): void {}
