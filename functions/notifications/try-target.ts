// Sends one message to a target now, to see that it arrives. Nothing is recorded of it.

import type { Database } from "../adapters/database.ts";
import { type DependencyFailure, settle } from "../dependencies.ts";
import { GENERAL_DOMAIN } from "../schemas/incident-values.ts";
import { failureMessage } from "./failure-message.ts";
import { failureStateSchema } from "./failure-state.ts";
import type { NotificationTargets } from "./notification-services.ts";
import { type NotificationTarget, targetKindOf } from "./target-definition.ts";
import type { FailureMessage } from "./targets/target.ts";

interface TryServices {
  readonly database: Database;
  readonly notificationTargets: NotificationTargets;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly config: { readonly PUBLIC_URL?: string | undefined };
}

export type TriedTarget =
  | { readonly state: "sent"; readonly latencyMs: number }
  | { readonly state: "failed"; readonly code: DependencyFailure; readonly detail: string; readonly latencyMs: number }
  | { readonly state: "no_incident" }
  /** The target writes on the ticket of an incident, and there is none. */
  | { readonly state: "no_ticket" };

/** @param incidentId the incident to show; null for a sample. @throws DependencyError of the database */
export async function tryTarget(
  services: TryServices,
  target: NotificationTarget,
  incidentId: string | null,
): Promise<TriedTarget> {
  const { notificationTargets, now, newId } = services;
  const message = incidentId === null ? sampleMessage(newId()) : await messageOf(services, target, incidentId);
  if (message === null) return { state: "no_incident" };
  if (message.ticket === null && targetKindOf(target.kind)?.ticketOf != null) return { state: "no_ticket" };
  const started = now().getTime();
  const delivery = { id: newId(), mayBeRepeated: false };
  const sent = await settle(post(notificationTargets, target, { message, delivery }));
  const latencyMs = now().getTime() - started;
  if (sent.ok) return { state: "sent", latencyMs };
  const { failure, message: text, dependency } = sent.error;
  return { state: "failed", code: failure, detail: text.slice(`${dependency}: `.length), latencyMs };
}

async function post(
  { connect }: NotificationTargets,
  target: NotificationTarget,
  {
    message,
    delivery,
  }: { readonly message: FailureMessage; readonly delivery: { readonly id: string; readonly mayBeRepeated: boolean } },
): Promise<void> {
  await connect(target).post({ kind: "failure", message }, delivery);
}

async function messageOf(
  { database, config }: TryServices,
  { kind }: NotificationTarget,
  incidentId: string,
): Promise<FailureMessage | null> {
  const args = { p_incident: incidentId };
  const state = await database.call("notification_sample", args, failureStateSchema.nullable(), { retries: 1 });
  const options = {
    event: "answered",
    origin: config.PUBLIC_URL ?? null,
    ticketOf: targetKindOf(kind)?.ticketOf ?? null,
    mutes: [],
  } as const;
  return state && failureMessage(state, options);
}

function sampleMessage(incidentId: string): FailureMessage {
  return {
    event: "answered",
    incidentId,
    triageId: null,
    title: "A test message of Dejavu: nothing has failed",
    severity: "info",
    domain: GENERAL_DOMAIN,
    target: "checkout",
    status: "open",
    outcome: "cause",
    probability: 0.91,
    verdict: "Known failure, 91 %",
    fix: { lead: "Fixed before", text: "Raised the memory limit (dana; worked 3 of 4 times)" },
    quotes: ["Reason: OOMKilled, Exit Code: 137"],
    lacks: [],
    checked: [],
    firstCheck: null,
    firstStep: null,
    changes: [],
    recurrence: null,
    holder: "Acknowledged by dana",
    // Without buttons that would act on it.
    isAcknowledged: true,
    isMuted: true,
    lacksFix: false,
    muted: [],
    resolution: null,
    link: null,
    ticket: null,
  };
}
