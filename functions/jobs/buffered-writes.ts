// The queue of writes that wait for the database: its producer, the consumer that stores them, and the end of those that
// could not be stored.

import { z } from "zod";
import type { RunInBackground } from "../background-tasks.ts";
import { recordChanges } from "../changes/change-records.ts";
import { DependencyError, RestrictionError, settle } from "../dependencies.ts";
import { recordBufferedAlerts } from "../incidents/alert-records.ts";
import { recordBufferedIncident } from "../incidents/incident-queue.ts";
import { keyExpiredBefore, recordRunFinish } from "../incidents/run-records.ts";
import { resolveBuffered } from "../investigation/learning/resolve-buffered.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { recordBufferedFeedback } from "../memory/feedback.ts";
import { postPendingAnnotations } from "../memory/give-feedback.ts";
import { claimUntil } from "../search-index/flush-outbox.ts";
import type { Log } from "../telemetry/log.ts";
import { countBufferedWrites } from "../telemetry/read-metrics.ts";
import { withContext } from "../telemetry/request-context.ts";
import { type StartTimer, within } from "../timers.ts";
import { type BufferedWrite, bufferedWriteSchema, isUnavailable, type WriteBuffer } from "../write-buffer.ts";
import { errorCode } from "./job-records.ts";
import { isQueue, type QueueMessage } from "./queue-types.ts";

/** 5 s, doubling up to 30 s: writes are stored soon after the database is back. */
function delaySeconds(attempts: number, max = MAX_DELAY_SECONDS): number {
  return Math.min(5 * 2 ** Math.max(0, attempts - 1), max);
}

const MAX_DELAY_SECONDS = 30;
/** For a write that the database refuses. */
const MAX_REFUSED_DELAY_SECONDS = 300;

/**
 * Deliveries after which a message is sent anew: the platform gives a message up after 100 deliveries, which is less than
 * an hour of an outage. A new message also begins its time in the queue again.
 */
const RENEW_AFTER_ATTEMPTS = 50;
/** A refused write is sent anew for so long: after a rotated key or a missing migration, the database accepts it later. */
const MAX_REFUSED_AGE_MS = 4 * 86_400_000;

/** A message that the queue has not accepted by then counts as refused. The caller waits for it. */
const SEND_TIMEOUT_MS = 2_000;

/** Without a queue, nothing is buffered. */
export function createWriteBuffer(queue: unknown, log: Log, startTimer: StartTimer): WriteBuffer {
  const deadline = { startTimer, name: "write_queue", ms: SEND_TIMEOUT_MS } as const;
  return {
    async send(write) {
      if (!isQueue(queue)) return false;
      try {
        await within(deadline, queue.send(write, { delaySeconds: delaySeconds(1) }), () => {
          throw new Error("The queue did not answer.");
        });
        return true;
      } catch {
        log("error", "write_buffer.send_failed", { write: write.kind });
        return false;
      }
    },
  };
}

interface Delivery {
  readonly message: QueueMessage;
  readonly write: BufferedWrite;
}

/**
 * What became of a write. `waiting`: what it belongs to is not stored yet, or another run holds its key. After 100
 * deliveries the platform moves it to the dead letter queue. `forbidden`: the caller is restricted to other domains.
 */
type WriteEnd = "stored" | "superseded" | "forbidden" | "waiting";

/**
 * Stores writes one after another, in the order in which their callers were answered. If the database is unavailable,
 * the whole batch is delivered again. Another failure delays one write only.
 */
export async function storeBufferedWrites(
  services: InvestigationServices,
  messages: readonly QueueMessage[],
  runInBackground: RunInBackground,
): Promise<void> {
  const counts = { stored: 0, superseded: 0, forbidden: 0 };
  const follow: FollowUp = { incidents: [], hasDocuments: false, runInBackground };
  const deliveries = readDeliveries(services, messages);
  for (const [place, { message, write }] of deliveries.entries()) {
    const end = await settle(inContextOf(services, write, () => tryToStore(services, write, follow)));
    if (end.ok) {
      if (end.value === "waiting") message.retry({ delaySeconds: delaySeconds(message.attempts) });
      else if (end.value === "refused") await deliverRefused(services, { message, write });
      else {
        counts[end.value] += 1;
        message.ack();
      }
      continue;
    }
    // The messages stay together, so that they are stored in order later.
    const rest = deliveries.slice(place);
    services.log("warn", "write_buffer.waiting", { writes: rest.length, error: end.error.message });
    await deliverAgain(services, rest);
    break;
  }
  // Once for the batch: hundreds of stored writes must not exceed the subrequests of one invocation.
  if (follow.incidents.length > 0) runInBackground(services.enqueueRuns(follow.incidents));
  if (follow.hasDocuments) runInBackground(services.scheduleOutboxDrain(0));
  await count(services, counts);
}

/** What is done after the writes of a batch. */
interface FollowUp {
  /** Incidents to investigate. */
  readonly incidents: string[];
  /** Whether the outbox has new entries. */
  hasDocuments: boolean;
  readonly runInBackground: RunInBackground;
}

/** The writes by time. A message that is no write is given up. */
function readDeliveries(services: InvestigationServices, messages: readonly QueueMessage[]): Delivery[] {
  return messages
    .flatMap((message) => {
      const write = bufferedWriteSchema.safeParse(message.body);
      if (write.success) return [{ message, write: write.data }];
      withContext({ requestId: services.newId() }, () => services.log("error", "queue.malformed_message"));
      message.ack();
      return [];
    })
    .sort((a, b) => Date.parse(a.write.at) - Date.parse(b.write.at));
}

async function deliverAgain({ writeBuffer }: InvestigationServices, deliveries: readonly Delivery[]): Promise<void> {
  const attempts = Math.max(...deliveries.map(({ message }) => message.attempts));
  for (const { message, write } of deliveries) {
    // Twice in the queue is harmless: every write may be repeated.
    if (message.attempts >= RENEW_AFTER_ATTEMPTS && (await writeBuffer.send(write))) message.ack();
    else message.retry({ delaySeconds: delaySeconds(attempts) });
  }
}

async function deliverRefused(
  { writeBuffer, now }: InvestigationServices,
  { message, write }: Delivery,
): Promise<void> {
  const isYoung = now().getTime() - Date.parse(write.at) < MAX_REFUSED_AGE_MS;
  if (isYoung && message.attempts >= RENEW_AFTER_ATTEMPTS && (await writeBuffer.send(write))) message.ack();
  else message.retry({ delaySeconds: delaySeconds(message.attempts, MAX_REFUSED_DELAY_SECONDS) });
}

/** @throws DependencyError when the database is unavailable */
async function tryToStore(
  services: InvestigationServices,
  write: BufferedWrite,
  follow: FollowUp,
): Promise<WriteEnd | "refused"> {
  try {
    const end = await store(servicesOf(services, write), write, follow);
    if (end === "waiting") {
      services.log("info", "write_buffer.not_yet", { write: write.kind });
      return end;
    }
    services.log("info", "write_buffer.stored", { write: write.kind, end });
    forgetReply(services, write);
    return end;
  } catch (error) {
    if (error instanceof DependencyError && isUnavailable(error)) throw error;
    if (error instanceof RestrictionError) {
      // The database would refuse it tomorrow, too.
      services.log("warn", "write_buffer.forbidden", { write: write.kind, at: write.at });
      return "forbidden";
    }
    services.log("error", "write_buffer.refused", { write: write.kind, error: errorCode(error) });
    return "refused";
  }
}

/** A write is stored with the rights of its caller. */
function servicesOf(services: InvestigationServices, { domains }: BufferedWrite): InvestigationServices {
  return domains === null ? services : services.restrictedTo(domains);
}

async function store(services: InvestigationServices, write: BufferedWrite, follow: FollowUp): Promise<WriteEnd> {
  const { database } = services.background;
  const { args, subject } = write;
  switch (write.kind) {
    case "triage": {
      // The outbox may take the entries at once.
      const p = { ...withCurrentLeases(services, args), claim_until: services.now().toISOString() };
      const finished = await recordRunFinish(database, { p });
      if (finished.state !== "stored") return finished.state === "replayed" ? "superseded" : "waiting";
      follow.hasDocuments = true;
      return "stored";
    }
    case "report": {
      if (!(await recordBufferedIncident(database, { p: args }, subject ?? ""))) return "superseded";
      if (subject !== null) follow.incidents.push(subject);
      return "stored";
    }
    case "alerts":
      follow.incidents.push(...(await recordBufferedAlerts(database, { p: args })));
      return "stored";
    case "changes":
      await recordChanges(database, { p: args });
      return "stored";
    case "feedback": {
      const recorded = await recordBufferedFeedback(database, { p: withCurrentLeases(services, args) });
      if (recorded === null) return "waiting";
      if (recorded === "superseded") return recorded;
      if (recorded.annotation !== null) follow.runInBackground(postPendingAnnotations(services, [recorded.annotation]));
      return "stored";
    }
    case "resolution":
      return (await resolveBuffered({ ...services, database }, write, follow.runInBackground)) ?? "waiting";
  }
}

const keySchema = z.object({ key: z.string() });

/** The claims and leases that the write had when the database failed have ended. */
function withCurrentLeases({ config, now }: InvestigationServices, args: BufferedWrite["args"]): BufferedWrite["args"] {
  const { claim_until, idempotency } = args;
  const key = z.record(z.string(), z.json()).safeParse(idempotency);
  return {
    ...args,
    ...(typeof claim_until === "string" ? { claim_until: claimUntil({ config, now }) } : {}),
    ...(key.success
      ? { idempotency: { ...key.data, expired_before: keyExpiredBefore(now(), config.IDEMPOTENCY_LEASE_SECONDS) } }
      : {}),
  };
}

/** From now on the database has the reply. */
function forgetReply({ pendingReplies }: InvestigationServices, { args }: BufferedWrite): void {
  const key = keySchema.safeParse(args.idempotency);
  if (key.success) pendingReplies.delete(key.data.key);
}

/** Logs writes that used up their deliveries: they are lost. */
export async function giveUpBufferedWrites(
  services: InvestigationServices,
  messages: readonly QueueMessage[],
): Promise<void> {
  for (const { message, write } of readDeliveries(services, messages)) {
    inContextOf(services, write, () => services.log("error", "write_buffer.lost", { write: write.kind, at: write.at }));
    message.ack();
  }
  await count(services, { lost: messages.length });
}

function inContextOf<T>({ newId }: InvestigationServices, { kind, subject }: BufferedWrite, work: () => T): T {
  const isIncident = subject !== null && kind !== "feedback";
  return withContext({ requestId: newId(), logContext: {}, ...(isIncident ? { incidentId: subject } : {}) }, work);
}

async function count(services: InvestigationServices, counts: Readonly<Record<string, number>>): Promise<void> {
  if (Object.values(counts).every((number) => number === 0)) return;
  const counted = await settle(countBufferedWrites(services.background.database, counts));
  if (!counted.ok) services.log("warn", "write_buffer.uncounted", { error: counted.error.message });
}
