// Cloudflare Queues: the consumers of their messages and the producers that send them.

import { z } from "zod";
import type { RunInBackground } from "../background-tasks.ts";
import { claimIncident, failIncident } from "../incidents/incident-queue.ts";
import type { IncidentServices } from "../incidents/incident-services.ts";
import { retryDelaySeconds } from "../investigation/requeue-run.ts";
import type { InvestigationServices } from "../investigation/run/investigation-services.ts";
import { investigateStored } from "../investigation/triage.ts";
import type { IndexServices } from "../search-index/search-services.ts";
import type { Log } from "../telemetry/log.ts";
import { withContext } from "../telemetry/request-context.ts";
import { giveUpBufferedWrites, storeBufferedWrites } from "./buffered-writes.ts";
import { failureCode } from "./job-records.ts";
import { isQueue, type QueueBatch, type QueueMessage } from "./queue-types.ts";
import { runJob } from "./run-job.ts";

export type { QueueBatch, QueueMessage } from "./queue-types.ts";

/** The names in production. Those of another environment end alike, such as `dejavu-preview-outbox`. */
export const QUEUES = {
  outbox: "dejavu-outbox",
  triages: "dejavu-triages",
  /** Dead letter queue: messages of `triages` that used up their retries. */
  deadTriages: "dejavu-triages-dead",
  /** Writes that wait for the database. */
  writes: "dejavu-writes",
  /** Dead letter queue: messages of `writes` that used up their retries. */
  deadWrites: "dejavu-writes-dead",
} as const;

type QueueName = (typeof QUEUES)[keyof typeof QUEUES];

const PREFIX = "dejavu";

/** The queue of production with the same ending; undefined for an unknown queue. */
function productionQueue(queue: string): QueueName | undefined {
  return Object.values(QUEUES).find((name) => queue.endsWith(name.slice(PREFIX.length)));
}

/**
 * Consumes a batch. Each message is acknowledged or retried on its own, so a failed dependency delays one message only.
 * A bug is thrown: the platform then delivers the unacknowledged messages of the batch again.
 */
export async function consume(
  services: InvestigationServices,
  { queue, messages }: QueueBatch,
  runInBackground: RunInBackground,
): Promise<void> {
  switch (productionQueue(queue)) {
    case QUEUES.outbox:
      // The messages are empty and start one run of the job. The platform acknowledges them when this function returns.
      await runJob(services, "retry-outbox", { trigger: "queue", runInBackground });
      return;
    case QUEUES.triages:
      await consumeEach(services, messages, (id) => investigate(services, id, runInBackground));
      return;
    case QUEUES.deadTriages:
      await consumeEach(services, messages, async (id) => {
        const hasFailed = await failIncident(services.background.database, id, "delivery_given_up", services.now());
        services.log("error", "triage_queue.gave_up", { failed: hasFailed });
        return "done";
      });
      return;
    case QUEUES.writes:
      await withContext({ requestId: services.newId() }, () =>
        storeBufferedWrites(services, messages, runInBackground),
      );
      return;
    case QUEUES.deadWrites:
      await withContext({ requestId: services.newId() }, () => giveUpBufferedWrites(services, messages));
      return;
    default:
      // wrangler.toml has a queue with another ending than those of QUEUES.
      services.log("error", "queue.unknown", { queue });
  }
}

const bodySchema = z.object({ incident_id: z.uuid() });

/** `done`, or the number of the failed run: the message is delivered again when its incident is due. */
type WorkEnd = "done" | { readonly attempt: number };

async function consumeEach(
  services: InvestigationServices,
  messages: readonly QueueMessage[],
  work: (incidentId: string) => Promise<WorkEnd>,
): Promise<void> {
  await Promise.all(
    messages.map((message) => {
      const body = bodySchema.safeParse(message.body);
      const requestId = services.newId();
      if (body.success) {
        const incidentId = body.data.incident_id;
        return withContext({ requestId, incidentId, logContext: {} }, () =>
          consumeMessage(services, message, () => work(incidentId)),
        );
      }
      withContext({ requestId }, () => services.log("error", "queue.malformed_message"));
      // A retry would deliver the same body.
      message.ack();
      return undefined;
    }),
  );
}

async function consumeMessage(
  services: InvestigationServices,
  message: QueueMessage,
  work: () => Promise<WorkEnd>,
): Promise<void> {
  try {
    const end = await work();
    return end === "done" ? message.ack() : message.retry({ delaySeconds: retryDelaySeconds(end.attempt) });
  } catch (error) {
    const code = failureCode(error);
    // Without a code it is a bug.
    if (code === undefined) throw error;
    services.log("warn", "queue.delivery_failed", { error: code });
  }
  message.retry({ delaySeconds: retryDelaySeconds(message.attempts) });
}

async function investigate(
  services: InvestigationServices,
  incidentId: string,
  runInBackground: RunInBackground,
): Promise<WorkEnd> {
  const run = await claimIncident(services.background.database, {
    incidentId,
    runId: services.newId(),
    now: services.now(),
    maxAttempts: services.config.MAX_TRIAGE_ATTEMPTS,
  });
  // None waits, because a message was delivered twice, or incidents were resolved or deleted. The job
  // `recover-stuck-runs` handles runs that died.
  if (run === null) return "done";
  // The message is a permit for one run: the incident may be another one.
  const end = await investigateStored(services, run, runInBackground);
  return end === "queued" ? { attempt: run.attempt } : "done";
}

/** The longest delay that Cloudflare Queues accepts: 12 hours. */
const MAX_QUEUE_DELAY_SECONDS = 43_200;

/** Sends an empty message that triggers a run of the job `retry-outbox`. Does nothing on a host without the queue. */
export function createScheduleOutboxDrain(queue: unknown, log: Log): IndexServices["scheduleOutboxDrain"] {
  if (!isQueue(queue)) return async () => {};
  return async (delaySeconds) => {
    try {
      await queue.send({}, { delaySeconds: Math.min(delaySeconds, MAX_QUEUE_DELAY_SECONDS) });
    } catch {
      // The cron drains the outbox in any case.
      log("warn", "outbox.schedule_failed");
    }
  };
}

/** Messages in one batch, limited by Cloudflare Queues. */
const MAX_QUEUE_BATCH = 100;

/** Sends one message for each incident, with its id. Does nothing on a host without the queue. */
export function createEnqueueRuns(queue: unknown, log: Log): IncidentServices["enqueueRuns"] {
  if (!isQueue(queue)) return async () => 0;
  return async (incidentIds) => {
    let sent = 0;
    for (let start = 0; start < incidentIds.length; start += MAX_QUEUE_BATCH) {
      const batch = incidentIds.slice(start, start + MAX_QUEUE_BATCH);
      try {
        await queue.sendBatch(batch.map((incident_id) => ({ body: { incident_id } })));
        sent += batch.length;
      } catch {
        // The incidents are stored; the job `recover-stuck-runs` finds them.
        for (const incident_id of batch) log("warn", "triage_queue.send_failed", { incident_id });
      }
    }
    return sent;
  };
}
