// What Slack commands do: each runs one use case and returns its result as a message.

import { type Message, plainMessage } from "../../adapters/block-kit.ts";
import { signInLink } from "../../answer-view/console-link.ts";
import { findIncident, getIncident } from "../../incidents/incident-records.ts";
import { recordTry } from "../../investigation/learning/record-try.ts";
import { resolveIncident } from "../../investigation/learning/resolve-incident.ts";
import type { EmitEvent } from "../../investigation/run/events.ts";
import { searchMemory } from "../../investigation/search-memory.ts";
import { triage } from "../../investigation/triage.ts";
import { type Command, triageRequestOf } from "./commands.ts";
import type { SlackAnswer } from "./deliver.ts";
import {
  AMBIGUOUS_INCIDENT,
  helpMessage,
  NO_PUBLIC_URL,
  NO_SUCH_INCIDENT,
  renderSignInLink,
  TOO_MANY_TRIAGES,
} from "./notices.ts";
import { PENDING_FIX } from "./render-fix.ts";
import { renderIncident, renderResolved, renderSimilar } from "./render-records.ts";
import { renderTriage } from "./render-triage.ts";
import { recordAuditEvent, type SlackContext } from "./slack-context.ts";

/** The person who gives a command, and the place where they do. */
export interface SlackCaller {
  /** How people call Dejavu here: `/triage` or `@dejavu`. */
  readonly address: string;
  readonly sessionId: string;
  readonly channel: string;
  /** Unique id of the person: for rate limits, fixes and audit events. */
  readonly person: string;
  /** Display name of the person. */
  readonly by: string;
}

/** @param emit receives events of a triage in progress */
export async function runCommand(
  context: SlackContext,
  command: Command,
  caller: SlackCaller,
  emit?: EmitEvent,
): Promise<SlackAnswer> {
  const { services, runInBackground } = context;
  switch (command.name) {
    case "help":
    case "unclear":
      return { message: helpMessage(command, caller.address), audience: "person" };
    case "triage": {
      if (!(await services.limits.triages(caller.person))) {
        services.log("warn", "slack.too_many_triages");
        return { message: TOO_MANY_TRIAGES, audience: "person" };
      }
      const request = triageRequestOf(command.text, caller.sessionId);
      const outcome = await triage(services, request, {
        idempotency: null,
        runInBackground,
        ...(emit && { emit }),
      });
      if (outcome.state !== "answered") throw new TypeError(`A triage without a key is ${outcome.state}.`);
      recordAuditEvent(context, outcome.result.incident_id, caller.person);
      return { message: renderTriage(outcome.result, caller.channel, context.origin), audience: "channel" };
    }
    case "console": {
      if (context.signInOrigin === null) return { message: NO_PUBLIC_URL, audience: "person" };
      const { sessions, database } = services;
      const { code } = await sessions.createCode(database, { kind: "slack", id: caller.person, name: caller.by });
      recordAuditEvent(context, "console", caller.person);
      return { message: renderSignInLink(signInLink(context.signInOrigin, code)), audience: "person" };
    }
    case "similar": {
      const hits = await searchMemory(services, { query: command.text, sessionId: caller.sessionId });
      return { message: renderSimilar(hits), audience: "person" };
    }
    case "status":
      return onIncident(context, command.incident, async (id) => {
        const incident = await getIncident(services.database, id);
        return incident && { message: renderIncident(incident, caller.channel, context.origin), audience: "person" };
      });
    case "resolve":
      return onIncident(context, command.incident, async (incidentId) => {
        const message = await resolveOrTry(context, { incidentId, text: command.resolution }, caller);
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
  { person, by }: Pick<SlackCaller, "person" | "by">,
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
  work: (id: string) => Promise<SlackAnswer | null>,
): Promise<SlackAnswer> {
  const match = await findIncident(services.database, digits);
  if (match.state === "ambiguous") return { message: AMBIGUOUS_INCIDENT, audience: "person" };
  const answer = match.state === "found" ? await work(match.id) : null;
  return answer ?? { message: NO_SUCH_INCIDENT, audience: "person" };
}
