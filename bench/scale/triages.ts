// Part of `npm run bench -- scale`: triages with 7 domains and 150 runbooks, and with 200 domains and 20,000
// runbooks, in turn on the same servers. Only the ratio of the two counts.

import type { TriageRequest } from "../../functions/incidents/create-incident.ts";
import { triage } from "../../functions/investigation/triage.ts";
import { createDomainCatalog } from "../../functions/knowledge/domains/domain-catalog.ts";
import { routeDomain } from "../../functions/knowledge/domains/route-domain.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { withTimedCalls } from "../support/timed-calls.ts";
import { createTimings } from "../support/timings.ts";
import { createCorpus } from "./corpus.ts";
import { renderGrowth } from "./growth-table.ts";
import { scaleOptions } from "./options.ts";
import { CHUNKS_PER_SOURCE, domainOfSource, labelsOf, type Size, type SizedStores, startServers } from "./stores.ts";

const SMALL: Size = { domains: 7, runbooks: 150 };
const LARGE: Size = scaleOptions.quick ? { domains: 200, runbooks: 2_000 } : { domains: 200, runbooks: 20_000 };
const VECTORS_MS = scaleOptions.quick ? 40_000 : 300_000;
const ROUNDS = scaleOptions.quick ? 30 : 60;
const WARM_UP = 5;
const LOG_LINES = 200;
const COLD_EVERY = 10;
const MAX_RATIO = 1.5;

const VARIANTS = [
  { name: "no label, no log", hasLabel: false, hasLog: false },
  { name: "deciding label, no log", hasLabel: true, hasLog: false },
  { name: "no label, log", hasLabel: false, hasLog: true },
  { name: "deciding label, log", hasLabel: true, hasLog: true },
] as const;
type Variant = (typeof VARIANTS)[number];
const COLD = "new isolate, no label, no log";

console.log(`Stores ${describeSize(SMALL)} and ${describeSize(LARGE)}, with random vectors, and runs triages on both in turn.
Takes ${scaleOptions.quick ? "two" : "eight"} minutes; --quick stores fewer runbooks.`);
const corpus = createCorpus({ chunksPerSource: CHUNKS_PER_SOURCE });
const timings = createTimings();
/** The times of single calls, by the size, the kind of triage and the name of the call. */
const calls = createTimings();
const callNames = new Set<string>();
const problems = new Map<string, number>();

await using servers = await startServers();
const small = await fill(SMALL);
const large = await fill(LARGE);
const sides = [createSide("small", small), createSide("large", large)];
for (let round = -WARM_UP; round < ROUNDS; round++) {
  if (round === 0) for (const each of [timings, calls]) each.reset();
  progress(`triages: round ${Math.max(0, round + 1)} of ${ROUNDS}`);
  const order = round % 2 === 0 ? sides : sides.toReversed();
  for (const [i, variant] of VARIANTS.entries()) {
    for (const side of order) await side.triage(variant, VARIANTS.length * (round + WARM_UP) + i);
  }
  if (round % COLD_EVERY === 0) for (const side of order) await side.coldTriage(round + 1_000_000);
}
progress("");
print();

async function fill(size: Size): Promise<SizedStores> {
  const started = performance.now();
  const stores = await servers.fill(corpus, size, VECTORS_MS, progress);
  progress("");
  const seconds = Math.round((performance.now() - started) / 1_000);
  const { chunks, vectors } = stores;
  const fewer = vectors < chunks ? `; the time was enough for ${vectors.toLocaleString("en")} vectors only` : "";
  console.log(`${describeSize(size)}: ${chunks.toLocaleString("en")} chunks in ${seconds} s${fewer}`);
  return stores;
}

interface Side {
  triage(variant: Variant, seed: number): Promise<void>;
  /** Of a new isolate: it reads the domains, and the ids of Chroma's collections. */
  coldTriage(seed: number): Promise<void>;
}

function createSide(name: string, { environment, size }: SizedStores): Side {
  let current = "";
  const record = (call: string, durationMs: number) => {
    callNames.add(call);
    calls.add(`${name} ${current} ${call}`, durationMs);
  };
  const open = () => withTimedCalls(createServices(environment, { log: () => {} }), record);
  const run = async (services: Services, variantName: string, request: TriageRequest) => {
    current = variantName;
    const background: Promise<unknown>[] = [];
    const options = { idempotency: null, runInBackground: (work: Promise<unknown>) => void background.push(work) };
    const outcome = await timings.time(`${name} ${variantName}`, () => triage(services, request, options));
    if (outcome.state === "answered") for (const { code } of outcome.result.warnings) count(`${name}: ${code}`);
    current = "after the answer";
    await Promise.all(background);
  };
  const warm = open();
  return {
    async triage(variant, seed) {
      const request = requestOf(variant, seed, size);
      await run(warm, variant.name, request);
      current = variant.name;
      const { labels = {}, title: headline = "", logs: details = "" } = request;
      const started = performance.now();
      routeDomain(warm.domains.current().catalog, { labels, headline, details });
      record("routing in TypeScript", performance.now() - started);
    },
    async coldTriage(seed) {
      const services = open();
      await run(services, COLD, requestOf(VARIANTS[0], seed, size));
      current = COLD;
      const started = performance.now();
      createDomainCatalog(services.domains.current().defined);
      record("compiling the domains", performance.now() - started);
    },
  };
}

/** Both sizes get the same text, about one of the first 150 texts, which both have. It is new each time. */
function requestOf({ hasLabel, hasLog }: Omit<Variant, "name">, seed: number, size: Size): TriageRequest {
  const { source, text } = corpus.alert(seed, SMALL.runbooks);
  return {
    title: text,
    labels: hasLabel ? labelsOf(domainOfSource(source, size)) : {},
    ...(hasLog ? { logs: corpus.log(seed, source, LOG_LINES) } : {}),
  };
}

function print(): void {
  const variants = [...VARIANTS.map(({ name }) => name), COLD];
  const sizes = [describeDomains(SMALL), describeDomains(LARGE)] as const;
  const triages = variants.map((name): [string, string] => [name, name]);
  console.log(`\n${renderGrowth("", sizes, timings, triages)}`);
  for (const variant of variants) {
    const rows = [...callNames].sort().map((call): [string, string] => [call, `${variant} ${call}`]);
    console.log(`\n${renderGrowth(variant, sizes, calls, rows)}`);
  }
  for (const [problem, times] of problems) console.log(`${times} × ${problem}`);
  const ratios = VARIANTS.map(
    ({ name }) => timings.quantile(`large ${name}`, 0.5) / timings.quantile(`small ${name}`, 0.5),
  );
  console.log(`\nLargest ratio of the p50: ${Math.max(...ratios).toFixed(2)} (target: at most ${MAX_RATIO})`);
}

function count(problem: string): void {
  problems.set(problem, (problems.get(problem) ?? 0) + 1);
}

function describeSize(size: Size): string {
  return `${describeDomains(size)} and ${size.runbooks.toLocaleString("en")} runbooks`;
}

function describeDomains({ domains }: Size): string {
  return `${domains} domains`;
}

function progress(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(step === "" ? "\r\x1b[2K" : `\r\x1b[2K${step} …`);
}
