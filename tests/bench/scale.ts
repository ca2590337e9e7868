// `npm run bench:scale`: growth of the keyword index. The same measurements on 1,000, 10,000 and 100,000 made-up chunks, each
// size in its own collection on one throw-away stack, compared with ts_rank of Postgres over the same texts.

import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { renderTable } from "../../cli/table.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { familyOf, identityOf } from "../../dev/stack/system/process-tree.ts";
import { B, K1 } from "../../functions/retrieval/ranking/bm25.ts";
import { createServices } from "../../functions/services.ts";
import { createCorpus } from "./scale-corpus.ts";
import { randomNumbers } from "./support/random-numbers.ts";
import { createTimings } from "./support/timings.ts";

/** Six runbooks of eight chunks. */
const BATCH = 48;
const ROUNDS = 100;
const WARM_UP = 10;
const LIMIT = 20;
const SIBLING_SOURCES = 3;
/** Time limit for storing vectors, which slows down as the collection grows. The report states how many were stored. */
const VECTORS_MS = 90_000;
const VECTOR_BATCH = 1_000;

const COLLECTIONS: Readonly<Record<number, string>> = {
  1000: "runbooks-docker",
  10000: "runbooks-podman",
  100000: "runbooks-kubernetes",
};

const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const SIZES = options.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];

console.log(`Loads ${SIZES.map((size) => size.toLocaleString("en")).join(", ")} made-up chunks with upsert_documents, ${BATCH} per call over a separate
connection, and searches them. Vectors for Chroma are random. Takes ${options.quick ? "two" : "ten"} minutes; --quick stops at 10,000.`);
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma", "embeddings"],
});
const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
const services = createServices(stack.workerEnv, { log: () => {} });
const corpus = createCorpus();
/** Figures by name; one value for each size. */
const table = new Map<string, string[]>();
try {
  await sql`create table public.scratch (collection text, key bigint, vector tsvector)`;
  for (const size of SIZES) await load(size);
  await sql`create index on public.scratch using gin (vector)`;
  await sql`vacuum analyze`;
  await measureSearches();
  await measureMemory();
  await measureVectors();
} finally {
  await sql.end();
  await stack.stop();
}

function note(name: string, figure: number | string): void {
  const shown =
    typeof figure === "string" ? figure : figure < 100 ? figure.toFixed(1) : Math.round(figure).toLocaleString("en");
  table.set(name, [...(table.get(name) ?? []), shown]);
}

async function load(size: number): Promise<void> {
  const collection = COLLECTIONS[size] ?? "";
  let ingestMs = 0;
  for (let i = 0; i < size; i += BATCH) {
    if (i % (BATCH * 50) === 0) progress(`loading ${i.toLocaleString("en")} of ${size.toLocaleString("en")}`);
    const rows = Array.from({ length: Math.min(BATCH, size - i) }, (_, j) => corpus.row(i + j));
    const started = performance.now();
    await sql`select public.upsert_documents(${collection}, ${sql.json(rows)})`;
    ingestMs += performance.now() - started;
  }
  note("ingest, chunks/s", (size / ingestMs) * 1_000);
  // The same terms with the same frequencies at made-up positions: ts_rank ignores distances.
  await sql`insert into public.scratch
    select ${collection}, d.key, (
      select string_agg(quote_literal(t.term) || ':' || (
        select string_agg((t.place + 150 * n)::text, ',') from generate_series(0, least(t.frequency, 20) - 1) n), ' ')
      from unnest(d.terms, d.frequencies) with ordinality as t (term, frequency, place))::tsvector
    from public.documents d join public.collections c on c.id = d.collection_id where c.name = ${collection}`;
}

/** Alternates between the sizes, so that other load on the machine affects all of them equally. */
async function measureSearches(): Promise<void> {
  const timings = createTimings();
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    progress(`searching: ${Math.max(0, round + 1)} of ${ROUNDS}`);
    if (round === 0) timings.reset();
    for (const size of SIZES) {
      const collection = COLLECTIONS[size] ?? "";
      const alert = corpus.alert(round + WARM_UP, size);
      const search = (p_terms: readonly string[]) =>
        services.database.call("search_documents", {
          p_collection: collection,
          p_terms: [...p_terms],
          p_limit: LIMIT,
          p_k1: K1,
          p_b: B,
          p_sibling_sources: SIBLING_SOURCES,
          p_curated_limit: LIMIT,
        });
      await timings.time(`BM25 call ${size}`, () => search(alert));
      // A query of common words alone is rare, so it gets a fifth of the rounds.
      if (round % 5 === 0)
        await timings.time(`BM25 of the ten commonest words ${size}`, () => search(corpus.commonest));
      await timings.time(
        `BM25 in SQL ${size}`,
        () => sql`
        select public.search_documents(${collection}, ${alert}, ${LIMIT})`,
      );
      if (round % 5 !== 0) continue;
      const words = [...new Set(alert)].map((term) => `'${term.replaceAll("'", "''")}'`);
      for (const [name, operator] of [
        ["OR", " | "],
        ["AND", " & "],
      ] as const) {
        await timings.time(
          `ts_rank ${name} ${size}`,
          () => sql`
          select key, ts_rank(vector, q) as rank from public.scratch, cast(${words.join(operator)} as tsquery) q
          where collection = ${collection} and vector @@ q order by rank desc limit ${LIMIT}`,
        );
      }
    }
  }
  for (const name of ["BM25 call", "BM25 of the ten commonest words", "BM25 in SQL", "ts_rank OR", "ts_rank AND"]) {
    for (const share of [50, 95]) {
      for (const size of SIZES) note(`${name}, p${share} ms`, timings.quantile(`${name} ${size}`, share / 100));
    }
  }
  const largest = SIZES.at(-1) ?? 0;
  const p95 = (name: string, size: number) => timings.quantile(`${name} ${size}`, 0.95);
  print();
  console.log(`
BM25 call, p95 at ${largest.toLocaleString("en")} / at ${(largest / 10).toLocaleString("en")}: ${(p95("BM25 call", largest) / p95("BM25 call", largest / 10)).toFixed(2)} (target: at most 3)
BM25 in SQL / ts_rank of the same words (any of them), p95 at ${largest.toLocaleString("en")}: ${(p95("BM25 in SQL", largest) / p95("ts_rank OR", largest)).toFixed(2)} (target: at most 2)`);
}

async function measureMemory(): Promise<void> {
  const sizes = await sql`select relname as name, pg_relation_size(oid) as rows, pg_indexes_size(oid) as indexes,
      pg_total_relation_size(oid) as total
    from pg_class where relname in ('documents', 'postings', 'terms', 'scratch') order by total desc`;
  const rows = sizes.map(({ name, rows, indexes, total }) => [
    name === "scratch" ? "tsvector and its GIN index, for comparison" : `table ${name}`,
    ...[rows, indexes, total].map((bytes) => megabytes(Number(bytes))),
  ]);
  console.log(
    `\n${renderTable(["all sizes together, MB", "rows", "indexes", "total"], rows, { width: 110, color: false })}`,
  );
}

async function measureVectors(): Promise<void> {
  const { vectors } = services.background;
  const { EMBEDDING_DIMENSIONS } = services.config;
  const random = randomNumbers(3);
  const vector = () => {
    const numbers = Array.from({ length: EMBEDDING_DIMENSIONS }, () => random() + random() + random() - 1.5);
    const length = Math.hypot(...numbers);
    return numbers.map((number) => Number((number / length).toFixed(5)));
  };
  const target = SIZES.at(-1) ?? 0;
  let stored = 0;
  const started = performance.now();
  for (; stored < target && performance.now() - started < VECTORS_MS; stored += VECTOR_BATCH) {
    progress(`storing vectors: ${stored} of ${target}`);
    const records = Array.from({ length: VECTOR_BATCH }, (_, i) => {
      const { id, body, metadata } = corpus.row(stored + i);
      return { id, text: body, metadata, vector: vector() };
    });
    await vectors.store("runbooks-docker", records);
  }
  const seconds = (performance.now() - started) / 1_000;
  console.log(
    `\nChroma: ${stored.toLocaleString("en")} vectors in ${seconds.toFixed(0)} s, ${Math.round(stored / seconds)} per second`,
  );
  for (const part of ["postgres", "chroma"] as const)
    console.log(`${part}: ${megabytes(residentBytes(part))} MB resident`);
}

/** Of the part's processes together; what they share counts once for each. */
function residentBytes(part: "postgres" | "chroma"): number {
  const { pid } = stack.service(part);
  if (pid === undefined) return Number.NaN;
  return familyOf(identityOf(pid)).reduce((sum, row) => {
    const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${row.pid}/status`, "utf8")) ?? [];
    return sum + Number(kilobytes) * 1_024;
  }, 0);
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toLocaleString("en");
}

function print(): void {
  const header = ["", ...SIZES.map((size) => `${size.toLocaleString("en")} chunks`)];
  const rows = [...table].map(([name, figures]) => [name, ...figures]);
  console.log(`\n${renderTable(header, rows, { width: 110, color: false })}`);
}

function progress(step: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${step} …`);
}
