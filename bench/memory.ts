// `npm run bench -- memory`: which calls of memory depend on the table size. The same measurements on a tenth of the
// rows and on all rows, on one throw-away stack.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { describeSeed, seedRunbooks } from "../cli/seed-runbooks.ts";
import { renderTable } from "../cli/table.ts";
import { startStack } from "../dev/stack/start-stack.ts";
import type { Database } from "../functions/adapters/database.ts";
import { recallLimits } from "../functions/investigation/recall/recall.ts";
import { triage } from "../functions/investigation/triage.ts";
import { decayProcedures } from "../functions/jobs/decay-procedures.ts";
import { deleteExpiredRows } from "../functions/memory/maintenance.ts";
import { recallMemory } from "../functions/memory/recall-memory.ts";
import { claimSessions, retireOriginals } from "../functions/memory/session-summary.ts";
import { COLLECTIONS } from "../functions/search-index/collections.ts";
import { createServices, type Services } from "../functions/services.ts";
import { scriptedModel } from "../tests/integration/support/servers/scripted-model.ts";
import { fillMemory, LONG_SESSION, type Sizes } from "./support/memory-fill.ts";

const ALL: Sizes = { procedures: 1_000_000, pastAnswers: 100_000, sessions: 10_000, incidents: 20_000, words: 40 };
const VECTORS = 50_000;
const VECTORS_MS = 240_000;
const DAY_MS = 86_400_000;
const WARM_UP = 20;
const TARGETS: Readonly<Record<string, string>> = {
  "decay of all that is due, s": "30",
  "claim of 10 sessions, p50 ms": "100",
  "claim of 10 sessions, p95 ms": "100",
  "recall_state, p95 ms": "20",
};

const { values: options } = parseArgs({
  options: { tenth: { type: "boolean", default: false }, "no-vectors": { type: "boolean", default: false } },
});

/** Figures of one size by name; the name ends with the unit. */
type Figures = Map<string, number>;

console.log(`Fills a throw-away stack with a tenth of ${ALL.procedures} procedures, ${ALL.pastAnswers} past answers and their other
records, then with all of them, and times the calls of the memory. Takes about ${options.tenth ? "two" : "eight"} minutes; --tenth stops after
the tenth, --no-vectors skips the search of ${VECTORS} vectors.`);
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma"],
});
// Direct access: the API neither empties tables nor allows statements over 8 s.
const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
try {
  console.log(describeSeed(await seedRunbooks({ env: stack.workerEnv })));
  const tenth = await measure(0.1);
  print(tenth, options.tenth ? null : await measure(1));
} finally {
  await sql.end();
  await stack.stop();
}

async function measure(share: number): Promise<Figures> {
  await using model = await scriptedModel();
  const services = createServices({ ...stack.workerEnv, ...model.env() }, { log: () => {} });
  const sizes = {
    procedures: ALL.procedures * share,
    pastAnswers: ALL.pastAnswers * share,
    sessions: ALL.sessions * share,
    incidents: ALL.incidents * share,
    words: ALL.words,
  };
  const figures: Figures = new Map();
  progress(`filling ${sizes.procedures} procedures, ${sizes.pastAnswers} past answers`);
  await empty(services);
  await timeOnce(figures, "filling, s", () => fillMemory(stack.info.urls.postgres, sizes, services.now()));
  await measureRecall(figures, services);
  await measureTriages(figures, services);
  await measureSessions(figures, services, sizes);
  await measureDecay(figures, services);
  if (!options["no-vectors"]) await measureVectors(figures, services, VECTORS * share);
  return figures;
}

async function measureRecall(figures: Figures, { database }: Services): Promise<void> {
  progress("recalling");
  const pick = async (collection: string, count: number): Promise<string[]> => {
    const rows = await sql`select d.id from public.documents d join public.collections c on c.id = d.collection_id
      where c.name = ${collection} order by random() limit ${count}`;
    return rows.map(({ id }) => String(id));
  };
  const calls = 200;
  const incidents = await pick("incidents", 20 * calls);
  const memories = await pick("past_answers", 30 * calls);
  const procedures = await pick("procedures", 5 * calls);
  await timeMany(figures, "recall_state", { calls }, (i) => {
    const p = {
      domain: "docker",
      incidents: part(incidents, i, 20),
      documents: part(incidents, i, 10),
      memories: part(memories, i, 30),
      procedures: part(procedures, i, 5),
      fingerprint: `key of ${incidents[i % incidents.length]}`,
    };
    return database.call("recall_state", { p });
  });
}

/** Whole triages by a model that answers at once; times their first and their last database call. */
async function measureTriages(figures: Figures, services: Services): Promise<void> {
  progress("triaging");
  const samples = new Map<string, number[]>();
  const database: Database = {
    call: async (name, args, schema, options) => {
      const started = performance.now();
      const reply = await services.database.call(name, args, schema, options);
      samples.set(name, [...(samples.get(name) ?? []), performance.now() - started]);
      return reply;
    },
  };
  for (let round = 0; round < 100 + WARM_UP; round++) {
    if (round === WARM_UP) samples.clear();
    const background: Promise<unknown>[] = [];
    const runInBackground = (work: Promise<unknown>) => void background.push(work);
    const title = `checkout-${round} container exited with code 137`;
    await triage({ ...services, database }, { title }, { idempotency: null, runInBackground });
    await Promise.all(background);
  }
  for (const name of ["start_run", "finish_run"]) setQuantiles(figures, name, samples.get(name) ?? []);
}

async function measureSessions(figures: Figures, { background, now }: Services, sizes: Sizes): Promise<void> {
  progress("claiming sessions");
  // 90 % of the sessions that wait for a summary; the others are active.
  const ticks = Math.floor(((sizes.pastAnswers / 2 / LONG_SESSION) * 0.9) / 10);
  const idleSince = new Date(now().getTime() - DAY_MS);
  const claim = { now: now(), idleSince, threshold: 20, limit: 10, leaseSeconds: 3_600, pastAnswersEach: 200 };
  await timeMany(figures, "claim of 10 sessions", { calls: ticks, warmUp: 0 }, async () => {
    const claimed = await claimSessions(background.database, claim);
    const isWhole = claimed.length === 10 && claimed.every(({ pastAnswers }) => pastAnswers.length === LONG_SESSION);
    if (!isWhole) throw new Error("The claim did not return 10 whole sessions.");
  });
  const expired = new Date(now().getTime() - 90 * DAY_MS);
  await timeOnce(figures, "purge of 2,000 of each kind, s", () =>
    deleteExpiredRows(background.database, expired, 2_000),
  );
  await timeMany(figures, "retirement of 200 memories", { calls: 4, warmUp: 0 }, () =>
    retireOriginals(background.database, now(), 200),
  );
}

async function measureDecay(figures: Figures, services: Services): Promise<void> {
  progress("decaying procedures");
  const { now, config } = services;
  const period = config.PROCEDURE_DECAY_DAYS;
  await timeOnce(figures, "decay of all that is due, s", async () => {
    const [row] = await sql`select public.decay_procedures(${now()}, ${period}, 2147483647) as decayed`;
    figures.set("  decayed, rows", Number(row?.decayed.decayed));
    figures.set("  archived, rows", Number(row?.decayed.archived));
  });
  // One period later, all remaining procedures are due again.
  const later = new Date(now().getTime() + period * DAY_MS);
  const started = performance.now();
  const { decayed } = await decayProcedures({ ...services, now: () => later });
  figures.set("decay in batches, rows/s", (decayed / (performance.now() - started)) * 1_000);
}

async function measureVectors(figures: Figures, services: Services, count: number): Promise<void> {
  const { vectors, background, config, embedder } = services;
  const collection = "past_answers";
  const memories = await sql`select id, session_id from public.past_answers
    where domain = 'docker' and compressed_at is null limit ${count}`;
  const records = memories.map(({ id, session_id }) => ({
    id: String(id),
    text: "why did it exit?\n\nIt ran into its limit.",
    metadata: { session_id: String(session_id), is_summary: false },
  }));
  let stored = 0;
  await timeOnce(figures, "storing vectors, s", async () => {
    const end = performance.now() + VECTORS_MS;
    for (; stored < records.length && performance.now() < end; stored += 2_048) {
      progress(`storing vectors: ${stored} of ${records.length}`);
      const batch = records
        .slice(stored, stored + 2_048)
        .map((record) => ({ ...record, vector: unitVector(embedder.dimensions) }));
      await background.vectors.store(collection, batch);
    }
  });
  figures.set("  stored, vectors", Math.min(stored, records.length));
  progress("searching vectors");
  const vector = () => unitVector(embedder.dimensions);
  const calls = 100;
  await timeMany(figures, "search of 20", { calls }, () => vectors.search(collection, { vector: vector(), limit: 20 }));
  const session = (i: number) => records.slice(i * 20, i * 20 + 20).map(({ id }) => id);
  await timeMany(figures, "20 vectors of a session", { calls }, (i) => vectors.vectors(collection, session(i)));
  const scope = { only: null, preferred: {}, excluded: [] };
  const query = (i: number) => ({
    scope,
    vector: Promise.resolve(vector()),
    keywords: `service-${i} container exited with code 137`,
  });
  await timeMany(figures, "memory recall", { calls }, (i) =>
    recallMemory(services, {
      domain: "docker",
      ...query(i),
      failure: query(i),
      candidates: config.SEARCH_CANDIDATES,
      incidentType: undefined,
      excludedIds: [],
      fingerprint: null,
      sessionId: records[i]?.metadata.session_id ?? null,
      sessionPastAnswers: session(i),
      now: services.now(),
      limits: recallLimits(config),
    }),
  );
}

/** Empties everything except the runbooks. */
async function empty({ vectors }: Services): Promise<void> {
  await sql`truncate public.incidents, public.runs, public.idempotency_keys, public.outbox, public.model_usage,
    public.sessions, public.past_answers, public.procedures, public.job_runs, public.audit_events restart identity cascade`;
  await sql`delete from public.documents where source is null`;
  for (const collection of COLLECTIONS) if (collection !== "runbooks") await vectors.drop(collection);
}

function unitVector(dimensions: number): number[] {
  // A sum of uniform numbers is nearly normal, which gives directions without a preferred axis.
  const numbers = Array.from({ length: dimensions }, () => Math.random() + Math.random() + Math.random() - 1.5);
  const length = Math.hypot(...numbers);
  return numbers.map((number) => Number((number / length).toFixed(5)));
}

function part<T>(items: readonly T[], i: number, length: number): T[] {
  const start = (i * length) % Math.max(1, items.length - length);
  return items.slice(start, start + length);
}

async function timeOnce(figures: Figures, name: string, work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work();
  figures.set(name, (performance.now() - started) / 1_000);
}

async function timeMany(
  figures: Figures,
  name: string,
  { calls, warmUp = WARM_UP }: { readonly calls: number; readonly warmUp?: number },
  work: (i: number) => Promise<unknown>,
): Promise<void> {
  const samples: number[] = [];
  for (let i = 0; i < warmUp + calls; i++) {
    const started = performance.now();
    await work(i);
    if (i >= warmUp) samples.push(performance.now() - started);
  }
  setQuantiles(figures, name, samples);
}

function setQuantiles(figures: Figures, name: string, samples: readonly number[]): void {
  const sorted = samples.toSorted((a, b) => a - b);
  for (const share of [50, 95]) {
    const at = Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100));
    figures.set(`${name}, p${share} ms`, sorted[at] ?? Number.NaN);
  }
}

function print(tenth: Figures, all: Figures | null): void {
  const format = (figure: number | undefined) =>
    figure === undefined ? "" : figure < 100 ? figure.toFixed(1) : Math.round(figure).toLocaleString("en");
  const rows = [...tenth].map(([name, figure]) => {
    const whole = all?.get(name);
    const growth = whole === undefined ? "" : `${(whole / figure).toFixed(1)} ×`;
    return [name, TARGETS[name] ?? "", format(figure), format(whole), growth];
  });
  console.log(`\n${renderTable(["", "target", "a tenth", "all", "growth"], rows, { width: 110, color: false })}`);
}

function progress(step: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[2K${step} …` : `${step} …\n`);
}
