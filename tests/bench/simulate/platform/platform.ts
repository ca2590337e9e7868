// The whole simulated platform: stores, bindings, queues with their consumers, isolates of each region, and crons.

import { type JobName, SCHEDULE } from "../../../../functions/jobs/schedule.ts";
import { COLLECTIONS } from "../../../../functions/search-index/collections.ts";
import type { Log } from "../../../../functions/telemetry/log.ts";
import { requestContext } from "../../../../functions/telemetry/request-context.ts";
import type { Figures } from "../figures/figures.ts";
import type { Region } from "../figures/regions.ts";
import type { WranglerSettings } from "../figures/wrangler-settings.ts";
import { createRateLimitBinding, createWorkersAiBinding } from "./bindings.ts";
import { createSimulatedDatabase, type SimulatedDatabase } from "./database.ts";
import { callOverNetwork, currentInvocation, installPlatform, type Network } from "./invocation.ts";
import { createSimulatedQueue, type SimulatedQueue } from "./queue.ts";
import type { UseRecorder } from "./resources.ts";
import type { TraceRecorder } from "./traces.ts";
import { createSimulatedVectorStore, type SimulatedVectorStore } from "./vector-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { createIsolate, type Isolate } from "./worker.ts";

export interface PlatformOptions {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
  readonly traces: TraceRecorder;
  readonly figures: Figures;
  readonly settings: WranglerSettings;
  readonly regions: readonly Region[];
  /** Where the consumers of queues and the crons run. */
  readonly consumerRegion: Region;
  readonly stores: { readonly gatewayUrl: string; readonly serviceRoleKey: string };
  readonly startedAt: Date;
  readonly newId: () => string;
  readonly log: Log;
}

export interface Platform {
  readonly database: SimulatedDatabase;
  readonly vectors: SimulatedVectorStore;
  /** By name. */
  readonly queues: ReadonlyMap<string, SimulatedQueue>;
  /** The isolate for the next request of a region. */
  isolateFor(region: number): Isolate;
  /** Ends the crons. */
  close(): void;
}

const DATABASE = "https://database.simulated";
const VECTOR_STORE = "https://vectors.simulated";
/** The jobs that a burst needs. The others delete, decay and compress what is old. */
const JOBS: readonly JobName[] = ["retry-outbox", "recover-stuck-runs"];
const DEFAULT_DIMENSIONS = 768;
const EMBEDDING = { store: "embed", name: "embed", alerts: 0, locks: [], collection: "" } as const;

type CpuName = "request_cpu" | "triage_cpu";

export function createPlatform(options: PlatformOptions): Platform {
  const { clock, recorder, figures, regions, consumerRegion, stores } = options;
  const queues = new Map<string, SimulatedQueue>();
  const environmentOf = createEnvironments(options, queues);
  const isolate = (region: Region, cpuName: CpuName): Isolate =>
    createIsolate({ ...options, cpuName, roundTripMs: region.roundTripMs, environment: environmentOf(region) });
  const consumers = new Map<string, Isolate>();
  const consumerIsolate = (queue: string, consumer: number): Isolate => {
    const key = `${queue} ${consumer}`;
    const existing = consumers.get(key) ?? isolate(consumerRegion, "triage_cpu");
    consumers.set(key, existing);
    return existing;
  };
  addQueues(options, queues, consumerIsolate);
  const database = createSimulatedDatabase({ clock, recorder, figures, url: stores.gatewayUrl });
  const { fingerprint } = consumerIsolate("crons", 0).services.vectors;
  const vectors = createSimulatedVectorStore({ clock, recorder, figures, collections: COLLECTIONS, fingerprint });
  const uninstall = installPlatform(clock, createNetwork(options, database, vectors));
  const stopCrons = startCrons(clock, () => consumerIsolate("crons", 0));
  const size = figures.limits.isolatesPerRegion;
  const perRegion = regions.map((region) => Array.from({ length: size }, () => isolate(region, "request_cpu")));
  const turns = regions.map(() => 0);
  return {
    database,
    vectors,
    queues,
    isolateFor(region) {
      const isolates = perRegion[region] ?? [];
      const turn = turns[region] ?? 0;
      turns[region] = turn + 1;
      const chosen = isolates[turn % isolates.length];
      if (chosen === undefined) throw new Error(`There is no region ${region}.`);
      return chosen;
    },
    close() {
      stopCrons();
      uninstall();
      database.close();
    },
  };
}

/** The environment of the Worker in each region. Isolates of one region share its rate limits, all share queues and AI. */
function createEnvironments(
  { clock, recorder, traces, figures, settings, stores }: PlatformOptions,
  queues: ReadonlyMap<string, SimulatedQueue>,
): (region: Region) => Record<string, unknown> {
  const onAnswered = (startedAt: number): void => {
    const key = currentInvocation()?.traceKey ?? requestContext().requestId;
    if (key !== undefined) traces.add(key, { ...EMBEDDING, startedAt, endedAt: clock.now() });
  };
  const dimensions = Number(settings.variables.EMBEDDING_DIMENSIONS ?? DEFAULT_DIMENSIONS);
  const ai = createWorkersAiBinding({ clock, recorder, figures, onAnswered }, dimensions);
  const rateLimits = new Map<Region, Record<string, unknown>>();
  const rateLimitsOf = (region: Region): Record<string, unknown> => {
    const bindings = settings.rateLimits.map((rate) => [
      rate.binding,
      createRateLimitBinding({ clock, recorder }, rate),
    ]);
    const existing = rateLimits.get(region) ?? Object.fromEntries(bindings);
    rateLimits.set(region, existing);
    return existing;
  };
  return (region) => ({
    ...settings.variables,
    SUPABASE_URL: DATABASE,
    SUPABASE_SERVICE_ROLE_KEY: stores.serviceRoleKey,
    CHROMA_URL: VECTOR_STORE,
    CHROMA_API_KEY: "simulated",
    AI: ai,
    ...Object.fromEntries(Object.entries(settings.producers).map(([binding, queue]) => [binding, queues.get(queue)])),
    ...rateLimitsOf(region),
  });
}

function addQueues(
  { clock, recorder, figures, settings }: PlatformOptions,
  queues: Map<string, SimulatedQueue>,
  consumerIsolate: (queue: string, consumer: number) => Isolate,
): void {
  const { queueMessagesPerSecond, queueConcurrency, queueSendMs } = figures.limits;
  for (const queue of [...settings.queues].sort(deadLettersFirst)) {
    const simulated = createSimulatedQueue({
      clock,
      recorder,
      settings: queue,
      messagesPerSecond: queueMessagesPerSecond,
      maxConcurrency: Math.min(queue.maxConcurrency ?? queueConcurrency, queueConcurrency),
      sendMs: queueSendMs,
      consume: (batch, consumer) => consumerIsolate(queue.name, consumer).queue(batch),
      deadLetters: queue.deadLetterQueue === undefined ? undefined : queues.get(queue.deadLetterQueue),
    });
    queues.set(queue.name, simulated);
  }
}

/** A queue exists before the one whose dead letters it takes. */
function deadLettersFirst(a: { readonly deadLetterQueue: string | undefined }, b: typeof a): number {
  return Number(a.deadLetterQueue !== undefined) - Number(b.deadLetterQueue !== undefined);
}

/** Finds the store of a request, and records the call if it is answered. */
function createNetwork(
  { clock, traces }: PlatformOptions,
  database: SimulatedDatabase,
  vectors: SimulatedVectorStore,
): Network {
  return async (request, invocation) => {
    request.signal.throwIfAborted();
    const startedAt = clock.now();
    const body = await request.clone().text();
    const call = request.url.startsWith(DATABASE) ? database.read(request, body) : vectors.read(request, body);
    const answer = await callOverNetwork(clock, invocation, call.serve, request.signal);
    const key = invocation.traceKey ?? requestContext().requestId;
    if (answer.ok && key !== undefined) traces.add(key, { ...call.record, startedAt, endedAt: clock.now() });
    return answer;
  };
}

function startCrons(clock: VirtualClock, isolate: () => Isolate): () => void {
  let isStopped = false;
  for (const job of JOBS) {
    const everyMs = SCHEDULE[job].everyMinutes * 60_000;
    const tick = (): void => {
      if (isStopped) return;
      clock.start(() => isolate().scheduled(job));
      clock.after(everyMs, tick);
    };
    clock.after(everyMs, tick);
  }
  return () => {
    isStopped = true;
  };
}
