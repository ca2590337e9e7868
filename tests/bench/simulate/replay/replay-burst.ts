// Replays a recorded burst under other limits: the decisions and calls are those of the recorded run, and only their times
// are simulated again. Takes seconds, where the recorded run executes all code and SQL.

import { z } from "zod";
import { QUEUES } from "../../../../functions/jobs/queues.ts";
import type { Burst } from "../burst/burst.ts";
import { startSenders } from "../burst/senders.ts";
import type { Webhook } from "../burst/webhooks.ts";
import { createFigures } from "../figures/figures.ts";
import type { WranglerSettings } from "../figures/wrangler-settings.ts";
import { createRateLimitBinding } from "../platform/bindings.ts";
import { useCpu } from "../platform/invocation.ts";
import { createSimulatedQueue, type SimulatedQueue } from "../platform/queue.ts";
import { createUseRecorder, type Pool } from "../platform/resources.ts";
import { createVirtualClock } from "../platform/virtual-clock.ts";
import { limitsOfResources, type Outcome, timesOf } from "../result/outcome.ts";
import type { PlatformFigures, Recording } from "../simulate-burst.ts";
import { type CallReplay, createCallReplay, createCpu, createInvocation, type Shared } from "./replay-calls.ts";

/** The job `recover-stuck-runs` sends messages again that were not accepted. */
const RESEND_MS = 300_000;
const RETRY_AFTER = { "retry-after": "60" } as const;
/** The body of a message. */
const queuedAt = z.number();
const MAX_VIRTUAL_MS = 24 * 3_600_000;

/** What is replayed, and what comes of it. */
interface Replay extends Shared {
  readonly burst: Burst;
  readonly settings: WranglerSettings;
  readonly recording: Recording;
  readonly calls: CallReplay;
  /** Investigations that have not begun, in their order. */
  readonly waiting: Recording["investigations"][number][];
  /** Virtual milliseconds of each answer and of its message. */
  readonly answers: { readonly at: number; readonly queuedAt: number }[];
  degraded: number;
  lastStoredAt: number;
}

export async function replayBurst(
  burst: Burst,
  { settings, limits, costs }: PlatformFigures,
  recording: Recording,
): Promise<Outcome> {
  const shared = {
    clock: createVirtualClock(),
    recorder: createUseRecorder(),
    figures: createFigures(limits, costs, burst.seed),
  };
  const replay: Replay = {
    ...shared,
    burst,
    settings,
    recording,
    calls: createCallReplay(shared, recording.collections),
    waiting: [...recording.investigations],
    answers: [],
    degraded: 0,
    lastStoredAt: 0,
  };
  const { clock, recorder, calls, waiting, answers } = replay;
  const triages = createTriages(replay);
  const send = createEndpoint(replay, triages);
  const delivery = startSenders(recording.webhookList, { clock, random: recording.random(), send });
  await clock.run(() => delivery.open === 0 && waiting.length === 0 && calls.running === 0, MAX_VIRTUAL_MS);
  const { stored } = recording.outcome;
  const isComplete = answers.length === stored.incidents;
  return {
    ...recording.outcome,
    delivery,
    stored: { ...stored, degraded: replay.degraded, ...timesOf(answers, replay.lastStoredAt) },
    uses: recorder.report(limitsOfResources(limits, settings)),
    largestBacklog: triages.largestBacklog,
    violations: isComplete ? [] : [`Replayed answers: ${answers.length}, expected ${stored.incidents}.`],
  };
}

/** The queue whose messages are permits for the next investigation. */
function createTriages(replay: Replay): SimulatedQueue {
  const { clock, settings, burst, calls, waiting, answers } = replay;
  const { limits, costs } = replay.figures;
  const queue = settings.queues.find(({ name }) => name === QUEUES.triages);
  if (queue === undefined) throw new Error("wrangler.toml has no consumer of dejavu-triages.");
  const cpus = new Map<number, Pool>();
  return createSimulatedQueue({
    ...replay,
    settings: queue,
    messagesPerSecond: limits.queueMessagesPerSecond,
    maxConcurrency: Math.min(queue.maxConcurrency ?? limits.queueConcurrency, limits.queueConcurrency),
    sendMs: limits.queueSendMs,
    consume: async ({ messages }, consumer) => {
      const cpu = cpus.get(consumer) ?? createCpu(replay, "triage_cpu");
      cpus.set(consumer, cpu);
      const { roundTripMs } = burst.consumerRegion;
      const cpuMsPerCall = costs.cpuMs.triage / costs.callsPerTriage;
      const by = createInvocation(replay, { cpu, cpuMsPerCall, roundTripMs });
      await Promise.all(
        messages.map(async (message) => {
          const trace = waiting.shift();
          if (trace !== undefined) {
            const isComplete = await calls.replay(trace, by, "finish_run");
            replay.degraded += isComplete ? 0 : 1;
            answers.push({ at: clock.now(), queuedAt: queuedAt.parse(message.body) });
          }
          message.ack();
        }),
      );
    },
  });
}

/** Answers webhooks as they were answered in the recorded run, when the limits allow it. */
function createEndpoint(replay: Replay, triages: SimulatedQueue): (webhook: Webhook) => Promise<Response> {
  const { clock, settings, burst, recording, calls } = replay;
  const { limits, costs } = replay.figures;
  const requests = settings.rateLimits.find(({ binding }) => binding === "RATE_LIMIT");
  const places = burst.regions.map(({ roundTripMs }) => ({
    roundTripMs,
    limit: requests && createRateLimitBinding(replay, requests),
    cpus: Array.from({ length: limits.isolatesPerRegion }, () => createCpu(replay, "request_cpu")),
    turn: 0,
  }));
  return async (webhook) => {
    const place = places[webhook.team.region];
    const recorded = recording.webhooks.get(webhook);
    const cpu = place?.cpus[place.turn++ % place.cpus.length];
    if (place === undefined || recorded === undefined || cpu === undefined)
      throw new Error("The recording lacks a webhook.");
    await useCpu(clock, cpu, costs.cpuMs.webhook + webhook.alerts * costs.cpuMs.alert);
    const admitted = await place.limit?.limit({ key: webhook.team.token });
    if (admitted?.success === false) return new Response(null, { status: 429, headers: RETRY_AFTER });
    const by = createInvocation(replay, { cpu, cpuMsPerCall: 0, roundTripMs: place.roundTripMs });
    const isStored = await calls.replay(recorded.calls, by, "ingest_alerts_within");
    if (!isStored) return new Response(null, { status: 503, headers: RETRY_AFTER });
    if (recorded.created + recorded.grouped > 0) replay.lastStoredAt = clock.now();
    if (recorded.created > 0) clock.start(() => enqueue(replay, triages, recorded.created));
    return Response.json(recorded.receipt, { status: 202 });
  };
}

async function enqueue({ clock }: Replay, triages: SimulatedQueue, count: number): Promise<void> {
  const messages = Array.from({ length: count }, () => ({ body: clock.now() }));
  for (;;) {
    const isSent = await triages.sendBatch(messages).then(
      () => true,
      () => false,
    );
    if (isSent) return;
    await clock.sleep(RESEND_MS);
  }
}
