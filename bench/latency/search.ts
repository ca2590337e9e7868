// Times searches. Each round runs every measurement in turn with new text, so that the embedding cache has no effect except
// in the measurement of a repeated query.

import type { Stack } from "../../dev/stack/stack.ts";
import { recallRunbooks } from "../../functions/knowledge/recall-runbooks.ts";
import type { Services } from "../../functions/services.ts";
import { createTimings, type Timings } from "../support/timings.ts";
import type { BareWorker } from "./bare-worker.ts";
import { createRawCalls, readJson } from "./raw-calls.ts";

const ROUNDS = 200;
const WARM_UP = 20;
const COLLECTION = "runbooks";
const SHOWN = 10;

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
/** Each occurs in several chunks of the collection. */
const KEYWORDS = ["docker", "exit", "memory", "disk", "network", "image", "restart", "daemon"];

export async function measureSearch(services: Services, stack: Stack, worker: BareWorker): Promise<void> {
  const { config } = services;
  const timings = createTimings();
  const raw = await createRawCalls(services, stack, {
    collection: COLLECTION,
    limit: config.SEARCH_CANDIDATES,
    shown: SHOWN,
  });
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" };
  const search = async (body: object) =>
    readJson(
      await fetch(`${worker.url}/v1/search`, {
        method: "POST",
        headers,
        body: JSON.stringify({ collection: COLLECTION, limit: SHOWN, ...body }),
      }),
    );
  const hybrid = async (query: string) =>
    readJson(
      await fetch(`${worker.url}/v1/runbooks/search?${new URLSearchParams({ query, domain: "docker" })}`, { headers }),
    );

  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) timings.reset();
    if (process.stderr.isTTY) process.stderr.write(`\r${Math.max(0, round - WARM_UP + 1)} of ${ROUNDS} rounds`);
    const title = (prefix: string) => `${prefix}-${round} ${TITLES[round % TITLES.length]}`;
    const keyword = KEYWORDS[round % KEYWORDS.length] ?? "";

    const time = async (name: string, work: () => Promise<unknown>): Promise<number> => {
      const started = performance.now();
      await work();
      const elapsed = performance.now() - started;
      timings.add(name, elapsed);
      return elapsed;
    };
    let vector: number[] = [];
    const embedding = await time("embedding", async () => {
      [vector = []] = await services.embedder.embed([title("raw")]);
    });
    const chroma = await time("raw Chroma query", () => raw.queryChroma(vector));
    const bm25 = await time("raw BM25 call", () => raw.searchByKeywords(title("raw")));
    await time("raw Chroma get", () => raw.getFromChroma(keyword));
    timings.add("floor: by meaning", embedding + chroma);
    timings.add("floor: both", embedding + Math.max(chroma, bm25));
    timings.add("floor: both, embedded before", Math.max(chroma, bm25));

    await time("search by meaning", () => search({ query: title("meaning") }));
    await time("search by keyword", () => search({ keyword }));
    await time("runbook recall in process", () => recallInProcess(services, title("process")));
    await time("search by both", () => hybrid(title("hybrid")));
    await time("search by both, asked again", () => hybrid(title("hybrid")));
    await time("GET /health", async () => readJson(await fetch(`${worker.url}/health`)));
    await time("one-line Worker", async () => readJson(await fetch(worker.floorUrl)));
    await time("GET /health, wrangler dev", async () => readJson(await fetch(`${stack.info.urls.worker}/health`)));
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");

  timings.print();
  printRatios(timings);
}

function recallInProcess(services: Services, text: string): Promise<unknown> {
  const { config, embedder } = services;
  return recallRunbooks(
    services,
    {
      scope: { only: null, preferred: {}, excluded: [] },
      vector: embedder.embed([text]).then(([first = []]) => first),
      keywords: text,
      candidates: config.SEARCH_CANDIDATES,
      incidentType: undefined,
    },
    { now: services.now(), halfLifeDays: config.TIME_DECAY_HALFLIFE_DAYS },
  );
}

/** Prints each search as a multiple of the raw calls that it needs. */
function printRatios(timings: Timings): void {
  console.log("\nRatio to the lower bound (targets: p50 at most 1.3 ×, p95 at most 2 ×)");
  const compare = (name: string, floor: string, floorText: string): void => {
    const ratio = (share: number) => (timings.quantile(name, share) / timings.quantile(floor, share)).toFixed(2);
    console.log(`  ${name.padEnd(28)} p50 ${ratio(0.5)} ×, p95 ${ratio(0.95)} ×   ${floorText}`);
  };
  compare("search by meaning", "floor: by meaning", "embedding + raw Chroma query");
  compare("search by keyword", "raw Chroma get", "raw Chroma get");
  compare("runbook recall in process", "floor: both", "embedding + slower raw call");
  compare("search by both", "floor: both", "embedding + slower raw call");
  compare("search by both, asked again", "floor: both, embedded before", "slower raw call: the embedding is cached");
}
