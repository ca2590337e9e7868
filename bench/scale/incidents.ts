// Part of `npm run bench -- scale`: the recall of memory with 10,000 and with 100,000 past incidents, in turn on
// the same servers. Only the ratio of the two counts.

import { createMemoryQuery, createRecallQuery } from "../../functions/investigation/recall/recall.ts";
import { recallMemory } from "../../functions/memory/recall-memory.ts";
import { createServices, type Services } from "../../functions/services.ts";
import { withTimedCalls } from "../support/timed-calls.ts";
import { createTimings } from "../support/timings.ts";
import { createCorpus } from "./corpus.ts";
import { renderGrowth } from "./growth-table.ts";
import { fillIncidents } from "./incident-stores.ts";
import { createMadeUpIncidents } from "./made-up-incidents.ts";
import { scaleOptions } from "./options.ts";
import { startServers } from "./stores.ts";

const SMALL = scaleOptions.quick ? 1_000 : 10_000;
const LARGE = 10 * SMALL;
const REPORTS = 300;
const WARM_UP = 30;
/** Of three reports, two have labels that decide for a domain. */
const UNLABELLED_EVERY = 3;
const DIMENSIONS = 384;
const MAX_RATIO = 1.3;

const ALL = "memory recall";
const LIMITED = "  limited to a domain";
const UNLIMITED = "  of all domains";

console.log(`Stores ${SMALL.toLocaleString("en")} and ${LARGE.toLocaleString("en")} made-up past incidents with made-up vectors, and recalls
memory for ${REPORTS} reports from both in turn. Takes ${scaleOptions.quick ? "one minute" : "eight minutes"}; --quick stores a tenth.`);
const incidents = createMadeUpIncidents(createCorpus({ chunksPerSource: 1 }), DIMENSIONS);
const timings = createTimings();
/** The times of single calls, by the size and the name of the call. */
const calls = createTimings();
const callNames = new Set<string>();
const failures = new Map<string, number>();

await using servers = await startServers();
const sides = [
  { name: "small", services: await openSide("small", SMALL) },
  { name: "large", services: await openSide("large", LARGE) },
];
for (let number = -WARM_UP; number < REPORTS; number++) {
  if (number === 0) for (const each of [timings, calls]) each.reset();
  progress(`recalling: ${Math.max(0, number + 1)} of ${REPORTS}`);
  const order = number % 2 === 0 ? sides : sides.toReversed();
  for (const { name, services } of order) await recallReport(name, services, number + WARM_UP);
}
progress("");
print();

async function openSide(name: string, total: number): Promise<Services> {
  const started = performance.now();
  const stores = await servers.open();
  await fillIncidents(stores, incidents, total, { progress });
  progress("");
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`${total.toLocaleString("en")} past incidents stored in ${seconds} s`);
  return withTimedCalls(createServices(stores.workerEnv, { log: () => {} }), (call, durationMs) => {
    callNames.add(call);
    calls.add(`${name} ${call}`, durationMs);
  });
}

async function recallReport(side: string, services: Services, number: number): Promise<void> {
  const { incident, vector } = incidents.report(number, SMALL, number % UNLABELLED_EVERY > 0);
  const embedded = Promise.resolve(vector);
  const query = createRecallQuery(services, incident, embedded);
  const memoryQuery = createMemoryQuery(services, incident, {
    query,
    vectors: { text: "", report: embedded, failure: embedded },
  });
  const started = performance.now();
  const { missing } = await recallMemory(services, { ...memoryQuery, sessionPastAnswers: [] });
  const durationMs = performance.now() - started;
  for (const name of [ALL, query.scope.only === null ? UNLIMITED : LIMITED]) timings.add(`${side} ${name}`, durationMs);
  for (const { message } of missing)
    failures.set(`${side}: ${message}`, (failures.get(`${side}: ${message}`) ?? 0) + 1);
}

function print(): void {
  const sizes = [SMALL.toLocaleString("en"), LARGE.toLocaleString("en")] as const;
  const recalls = [ALL, LIMITED, UNLIMITED].map((name): [string, string] => [name, name]);
  const parts = [...callNames].sort().map((name): [string, string] => [name, name]);
  console.log(`\n${renderGrowth("", sizes, timings, recalls)}`);
  console.log(`\n${renderGrowth("each call", sizes, calls, parts)}`);
  for (const [failure, times] of failures) console.log(`${times} × ${failure}`);
  const ratio = timings.quantile(`large ${ALL}`, 0.95) / timings.quantile(`small ${ALL}`, 0.95);
  console.log(`\nRatio of the p95: ${ratio.toFixed(2)} (target: at most ${MAX_RATIO})`);
}

function progress(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(step === "" ? "\r\x1b[2K" : `\r\x1b[2K${step} …`);
}
