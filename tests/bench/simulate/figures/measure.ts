// Measures what each kind of operation takes, on a throw-away stack: the application in this process, one request at a
// time, with every call to another system timed.

import { createHash } from "node:crypto";
import { loadavg } from "node:os";
import { z } from "zod";
import { seedRunbooks } from "../../../../cli/seed-runbooks.ts";
import { startStack } from "../../../../dev/stack/start-stack.ts";
import { createApp } from "../../../../functions/app.ts";
import { consume, QUEUES } from "../../../../functions/jobs/queues.ts";
import { createServices, type Services } from "../../../../functions/services.ts";
import { createExecutionContext } from "../../../integration/support/execution-context.ts";
import { scratchFolder } from "../../../support/scratch-folder.ts";
import { randomNumbers } from "../../support/random-numbers.ts";
import { createTeams, storeTeams, type Team } from "../burst/teams.ts";
import { createWebhooks, type Webhook } from "../burst/webhooks.ts";
import { readSqlCall } from "../platform/database.ts";
import { readVectorCall } from "../platform/vector-store.ts";
import { type Costs, type OperationCost, quantilesOf } from "./costs.ts";
import { createServerTime } from "./server-time.ts";
import { readWranglerSettings } from "./wrangler-settings.ts";

const TEAMS = 80;
const WARM_UP = 20;
/** One webhook of one alert for each team, and one of many. */
const MANY_ALERTS = 100;
const SEED = 1;

/** Takes about two minutes. @throws Error when a request is not answered with success */
export async function measureCosts(onProgress: (step: string) => void): Promise<Costs> {
  const stack = await startStack({
    dir: await scratchFolder("simulate"),
    ephemeral: true,
    services: ["postgres", "gateway", "chroma"],
  });
  try {
    const { variables } = readWranglerSettings();
    const dimensions = Number(variables.EMBEDDING_DIMENSIONS);
    const { EMBEDDING_MODEL: model, EMBEDDING_DIMENSIONS } = variables;
    const environment = {
      ...stack.workerEnv,
      EMBEDDING_MODEL: model,
      EMBEDDING_DIMENSIONS,
      AI: createEmbeddings(dimensions),
    };
    await seedRunbooks({ env: environment });
    const services = createServices(environment, { log: () => {} });
    const random = randomNumbers(SEED);
    const teams = createTeams({ teams: TEAMS, regions: 1, tokens: TEAMS, random });
    await storeTeams(services, stack.info.urls.postgres, teams);
    return await measureAll(services, teams, {
      chromaHost: new URL(stack.workerEnv.CHROMA_URL ?? "").host,
      serverTimes: {
        sql: createServerTime(stack, ["postgres", "postgrest"]),
        chroma: createServerTime(stack, ["chroma"]),
      },
      random,
      onProgress,
    });
  } finally {
    await stack.stop();
  }
}

const receiptSchema = z.object({ incidents: z.array(z.string()) });

/** Milliseconds that the servers of each store have worked. */
interface ServerTimes {
  readonly sql: () => number;
  readonly chroma: () => number;
}

interface Measurement {
  readonly chromaHost: string;
  readonly serverTimes: ServerTimes;
  readonly random: () => number;
  readonly onProgress: (step: string) => void;
}

async function measureAll(
  services: Services,
  teams: readonly Team[],
  { chromaHost, serverTimes, random, onProgress }: Measurement,
): Promise<Costs> {
  const timings = createCallTimings(chromaHost, serverTimes);
  try {
    const single = webhooksOf(teams, TEAMS, random);
    const many = webhooksOf(teams, TEAMS * MANY_ALERTS, random);
    const deliver = createDelivery(services);
    const ids: string[] = [];
    for (const webhook of single.slice(0, WARM_UP)) ids.push(...(await deliver(webhook)));
    for (const id of ids.splice(0)) await investigate(services, id);
    timings.reset();
    const cpuOf = async (work: () => Promise<void>): Promise<number> => {
      const before = timings.cpuMs();
      await work();
      return timings.cpuMs() - before;
    };
    onProgress("webhooks of one alert");
    const one = await cpuOf(async () => {
      for (const webhook of single.slice(WARM_UP)) ids.push(...(await deliver(webhook)));
    });
    onProgress("investigations");
    const callsBefore = timings.calls();
    const triages = await cpuOf(async () => {
      for (const id of ids) await investigate(services, id);
    });
    const callsPerTriage = (timings.calls() - callsBefore) / ids.length;
    const small = timings.take();
    onProgress(`webhooks of ${MANY_ALERTS} alerts`);
    const large = await cpuOf(async () => {
      for (const webhook of many) await deliver(webhook);
    });
    const webhookCpu = one / (TEAMS - WARM_UP);
    const perAlert = Math.max(0, (large / many.length - webhookCpu) / (MANY_ALERTS - 1));
    return {
      measuredOn: new Date().toISOString().slice(0, 10),
      loadAverage: rounded(loadavg()[0] ?? 0),
      manyAlerts: MANY_ALERTS,
      cpuMs: {
        webhook: rounded(webhookCpu - perAlert),
        alert: rounded(perAlert),
        triage: rounded(triages / ids.length),
      },
      callsPerTriage: rounded(callsPerTriage),
      operations: operationsOf(small, timings.take()),
    };
  } finally {
    timings.stop();
  }
}

function webhooksOf(teams: readonly Team[], alerts: number, random: () => number): Webhook[] {
  return createWebhooks({
    teams,
    alerts,
    rules: 1,
    repeats: 0,
    seconds: 1,
    startedAt: new Date(),
    random,
    namespaces: 1,
  });
}

/** @returns the ids of the created incidents */
function createDelivery(services: Services): (webhook: Webhook) => Promise<string[]> {
  const app = createApp(services);
  return async ({ team, body }) => {
    const context = createExecutionContext();
    const headers = { authorization: `Bearer ${team.token}`, "content-type": "application/json" };
    const request = new Request("http://dejavu.bench/v1/alerts/alertmanager", {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const response = await app.fetch(request, {}, context);
    if (response.status !== 202)
      throw new Error(`A webhook was answered with ${response.status}: ${await response.text()}`);
    const { incidents } = receiptSchema.parse(await response.json());
    await context.settled();
    return incidents;
  };
}

async function investigate(services: Services, incidentId: string): Promise<void> {
  const context = createExecutionContext();
  let isDone = false;
  const message = {
    body: { incident_id: incidentId },
    attempts: 1,
    ack: () => {
      isDone = true;
    },
    retry: () => {},
  };
  await consume(services, { queue: QUEUES.triages, messages: [message] }, (work) => context.waitUntil(work));
  await context.settled();
  if (!isDone) throw new Error("An investigation failed.");
}

/** Times every request of this process until it is stopped. Calls of one store wait for each other: the work is that of one. */
function createCallTimings(chromaHost: string, serverTimes: ServerTimes) {
  const fetchPlainly = globalThis.fetch;
  const busy = new Map<string, Promise<unknown>>();
  let samples = new Map<string, number[]>();
  let [calls, ownCpuMs] = [0, 0];
  const read = (worked: () => number): number => {
    const before = cpuMsSoFar();
    const value = worked();
    ownCpuMs += cpuMsSoFar() - before;
    return value;
  };
  const timed = async (key: string, worked: () => number, request: Request): Promise<Response> => {
    const before = read(worked);
    const response = await fetchPlainly(request);
    const bytes = await response.arrayBuffer();
    samples.set(key, [...(samples.get(key) ?? []), read(worked) - before]);
    calls += 1;
    return new Response(response.status === 204 ? null : bytes, response);
  };
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = await request.clone().text();
    const { host, pathname } = new URL(request.url);
    const { store, name } = host === chromaHost ? readVectorCall(pathname) : readSqlCall(pathname, body);
    const worked = store === "chroma" ? serverTimes.chroma : serverTimes.sql;
    const answer = (busy.get(store) ?? Promise.resolve()).then(() => timed(`${store} ${name}`, worked, request));
    busy.set(
      store,
      answer.catch(() => {}),
    );
    return answer;
  };
  return {
    calls: () => calls,
    /** CPU milliseconds of this process, without those of the timings. */
    cpuMs: () => cpuMsSoFar() - ownCpuMs,
    reset: () => samples.clear(),
    take() {
      const taken = samples;
      samples = new Map();
      return taken;
    },
    stop() {
      globalThis.fetch = fetchPlainly;
    },
  };
}

function cpuMsSoFar(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** `sql other` holds the samples of all functions, for those that were not called. */
function operationsOf(small: ReadonlyMap<string, number[]>, large: ReadonlyMap<string, number[]>): Costs["operations"] {
  const costOf = (samples: readonly number[]): OperationCost => ({
    samples: samples.length,
    quantiles: quantilesOf(samples),
  });
  const sql = [...small].filter(([name]) => name.startsWith("sql ")).flatMap(([, samples]) => samples);
  const ingest = large.get("sql ingest_alerts_within") ?? [];
  return Object.fromEntries(
    [...small, ["sql other", sql] as const].map(([name, samples]) => [
      name,
      name === "sql ingest_alerts_within" ? { ...costOf(samples), manyAlerts: quantilesOf(ingest) } : costOf(samples),
    ]),
  );
}

/** Each text has a vector of its own. */
function createEmbeddings(dimensions: number) {
  return {
    async run(_model: string, { text }: { readonly text: readonly string[] }): Promise<unknown> {
      return { data: text.map((each) => vectorOf(each, dimensions)) };
    },
  };
}

function vectorOf(text: string, dimensions: number): number[] {
  const random = randomNumbers(createHash("sha256").update(text).digest().readUInt32LE());
  const values = Array.from({ length: dimensions }, () => random() - 0.5);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
