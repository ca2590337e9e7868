// Part of `npm run bench -- scale`: growth of the keyword index. The same measurements on 1,000, 10,000 and 100,000
// made-up chunks of 200 domains, each size in its own collection on one throw-away stack, compared with a GIN index of
// Postgres over the same texts: ranked by ts_rank, and by BM25 in one expression.

import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { renderTable } from "../../cli/table.ts";
import { startStack } from "../../dev/stack/start-stack.ts";
import { familyOf, identityOf } from "../../dev/stack/system/process-tree.ts";
import { documentRow } from "../../functions/search-index/search-document.ts";
import { createServices } from "../../functions/services.ts";
import { B, K1 } from "../../lib/ranking/bm25.ts";
import { tokenize } from "../../lib/text/tokenize.ts";
import { randomNumbers } from "../support/random-numbers.ts";
import { createTimings } from "../support/timings.ts";
import { createCorpus } from "./corpus.ts";
import { scaleOptions } from "./options.ts";

/** Six runbooks of eight chunks. */
const BATCH = 48;
const CHUNKS_PER_SOURCE = 8;
const DOMAINS = 200;
const ROUNDS = 100;
const WARM_UP = 10;
const LIMIT = 20;
const SIBLING_TEXTS = 3;
/** Time limit for storing vectors, which slows down as the collection grows. The report states how many were stored. */
const VECTORS_MS = 90_000;
const VECTOR_BATCH = 1_000;

const COLLECTIONS: Readonly<Record<number, string>> = {
  1000: "procedures",
  10000: "incidents",
  100000: "runbooks",
};

const SIZE_NAMES: Readonly<Record<string, string>> = {
  scratch: "tsvector and its GIN index, for comparison",
  keyword: "postings, posting_blocks and terms together",
};
const SIZES = scaleOptions.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];

console.log(`Loads ${SIZES.map((size) => size.toLocaleString("en")).join(", ")} made-up chunks with upsert_documents, ${BATCH} per call over a separate
connection, and searches them. Vectors for Chroma are random. Takes ${scaleOptions.quick ? "two" : "ten"} minutes; --quick stops at 10,000.`);
const stack = await startStack({
  dir: await mkdtemp(join(tmpdir(), "dejavu-bench-")),
  ephemeral: true,
  services: ["gateway", "chroma"],
});
const sql = postgres(stack.info.urls.postgres, { max: 1, onnotice: () => {} });
const services = createServices(stack.workerEnv, { log: () => {} });
const corpus = createCorpus({ chunksPerSource: CHUNKS_PER_SOURCE });
/** Figures by name; one value for each size. */
const table = new Map<string, string[]>();
try {
  await sql`create table public.scratch (collection text, key bigint, vector tsvector)`;
  for (const size of SIZES) await load(size);
  await sql`create index on public.scratch using gin (vector)`;
  await sql`vacuum analyze`;
  await measureSearches();
  await printSizes("all sizes together, MB");
  await changeTenths();
  await printSizes("a tenth replaced, a tenth deleted");
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
    const rows = Array.from({ length: Math.min(BATCH, size - i) }, (_, j) => row(i + j));
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

/** Every batch is of one domain, as when a folder is loaded. @param text the chunk with the text, by default the same */
function row(index: number, text = index) {
  const { metadata, ...rest } = documentRow(corpus.document(text));
  const source = `source-${Math.floor(index / CHUNKS_PER_SOURCE)}.md`;
  const domain = `domain-${Math.floor(index / BATCH) % DOMAINS}`;
  return {
    ...rest,
    id: `chunk-${index}`,
    source,
    chunk_index: index % CHUNKS_PER_SOURCE,
    metadata: { ...metadata, domain },
  };
}

/** Alternates between the sizes, so that other load on the machine affects all of them equally. */
async function measureSearches(): Promise<void> {
  const timings = createTimings();
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    progress(`searching: ${Math.max(0, round + 1)} of ${ROUNDS}`);
    if (round === 0) timings.reset();
    for (const size of SIZES) {
      const collection = COLLECTIONS[size] ?? "";
      const alert = tokenize(corpus.alert(round + WARM_UP, size / CHUNKS_PER_SOURCE).text);
      const search = (p_terms: readonly string[], scope: { readonly p_domains?: string[] } = {}) =>
        services.database.call("search_documents", {
          ...scope,
          p_collection: collection,
          p_terms: [...p_terms],
          p_limit: LIMIT,
          p_k1: K1,
          p_b: B,
          p_sibling_sources: SIBLING_TEXTS,
          p_curated_limit: LIMIT,
        });
      await timings.time(`BM25 call ${size}`, () => search(alert));
      const p_domains = [`domain-${(round + WARM_UP) % 20}`];
      await timings.time(`BM25 call, a domain too ${size}`, () => search(alert, { p_domains }));
      // A query of common words alone is rare, so it gets a fifth of the rounds.
      if (round % 5 === 0)
        await timings.time(`BM25 of the ten commonest words ${size}`, () => search(corpus.commonest));
      await timings.time(
        `BM25 in SQL ${size}`,
        () => sql`
        select public.search_documents(${collection}, ${alert}, ${LIMIT}, ${K1}, ${B})`,
      );
      if (round % 2 !== 0) continue;
      await timings.time(`BM25 with GIN ${size}`, () => searchWithGin(collection, alert));
      const words = [...new Set(alert)].map((term) => `'${term.replaceAll("'", "''")}'`);
      await timings.time(
        `ts_rank ${size}`,
        () => sql`
        select key, ts_rank(vector, q) as rank from public.scratch, cast(${words.join(" | ")} as tsquery) q
        where collection = ${collection} and vector @@ q order by rank desc limit ${LIMIT}`,
      );
    }
  }
  for (const name of [
    "BM25 call",
    "BM25 call, a domain too",
    "BM25 of the ten commonest words",
    "BM25 in SQL",
    "BM25 with GIN",
    "ts_rank",
  ]) {
    for (const share of [50, 95]) {
      for (const size of SIZES) note(`${name}, p${share} ms`, timings.quantile(`${name} ${size}`, share / 100));
    }
  }
  const largest = SIZES.at(-1) ?? 0;
  const p95 = (name: string, size: number) => timings.quantile(`${name} ${size}`, 0.95);
  print();
  console.log(`
BM25 call, p95 at ${largest.toLocaleString("en")} / at ${(largest / 10).toLocaleString("en")}: ${(p95("BM25 call", largest) / p95("BM25 call", largest / 10)).toFixed(2)} (target: at most 3)
BM25 in SQL / ts_rank of the same words (any of them), p95 at ${largest.toLocaleString("en")}: ${(p95("BM25 in SQL", largest) / p95("ts_rank", largest)).toFixed(2)} (target: at most 2)`);
}

/**
 * BM25 of the documents that hold one of the rarer words: with the common words, most documents would be candidates. The
 * rarer words are those that stand in 8,000 documents together, as many postings as MaxScore reads without pruning.
 */
function searchWithGin(collection: string, terms: readonly string[]) {
  return sql`
    with words as materialized (
      select t.term::text, ln(1 + (c.document_count - t.df + 0.5) / (t.df + 0.5)) * q.weight * (${K1}::float8 + 1) as gain,
        row_number() over rarest = 1 or sum(t.df) over rarest <= 8000 as is_rare,
        ${K1 * (1 - B)}::float8 as flat, ${K1 * B}::float8 * c.document_count / c.length_total as slope
      from (select term, 1 + ln(count(*)::float8) as weight from unnest(${[...terms]}::text[]) as term group by term) q
      join public.collections c on c.name = ${collection} join public.terms t on t.collection_id = c.id and t.term = q.term
      window rarest as (order by t.df, t.term rows unbounded preceding)
    )
    select d.key, sum(w.gain * cardinality(e.positions) / (cardinality(e.positions) + w.flat + w.slope * d.length)) as score
    from public.scratch s join public.documents d on d.key = s.key
    cross join lateral unnest(s.vector) as e (term, positions, weights) join words w on w.term = e.term
    where s.collection = ${collection}
      and s.vector @@ (select string_agg(quote_literal(term), ' | ') from words where is_rare)::tsquery
    group by d.key order by score desc, d.key limit ${LIMIT}`;
}

/** Replaces the text of every tenth source and deletes the next, in the largest collection, with one call for each source. */
async function changeTenths(): Promise<void> {
  const size = SIZES.at(-1) ?? 0;
  const collection = COLLECTIONS[size] ?? "";
  const timings = createTimings();
  for (let first = 0; first < size; first += 10 * CHUNKS_PER_SOURCE) {
    if (first % (BATCH * 50) === 0) progress(`changing ${first.toLocaleString("en")} of ${size.toLocaleString("en")}`);
    const rows = Array.from({ length: CHUNKS_PER_SOURCE }, (_, j) => row(first + j, first + j + size));
    await timings.time("replace", () => sql`select public.upsert_documents(${collection}, ${sql.json(rows)})`);
    const ids = rows.map((_, j) => `chunk-${first + CHUNKS_PER_SOURCE + j}`);
    await timings.time("delete", () => sql`select public.delete_documents(${collection}, ${ids})`);
  }
  await sql`vacuum analyze`;
  const p50 = (name: string) => timings.quantile(name, 0.5).toFixed(1);
  console.log(
    `\nchunks of one source at ${size.toLocaleString("en")}, p50: replaced in ${p50("replace")} ms, deleted in ${p50("delete")} ms`,
  );
}

async function printSizes(title: string): Promise<void> {
  const sizes = await sql`
    with sizes as (
      select relname as name, pg_relation_size(oid) as rows, pg_indexes_size(oid) as indexes,
        pg_total_relation_size(oid) as total
      from pg_class where relname in ('documents', 'postings', 'posting_blocks', 'terms', 'scratch')
    )
    select * from sizes
    union all
    select 'keyword', sum(rows), sum(indexes), sum(total) from sizes where name in ('postings', 'posting_blocks', 'terms')
    order by total desc`;
  const rows = sizes.map(({ name, rows, indexes, total }) => [
    SIZE_NAMES[name] ?? `table ${name}`,
    ...[rows, indexes, total].map((bytes) => megabytes(Number(bytes))),
  ]);
  console.log(`\n${renderTable([title, "rows", "indexes", "total"], rows, { width: 110, color: false })}`);
}

async function measureVectors(): Promise<void> {
  const { vectors } = services.background;
  const { dimensions } = services.embedder;
  const random = randomNumbers(3);
  const vector = () => {
    const numbers = Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
    const length = Math.hypot(...numbers);
    return numbers.map((number) => Number((number / length).toFixed(5)));
  };
  const target = SIZES.at(-1) ?? 0;
  let stored = 0;
  const started = performance.now();
  for (; stored < target && performance.now() - started < VECTORS_MS; stored += VECTOR_BATCH) {
    progress(`storing vectors: ${stored} of ${target}`);
    const records = Array.from({ length: VECTOR_BATCH }, (_, i) => {
      const { id, body, metadata } = corpus.document(stored + i);
      return { id, text: body, metadata, vector: vector() };
    });
    await vectors.store("runbooks", records);
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
