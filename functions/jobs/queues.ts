// Owns which queues there are and what a delivery of each does. The names are those of wrangler.toml.

import { z } from "zod";
import type { RunInBackground } from "../background-tasks.ts";
import { claimIncident, failIncident } from "../incidents/incident-queue.ts";
import { investigateStored } from "../investigation/triage.ts";
import { retryDelaySeconds } from "../investigation/requeue-run.ts";
import type { InvestigationServices } from "../investigation/run/services.ts";
import { withContext } from "../telemetry/request-context.ts";
import { failureCode } from "./job-records.ts";
import { runJob } from "./run-job.ts";

export const QUEUES = {
  outbox: "dejavu-outbox",
  triages: "dejavu-triages",
  /** What the platform gives up delivering. */
  deadTriages: "dejavu-triages-dead",
} as const;

/** The part of the platform's message that is used here. */
export interface QueueMessage {
  readonly body: unknown;
  /** Deliveries, this one included. */
  readonly attempts: number;
  ack(): void;
  retry(options: { readonly delaySeconds: number }): void;
}

export interface QueueBatch {
  readonly queue: string;
  readonly messages: readonly QueueMessage[];
}

/** Each message is acknowledged or asked for again by itself: one that fails keeps no other back. */
export async function consume(
  services: InvestigationServices,
  { queue, messages }: QueueBatch,
  runInBackground: RunInBackground,
): Promise<void> {
  switch (queue) {
    case QUEUES.outbox:
      await runJob(services, "retry-outbox", { trigger: "queue", runInBackground });
      return;
    case QUEUES.triages:
      await each(services, messages, (id) => investigate(services, id, runInBackground));
      return;
    case QUEUES.deadTriages:
      await each(services, messages, async (id) => {
        const hasFailed = await failIncident(services.background.database, id, "delivery_given_up", services.now());
        services.log("error", "triage_queue.gave_up", { failed: hasFailed });
        return "done";
      });
      return;
    default:
      // wrangler.toml names it and nothing here does.
      services.log("error", "queue.unknown", { queue });
  }
}

const bodySchema = z.object({ incident_id: z.uuid() });

async function each(
  services: InvestigationServices,
  messages: readonly QueueMessage[],
  work: (incidentId: string) => Promise<"done" | "again">,
): Promise<void> {
  await Promise.all(
    messages.map((message) => {
      const body = bodySchema.safeParse(message.body);
      const requestId = services.newId();
      if (body.success) {
        const incidentId = body.data.incident_id;
        return withContext({ requestId, incidentId, about: {} }, () => take(services, message, () => work(incidentId)));
      }
      withContext({ requestId }, () => services.log("error", "queue.malformed_message"));
      message.ack();
      return undefined;
    }),
  );
}

async function take(
  services: InvestigationServices,
  message: QueueMessage,
  work: () => Promise<"done" | "again">,
): Promise<void> {
  try {
    const end = await work();
    if (end === "done") return message.ack();
  } catch (error) {
    const code = failureCode(error);
    if (code === undefined) throw error;
    services.log("warn", "queue.delivery_failed", { error: code });
  }
  message.retry({ delaySeconds: retryDelaySeconds(message.attempts) });
}

async function investigate(
  services: InvestigationServices,
  incidentId: string,
  runInBackground: RunInBackground,
): Promise<"done" | "again"> {
  const run = await claimIncident(services.background.database, {
    incidentId,
    runId: services.newId(),
    now: services.now(),
    maxAttempts: services.config.MAX_TRIAGE_ATTEMPTS,
  });
  // Delivered twice, answered already, or forgotten. A run that died is the sweep's.
  if (run === null) return "done";
  const end = await investigateStored(services, run, runInBackground);
  return end === "queued" ? "again" : "done";
}
