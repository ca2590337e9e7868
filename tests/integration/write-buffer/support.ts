// A database that can be cut off and a fake of the platform's queue, whose messages the test delivers.

import { expect } from "vitest";
import type { QueueMessage } from "../../../functions/jobs/queue-types.ts";
import { consume, QUEUES } from "../../../functions/jobs/queues.ts";
import { type BufferedWrite, bufferedWriteSchema } from "../../../functions/write-buffer.ts";
import { createHarness, type Harness, workerEnv } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

export const OOM = {
  title: "api-gateway docker container exited with code 137",
  target: "api-gateway",
  severity: "critical",
};

export interface Outage extends AsyncDisposable {
  readonly harness: Harness;
  /** Another isolate on the same stores and the same queue. */
  isolate(): Harness;
  cutDatabase(): void;
  restoreDatabase(): void;
  /** Makes the queue fail. */
  failQueue(): void;
  /** Messages that wait in the queue of writes. */
  readonly waiting: unknown[];
  /** Incidents that were sent to their investigation. */
  readonly investigations: unknown[];
}

export async function createOutage(settings: Record<string, unknown> = {}): Promise<Outage> {
  let isCut = false;
  let isQueueFailing = false;
  const waiting: unknown[] = [];
  const investigations: unknown[] = [];
  const database = await lyingServer({
    forwardTo: workerEnv.SUPABASE_URL ?? "",
    before: () => (isCut ? "cut" : undefined),
  });
  const queue = (messages: unknown[]) => ({
    async send(body: unknown) {
      if (isQueueFailing) throw new Error("The queue is unavailable.");
      // As on the platform: a message is a copy.
      messages.push(JSON.parse(JSON.stringify(body)));
    },
    async sendBatch(batch: readonly { readonly body: unknown }[]) {
      messages.push(...batch.map(({ body }) => body));
    },
  });
  const isolate = () =>
    createHarness({
      SUPABASE_URL: database.url,
      WRITE_QUEUE: queue(waiting),
      TRIAGE_QUEUE: queue(investigations),
      ...settings,
    });
  return {
    harness: isolate(),
    isolate,
    cutDatabase: () => {
      isCut = true;
    },
    restoreDatabase: () => {
      isCut = false;
    },
    failQueue: () => {
      isQueueFailing = true;
    },
    waiting,
    investigations,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

export type Delivered = "acknowledged" | { readonly againInSeconds: number } | "untouched";

/** Delivers messages in one batch. @returns the outcome of each */
export async function deliver(
  { services }: Pick<Harness, "services">,
  bodies: readonly unknown[],
  { attempts = 1, queue = QUEUES.writes as string } = {},
): Promise<Delivered[]> {
  const ends: Delivered[] = bodies.map(() => "untouched");
  const messages = bodies.map(
    (body, i): QueueMessage => ({
      body,
      attempts,
      ack: () => {
        ends[i] = "acknowledged";
      },
      retry: ({ delaySeconds }) => {
        ends[i] = { againInSeconds: delaySeconds };
      },
    }),
  );
  const background: Promise<unknown>[] = [];
  await consume(services, { queue, messages }, (work) => void background.push(work));
  await Promise.all(background);
  return ends;
}

/** Takes all messages out of the queue. */
export function takeAll({ waiting }: Outage): BufferedWrite[] {
  return waiting.splice(0).map((message) => bufferedWriteSchema.parse(message));
}

export async function json(response: Response, status: number): Promise<Record<string, unknown>> {
  expect(response.status, await response.clone().text()).toBe(status);
  return (await response.json()) as Record<string, unknown>;
}

export function alertmanager(
  alerts: readonly { readonly status: "firing" | "resolved"; readonly name?: string; readonly text?: string }[],
): object {
  return {
    version: "4",
    groupKey: "{}",
    status: "firing",
    receiver: "dejavu",
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: "",
    truncatedAlerts: 0,
    alerts: alerts.map(({ status, name = "KubePodCrashLooping", text = "It crashes." }) => ({
      status,
      labels: { alertname: name, severity: "critical", pod: `${name.toLowerCase()}-0` },
      annotations: { summary: `${name} on a pod`, description: text },
      startsAt: "2026-03-01T02:50:00Z",
      endsAt: status === "resolved" ? "2026-03-01T02:58:00Z" : "0001-01-01T00:00:00Z",
      generatorURL: "",
      fingerprint: `fp-${name}`,
    })),
  };
}
