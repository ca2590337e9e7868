// Delivers notifications: chooses targets for incidents with new events, claims due messages, sends them, and records what became
// of them. Two runs at once are safe: the database gives each message to one of them.

import { createHash } from "node:crypto";
import { z } from "zod";
import { IGNORE_RESULT } from "../adapters/database.ts";
import { incidentsLink } from "../answer-view/console-link.ts";
import { DependencyError, settle } from "../dependencies.ts";
import { readHandover } from "../incidents/reports/read-reports.ts";
import { changedIncidentSchema, messagesOf, mutedAt, onePerSubject } from "./choose-targets.ts";
import { failureMessage, summaryOf } from "./failure-message.ts";
import {
  changesSince,
  failureStateSchema,
  firstEventOf,
  isSameState,
  type ShownState,
  shownStateOf,
  shownStateSchema,
} from "./failure-state.ts";
import { findMute, mutedCountSchema, runningMuteSchema } from "./mutes.ts";
import type { DeliveryCounts, DeliveryServices } from "./notification-services.ts";
import { concernsTarget, GIVE_UP_AFTER_MS, retryPauseMs } from "./retry-pause.ts";
import { storedTargetSchema, TICKET_KINDS, targetKindOf } from "./target-definition.ts";
import type { Content, NotificationEvent } from "./targets/target.ts";

/** Milliseconds for one request to a target. A delivery makes three at most. */
export const NOTIFICATION_TIMEOUT_MS = 8_000;
const MAX_DELIVERY_MS = 4 * NOTIFICATION_TIMEOUT_MS;
/** Long enough for some deliveries; none begins that could outlast it. */
const LEASE_SECONDS = 120;
/** First messages, and follow-ups, of one target in a claim. */
const MESSAGES_PER_CLAIM = 5;
const INCIDENTS_PER_CLAIM = 100;
const MAX_HANDOVER_ENTRIES = 5;
const MAX_CLAIMS = 20;
/** A background task may take 30 s. */
const MAX_RUN_MS = 20_000;

const outboxSchema = z.object({
  is_due: z.boolean(),
  targets: z.array(storedTargetSchema),
  mutes: z.array(runningMuteSchema),
  incidents: z.array(changedIncidentSchema),
});

const handoverSummarySchema = z.object({ handover_since: z.string() });

/** What the record of a delivery needs: the rest of a row may be of another version. */
const claimedSchema = z.looseObject({
  id: z.string(),
  claimed_until: z.string(),
  version: z.number().int(),
  attempts: z.number().int(),
  pending_since: z.string(),
  incident_id: z.string().nullable(),
  target: z.looseObject({ name: z.string(), kind: z.string() }),
});
type Claimed = z.infer<typeof claimedSchema>;
const claimsSchema = z.object({ messages: z.array(claimedSchema), next_at: z.string().nullable() });

const messageSchema = claimedSchema.extend({
  reference: z.string().nullable(),
  /** A `ShownState`, perhaps of another version; `is_over` of a summary: whether all have ended. */
  shown_state: z.record(z.string(), z.unknown()).nullable(),
  revision: z.number().int(),
  summary: z.unknown(),
  state: failureStateSchema.nullable(),
  mutes: z.array(mutedCountSchema),
  target: storedTargetSchema,
});
type Message = z.infer<typeof messageSchema>;
type Shown = ShownState | { readonly is_over: boolean };

interface Delivered {
  /** Whether nothing was sent, because the message shows the present state. */
  readonly isUnchanged?: boolean;
  readonly reference: string;
  /** Null for a handover. */
  readonly shown: Shown | null;
}

type Result = Pick<Claimed, "id" | "claimed_until" | "version"> & {
  readonly state: "delivered" | "unchanged" | "failed" | "given_up" | "released";
  readonly reference: string | null;
  readonly shown_state: Shown | null;
  readonly error: string | null;
  readonly next_attempt_at: string | null;
};

interface TargetResults {
  readonly results: readonly Result[];
  readonly pause: { readonly target: string; readonly until: string } | null;
}

/** @throws DependencyError of the database only; the claims expire then, and what they hold is sent again */
export async function deliverNotifications(services: DeliveryServices): Promise<DeliveryCounts> {
  const end = services.now().getTime() + MAX_RUN_MS;
  const counts = { notifications_delivered: 0, notifications_failed: 0, notifications_given_up: 0 };
  // All before the first message, so that the worst of a storm comes first.
  if (!(await announceAll(services))) return counts;
  for (let claims = 0; claims < MAX_CLAIMS; claims++) {
    const { messages, next_at } = await claim(services);
    const results = await sendAll(services, messages, end);
    for (const { state } of results)
      if (state !== "released" && state !== "unchanged") counts[`notifications_${state}`] += 1;
    if (messages.length > 0 && services.now().getTime() < end) continue;
    if (next_at !== null || messages.length > 0) await scheduleNext(services, next_at);
    break;
  }
  return counts;
}

/** Makes messages due for incidents with new events. @returns whether a message may be due */
async function announceAll(services: DeliveryServices): Promise<boolean> {
  for (let claims = 0; claims < MAX_CLAIMS; claims++) {
    const { announced, isDue } = await announce(services);
    if (announced < INCIDENTS_PER_CLAIM) return isDue || announced > 0 || claims > 0;
  }
  return true;
}

async function announce({
  database,
  now,
}: DeliveryServices): Promise<{ readonly announced: number; readonly isDue: boolean }> {
  const at = now().toISOString();
  const lease = { p_now: at, p_limit: INCIDENTS_PER_CLAIM, p_lease_seconds: LEASE_SECONDS };
  const { targets, mutes, incidents, is_due } = await database.call("claim_notification_outbox", lease, outboxSchema);
  if (incidents.length === 0) return { announced: 0, isDue: is_due };
  const chosen = incidents.map((incident) => ({
    mute: findMute(mutes, incident),
    messages: messagesOf(targets, incident),
  }));
  // A mute starts no message. One that is there shows the mute.
  const changed = chosen.flatMap(({ mute, messages: all }) =>
    mute === undefined ? all : all.map((message) => ({ ...message, opens: false })),
  );
  const muted = chosen.flatMap(({ mute, messages: all }) => (mute === undefined ? [] : mutedAt(all, targets, mute.id)));
  const p = {
    now: at,
    incidents: incidents.map(({ incident_id, version }) => ({ incident_id, version })),
    messages: onePerSubject(changed).map((message) => ({ ...message })),
    members: changed
      .filter(({ joins }) => joins)
      .map(({ target, subject, incident_id }) => ({ target, subject, incident_id })),
    muted,
  };
  await database.call("announce_incidents", { p }, IGNORE_RESULT, { retries: 1 });
  return { announced: incidents.length, isDue: true };
}

async function claim({ database, now }: DeliveryServices): Promise<z.infer<typeof claimsSchema>> {
  const lease = { p_now: now().toISOString(), p_limit: MESSAGES_PER_CLAIM, p_lease_seconds: LEASE_SECONDS };
  return database.call("claim_notifications", { ...lease, p_ticket_kinds: [...TICKET_KINDS] }, claimsSchema);
}

async function scheduleNext({ scheduleOutboxDrain, now }: DeliveryServices, nextAt: string | null): Promise<void> {
  const seconds = nextAt === null ? 1 : (Date.parse(nextAt) - now().getTime()) / 1_000;
  await scheduleOutboxDrain(Math.max(1, Math.ceil(seconds)));
}

/** Targets in parallel, the messages of one in their order; each is recorded before the next one is sent. */
async function sendAll(
  services: DeliveryServices,
  messages: readonly Claimed[],
  end: number,
): Promise<readonly Result[]> {
  const names = [...new Set(messages.map(({ target }) => target.name))];
  const sent = names.map((name) =>
    sendTo(
      services,
      messages.filter(({ target }) => target.name === name),
      end,
    ),
  );
  return (await Promise.all(sent)).flat();
}

async function sendTo(
  services: DeliveryServices,
  messages: readonly Claimed[],
  end: number,
): Promise<readonly Result[]> {
  const all: Result[] = [];
  for (const [i, message] of messages.entries()) {
    const now = services.now().getTime();
    const isLate = now >= end || now + MAX_DELIVERY_MS > Date.parse(message.claimed_until);
    const { results, pause } = isLate
      ? { results: [released(message)], pause: null }
      : await attempt(services, message, messages.slice(i + 1));
    const p = {
      now: services.now().toISOString(),
      results: results.map((each) => ({ ...each })),
      pauses: pause ? [pause] : [],
    };
    await services.database.call("record_deliveries", { p }, IGNORE_RESULT, { retries: 1 });
    all.push(...results);
    if (pause !== null) break;
  }
  return all;
}

/** @param others of the same target, which wait if it is the target that fails */
async function attempt(
  services: DeliveryServices,
  message: Claimed,
  others: readonly Claimed[],
): Promise<TargetResults> {
  const delivered = await settle(send(services, message).catch(refuse));
  if (delivered.ok) {
    const { reference, shown, isUnchanged = false } = delivered.value;
    const state = isUnchanged ? "unchanged" : "delivered";
    return { results: [{ ...released(message), state, reference, shown_state: shown }], pause: null };
  }
  const { error } = delivered;
  const now = services.now().getTime();
  const code = codeOf(error);
  const until = new Date(now + retryPauseMs(message.attempts, error, services.random())).toISOString();
  const fail = (each: Claimed): Result => {
    const { target, attempts, incident_id, pending_since } = each;
    const isOver = now - Date.parse(pending_since) >= GIVE_UP_AFTER_MS;
    // What waits behind a target that fails has its day, too.
    if (each !== message && !isOver) return released(each);
    const fields = { target: target.name, kind: target.kind, incident_id, attempts, error: code };
    if (isOver) services.log("error", "notification.given_up", fields);
    else services.log("warn", "notification.failed", fields);
    const state = isOver ? "given_up" : "failed";
    return { ...released(each), state, error: code, next_attempt_at: isOver ? null : until };
  };
  if (!concernsTarget(error)) return { results: [fail(message)], pause: null };
  return { results: [message, ...others].map(fail), pause: { target: message.target.name, until } };
}

/** A bug in one message, such as a row of another version: it fails like one that is refused, and stops no other. */
function refuse(error: unknown): never {
  if (error instanceof DependencyError) throw error;
  const detail = `the message cannot be made: ${error instanceof Error ? error.name : "unknown"}`;
  throw new DependencyError("notification_target", "refused", detail, { cause: error });
}

function released({ id, claimed_until, version }: Claimed): Result {
  return {
    id,
    claimed_until,
    version,
    state: "released",
    reference: null,
    shown_state: null,
    error: null,
    next_attempt_at: null,
  };
}

/** A code, and the detail that an adapter made: never content. */
function codeOf({ failure, message, dependency }: DependencyError): string {
  return `${failure}: ${message.slice(`${dependency}: `.length)}`;
}

/** Sends a message, or what is new in one. @throws DependencyError */
async function send(services: DeliveryServices, claimed: Claimed): Promise<Delivered> {
  const message = messageSchema.parse(claimed);
  const { id, target, state, reference, shown_state: stored, revision, attempts, mutes } = message;
  const connection = services.connect(target);
  const delivery = (part: string) => ({ id: partId(id, `${revision} ${part}`), mayBeRepeated: attempts > 1 });
  if (state === null) {
    const content = await summaryContent(services, message);
    const current = content.kind === "summary" ? { is_over: content.summary.open === 0 } : null;
    const hasJustEnded = current?.is_over === true && stored?.is_over !== true;
    // Where nothing can be edited, the end is a message.
    if (reference === null || (connection.edit === null && hasJustEnded))
      return { reference: await connection.post(content, delivery("summary")), shown: current };
    await connection.edit?.(reference, content);
    return { reference, shown: current, isUnchanged: connection.edit === null };
  }
  const current = shownStateOf(state);
  const messageFor = (event: NotificationEvent) => {
    const ticketOf = targetKindOf(target.kind)?.ticketOf ?? null;
    return failureMessage(state, { event, origin: services.origin, ticketOf, mutes });
  };
  if (reference === null) {
    const content = { kind: "failure", message: messageFor(firstEventOf(state)) } as const;
    return { reference: await connection.post(content, delivery("first")), shown: current };
  }
  // What another version did not store counts as shown; what it stored otherwise is shown anew.
  const shown = shownStateSchema.safeParse({ ...current, ...stored }).data ?? { ...current, digest: "" };
  if (isSameState(shown, current)) return { reference, shown, isUnchanged: true };
  const changes = changesSince(shown, state);
  const content = { kind: "failure", message: messageFor(changes[0]?.event ?? "answered") } as const;
  const wanted = changes.filter(({ event }) => target.events.includes(event));
  if ((await connection.edit?.(reference, content)) === false)
    // Somebody deleted it: what is new begins another one.
    return wanted.length === 0
      ? { reference, shown: current, isUnchanged: true }
      : { reference: await connection.post(content, delivery("again")), shown: current };
  for (const change of wanted)
    await connection.reply(reference, { ...change, message: messageFor(change.event) }, delivery(change.event));
  return { reference, shown: current };
}

/** A summary of a storm, or the handover as it is now. */
async function summaryContent(
  { database, now, origin }: DeliveryServices,
  { summary, mutes, target: { domains } }: Message,
): Promise<Content> {
  const { data: handover } = handoverSummarySchema.safeParse(summary);
  if (handover === undefined) return { kind: "summary", summary: summaryOf(summary, { origin, mutes }) };
  const period = { since: new Date(handover.handover_since), now: now(), limit: MAX_HANDOVER_ENTRIES, domains };
  const link = origin === null ? null : incidentsLink(origin);
  return { kind: "handover", handover: { handover: await readHandover(database, period), link } };
}

/** A UUID made of the message and the part. */
function partId(messageId: string, part: string): string {
  const hex = createHash("sha256").update(`${messageId} ${part}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
