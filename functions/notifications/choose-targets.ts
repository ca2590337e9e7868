// Which targets get a message about an incident. Pure functions.

import { z } from "zod";
import { SEVERITIES } from "../schemas/incident.ts";
import { INCIDENT_STATUSES } from "../schemas/incident-values.ts";
import { OUTCOMES } from "../schemas/outcome.ts";
import { matchesAll } from "./matchers.ts";
import { type NotificationTarget, targetKindOf } from "./target-definition.ts";
import type { NotificationEvent } from "./targets/target.ts";

/** An incident with events, as the SQL function `claim_notification_outbox` returns it. */
export const changedIncidentSchema = z.object({
  incident_id: z.string(),
  version: z.number().int(),
  /** The record of its failure, or its own id without one. */
  record: z.string(),
  opened_at: z.string(),
  domain: z.string(),
  fingerprint: z.string().nullable(),
  severity: z.enum(SEVERITIES),
  status: z.enum(INCIDENT_STATUSES),
  /** Null without an answer. One of another version counts as unknown. */
  outcome: z.enum(OUTCOMES).nullable().catch("unknown"),
  labels: z.record(z.string(), z.string()),
  /** Whether it may be announced: somebody who asks gets the answer anyhow. */
  is_announced: z.boolean(),
  /** The sources of its alerts. */
  sources: z.array(z.string()),
  is_repeat: z.boolean(),
  came_back: z.boolean(),
});
export type ChangedIncident = z.infer<typeof changedIncidentSchema>;

export interface DueMessage {
  readonly target: string;
  /** One message a subject. */
  readonly subject: string;
  readonly incident_id: string;
  readonly opened_at: string;
  readonly severity: string;
  /** Whether the message is about the incident, too. Otherwise it only changes one that was. */
  readonly joins: boolean;
  /** Whether the incident may start a message; otherwise it only changes one. */
  readonly opens: boolean;
}

/** One message for each target that serves the incident, or that may have a message of it. */
export function messagesOf(targets: readonly NotificationTarget[], incident: ChangedIncident): DueMessage[] {
  const { incident_id, record, opened_at, severity, sources, is_announced } = incident;
  if (!is_announced) return [];
  return targets.flatMap((target): DueMessage[] => {
    const kind = targetKindOf(target.kind);
    // A kind that only another version of the service has.
    if (kind === undefined || (kind.ticketOf !== null && !sources.includes(kind.ticketOf))) return [];
    const subject = kind.ticketOf === null ? record : incident_id;
    const joins = concerns(target, incident);
    const opens = joins && isEnded(incident) && serves(target, incident) && startsMessage(target, incident);
    return [{ target: target.name, subject, incident_id, opened_at, severity, joins, opens }];
  });
}

/** Whether the investigation has an end, so that there is something to read. */
function isEnded({ status, outcome }: ChangedIncident): boolean {
  return status === "failed" || outcome !== null;
}

function concerns({ domains, matchers }: NotificationTarget, { domain, labels }: ChangedIncident): boolean {
  return (domains.length === 0 || domains.includes(domain)) && matchesAll(matchers, labels);
}

function serves({ min_severity, outcomes }: NotificationTarget, { severity, outcome }: ChangedIncident): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(min_severity) && outcomes.includes(outcome ?? "unknown");
}

/** Who reads of answers does not read of an incident that has ended before its answer. */
function startsMessage({ events }: NotificationTarget, { status, is_repeat, came_back }: ChangedIncident): boolean {
  if (status === "resolved") return events.includes("resolved") && !events.includes("answered");
  const possible: NotificationEvent[] = [
    "answered",
    ...(is_repeat ? ["recurred" as const] : []),
    ...(came_back ? ["fix_did_not_hold" as const] : []),
  ];
  return possible.some((event) => events.includes(event));
}

/** What the mute of an incident keeps from its targets: they count it if they would have shown it. A ticket counts no others. */
export function mutedAt(messages: readonly DueMessage[], targets: readonly NotificationTarget[], muteId: string) {
  return messages.map(({ target: name, incident_id, opens }) => {
    const isCounted =
      opens && targets.some(({ name: other, kind }) => other === name && targetKindOf(kind)?.ticketOf === null);
    return { incident_id, target: name, mute_id: muteId, is_counted: isCounted };
  });
}

/** One message a target and subject: of several incidents of one failure, that of the latest that joins it. */
export function onePerSubject(messages: readonly DueMessage[]): DueMessage[] {
  const latest = new Map<string, DueMessage>();
  for (const message of messages) {
    const key = `${message.target} ${message.subject}`;
    const other = latest.get(key);
    const isLater =
      other === undefined ||
      (message.joins === other.joins ? Date.parse(message.opened_at) >= Date.parse(other.opened_at) : message.joins);
    latest.set(key, { ...(isLater ? message : other), opens: message.opens || (other?.opens ?? false) });
  }
  return [...latest.values()];
}
