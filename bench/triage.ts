// `npm run bench -- triage`: a triage and its recalls beside the raw calls that they consist of. In one run on one
// throw-away stack, and where the time of a triage goes. Absolute times depend on the machine; compare the ratios.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { postTriage } from "../cli/service/triage-client.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import { recallLimits } from "../functions/investigation/recall/recall.ts";
import { triage } from "../functions/investigation/triage.ts";
import { type RecallQuery, recallRunbooks } from "../functions/knowledge/recall-runbooks.ts";
import { recallMemory } from "../functions/memory/recall-memory.ts";
import { createServices, type Services } from "../functions/services.ts";
import { B, K1 } from "../lib/ranking/bm25.ts";
import { tokenize } from "../lib/text/tokenize.ts";
import { createSpanTimer } from "./support/span-timer.ts";
import { withTimedCalls } from "./support/timed-calls.ts";
import { createTimings, type Timings } from "./support/timings.ts";

const ROUNDS = 150;
const WARM_UP = 20;
/** Pause after a round: the triage through the Worker writes memory in a background task after its response. */
const MEMORY_WRITE_MS = 150;

const TITLES = [
  "container exited with code 137",
  "container keeps restarting after the deployment",
  "no space left on device under /var/lib/docker",
  "container cannot resolve hostnames",
  "image pull fails with toomanyrequests",
  "container is unhealthy, health check times out",
  "Cannot connect to the Docker daemon",
  "port is already allocated",
];

console.log("Starting a throw-away stack and loading the runbooks (half a minute) …");
const stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")), ephemeral: true });
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  await measure();
} finally {
  await stack.stop();
}

async function measure(): Promise<void> {
  const services = createServices(stack.workerEnv, { log: () => {} });
  const { database, embedder, vectors, config } = services;
  const timings = createTimings();
  const parts = createParts();
  const timed: Services = {
    ...withTimedCalls(services, parts.record),
    tracer: createSpanTimer(services.tracer.exportRules, parts.record),
  };

  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) for (const each of [timings, parts]) each.reset();
    if (process.stderr.isTTY) process.stderr.write(`\r${Math.max(0, round - WARM_UP + 1)} of ${ROUNDS} rounds`);
    // Each step has its own text: a repeated text would come from the embedding cache.
    const words = (service: string) => `${service}-${round} ${TITLES[round % TITLES.length]}`;
    const title = words("service");

    const [vector = []] = await timings.time("embedding", () => embedder.embed([title]));
    await timings.time("raw Chroma query", () =>
      vectors.search("runbooks", { vector, limit: config.SEARCH_CANDIDATES }),
    );
    await timings.time("raw BM25 call", () =>
      database.call("search_documents", {
        p_collection: "runbooks",
        p_terms: [...tokenize(title)],
        p_limit: config.SEARCH_CANDIDATES,
        p_k1: K1,
        p_b: B,
        p_sibling_sources: 0,
      }),
    );
    const query = (service: string): RecallQuery => ({
      scope: { only: null, preferred: {}, excluded: [] },
      vector: embedder.embed([words(service)]).then(([first = []]) => first),
      keywords: words(service),
      candidates: config.SEARCH_CANDIDATES,
      incidentType: undefined,
    });
    const ageing = { now: services.now(), halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS };
    await timings.time("runbook recall", () => recallRunbooks(services, query("gateway"), ageing));
    await timings.time("memory recall", () =>
      recallMemory(services, {
        ...query("orders"),
        domain: "docker",
        failure: query("orders"),
        excludedIds: [],
        fingerprint: null,
        sessionId: null,
        sessionPastAnswers: [],
        now: services.now(),
        limits: recallLimits(config),
      }),
    );
    const background: Promise<unknown>[] = [];
    const runInBackground = (work: Promise<unknown>) => void background.push(work);
    await timings.time("triage in process", () =>
      triage(services, { title: words("billing") }, { idempotency: null, runInBackground }),
    );
    await Promise.all(background);
    await parts.during(() => triage(timed, { title: words("basket") }, { idempotency: null, runInBackground }));
    await Promise.all(background);
    await timings.time("triage through the Worker", () =>
      postTriage(stack.info.urls.worker, stack.info.token, { title: words("search") }),
    );
    await pause(MEMORY_WRITE_MS);
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");

  timings.print();
  printRatios(timings);
  parts.print();
}

/** Spans and calls of a triage until its answer: when each begins, and how long it takes. */
function createParts() {
  const begins = createTimings();
  const takes = createTimings();
  let startedAt: number | undefined;
  return {
    record(name: string, durationMs: number): void {
      if (startedAt === undefined) return;
      begins.add(name, performance.now() - durationMs - startedAt);
      takes.add(name, durationMs);
    },
    async during(work: () => Promise<unknown>): Promise<void> {
      startedAt = performance.now();
      await work();
      startedAt = undefined;
    },
    reset(): void {
      for (const each of [begins, takes]) each.reset();
    },
    print(): void {
      console.log(`\n${"a triage in process".padEnd(36)} ${"begins".padStart(8)} ${"takes".padStart(8)}`);
      for (const name of takes.names().sort((a, b) => begins.p50(a) - begins.p50(b))) {
        const times = [begins.p50(name), takes.p50(name)].map((ms) => ms.toFixed(1).padStart(8));
        console.log(`${name.padEnd(36)} ${times.join(" ")}`);
      }
    },
  };
}

/** Prints recalls and triages as multiples of the lower bound of a recall. */
function printRatios(timings: Timings): void {
  const slowerRaw = Math.max(timings.p50("raw Chroma query"), timings.p50("raw BM25 call"));
  const floor = slowerRaw + timings.p50("embedding");
  console.log(`\nFloor of a recall (p50 of the embedding + the slower raw call): ${floor.toFixed(1)} ms`);
  for (const name of ["runbook recall", "memory recall", "triage in process", "triage through the Worker"]) {
    console.log(`  ${name.padEnd(28)} ${(timings.p50(name) / floor).toFixed(2)} × floor`);
  }
}
