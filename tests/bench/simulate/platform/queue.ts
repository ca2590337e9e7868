// Cloudflare Queues: batches by size and time, concurrent consumers, delayed retries and dead letters.

import type { QueueBatch } from "../../../../functions/jobs/queue-types.ts";
import { QUEUES } from "../../../../functions/jobs/queues.ts";
import type { QueueSettings } from "../figures/wrangler-settings.ts";
import { createRate, type UseRecorder } from "./resources.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** @param consumer number of the concurrent consumer, from 0 */
export type Consumer = (batch: QueueBatch, consumer: number) => Promise<void>;

export interface SimulatedQueue {
  send(body: unknown, options?: { readonly delaySeconds?: number }): Promise<void>;
  sendBatch(messages: readonly { readonly body: unknown }[]): Promise<void>;
  readonly counts: {
    readonly sent: number;
    readonly delivered: number;
    readonly retried: number;
    readonly dead: number;
  };
  readonly largestBacklog: number;
  /** Messages that are neither acknowledged nor given up. */
  readonly open: number;
}

export interface QueueOptions {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
  readonly settings: QueueSettings;
  readonly messagesPerSecond: number;
  readonly maxConcurrency: number;
  readonly sendMs: number;
  readonly consume: Consumer;
  /** Receives messages whose retries are used up; undefined without a dead letter queue. */
  readonly deadLetters?: SimulatedQueue | undefined;
}

interface Message {
  readonly body: unknown;
  attempts: number;
  readyAt: number;
}

interface QueueState {
  readonly ready: Message[];
  /** Numbers of the consumers that do nothing. */
  readonly free: number[];
  readonly counts: { sent: number; delivered: number; retried: number; dead: number };
  open: number;
  largestBacklog: number;
  isWaiting: boolean;
}

export function createSimulatedQueue(options: QueueOptions): SimulatedQueue {
  const { clock, recorder, messagesPerSecond, maxConcurrency, sendMs } = options;
  const rate = createRate({ clock, recorder, name: "queue_messages", size: messagesPerSecond, periodMs: 1_000 });
  const state: QueueState = {
    ready: [],
    free: Array.from({ length: maxConcurrency }, (_, i) => i),
    counts: { sent: 0, delivered: 0, retried: 0, dead: 0 },
    open: 0,
    largestBacklog: 0,
    isWaiting: false,
  };
  const send = async (bodies: readonly unknown[], delaySeconds: number): Promise<void> => {
    await clock.sleep(sendMs);
    if (!rate.take(bodies.length)) throw new Error("Too Many Requests");
    state.counts.sent += bodies.length;
    state.open += bodies.length;
    for (const body of bodies) {
      clock.after(delaySeconds * 1_000, () => add(options, state, { body, attempts: 0, readyAt: 0 }));
    }
  };
  return {
    send: (body, { delaySeconds = 0 } = {}) => send([body], delaySeconds),
    sendBatch: (messages) =>
      send(
        messages.map(({ body }) => body),
        0,
      ),
    counts: state.counts,
    get largestBacklog() {
      return state.largestBacklog;
    },
    get open() {
      return state.open;
    },
  };
}

function add(options: QueueOptions, state: QueueState, message: Message): void {
  message.readyAt = options.clock.now();
  state.ready.push(message);
  state.largestBacklog = Math.max(state.largestBacklog, state.ready.length);
  dispatch(options, state);
}

/** Delivers full batches, and others after their time, while a consumer is free. */
function dispatch(options: QueueOptions, state: QueueState): void {
  const { clock, settings } = options;
  const { ready, free } = state;
  for (let oldest = ready[0]; oldest !== undefined && free.length > 0; oldest = ready[0]) {
    const waitMs = oldest.readyAt + settings.maxBatchTimeoutSeconds * 1_000 - clock.now();
    if (ready.length < settings.maxBatchSize && waitMs > 0) {
      if (state.isWaiting) return;
      state.isWaiting = true;
      clock.after(waitMs, () => {
        state.isWaiting = false;
        dispatch(options, state);
      });
      return;
    }
    const [batch, consumer] = [ready.splice(0, settings.maxBatchSize), free.shift() ?? 0];
    clock.start(() => deliver(options, state, batch, consumer));
  }
}

type End = "ack" | { readonly delaySeconds: number };

async function deliver(
  options: QueueOptions,
  state: QueueState,
  messages: readonly Message[],
  consumer: number,
): Promise<void> {
  recordConsumers(options, state, messages);
  const ends = new Map<Message, End>();
  const batch = messages.map((message) => {
    message.attempts += 1;
    state.counts.delivered += 1;
    const end = (value: End) => void (ends.has(message) || ends.set(message, value));
    return { body: message.body, attempts: message.attempts, ack: () => end("ack"), retry: end };
  });
  const isFailed = await options.consume({ queue: options.settings.name, messages: batch }, consumer).then(
    () => false,
    () => true,
  );
  for (const message of messages) {
    // As on the platform: what a consumer neither acknowledges nor retries counts as it ends.
    const end = ends.get(message) ?? (isFailed ? { delaySeconds: 0 } : "ack");
    if (end === "ack") state.open -= 1;
    else retry(options, state, message, end.delaySeconds);
  }
  state.free.push(consumer);
  state.free.sort((a, b) => a - b);
  dispatch(options, state);
}

/** The consumers of triages are a limit of their own: how many are busy, and how long messages wait for one. */
function recordConsumers(
  { clock, recorder, settings, maxConcurrency }: QueueOptions,
  { free }: QueueState,
  messages: readonly Message[],
): void {
  if (settings.name !== QUEUES.triages) return;
  recorder.used("triage_consumers", maxConcurrency - free.length);
  const now = clock.now();
  const waitedMs = now - (messages[0]?.readyAt ?? now) - settings.maxBatchTimeoutSeconds * 1_000;
  if (waitedMs > 0) recorder.waited("triage_consumers", now - waitedMs, waitedMs);
}

function retry(options: QueueOptions, state: QueueState, message: Message, delaySeconds: number): void {
  const { clock, settings, deadLetters } = options;
  if (message.attempts <= settings.maxRetries) {
    state.counts.retried += 1;
    clock.after(delaySeconds * 1_000, () => add(options, state, message));
    return;
  }
  state.open -= 1;
  state.counts.dead += 1;
  if (deadLetters !== undefined) clock.start(() => deadLetters.send(message.body));
}
