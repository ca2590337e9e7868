// Keyword search within domains, compared with a full computation over all texts, after random writes. Whichever statement
// writes, the index holds exactly the documents.

import fc from "fast-check";
import postgres from "postgres";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { keywordResultSchema } from "../../../functions/search-index/hybrid-search.ts";
import { B, K1 } from "../../../lib/ranking/bm25.ts";
import { createHarness, emptyStores, info, sql } from "../support/harness.ts";
import { type IndexedText, rankByFullScan, row } from "./full-scan.ts";

const { services } = createHarness();
const DOMAINS = ["docker", "postgres", "team_a"] as const;

interface Search {
  readonly query: readonly string[];
  readonly limit: number;
  readonly curatedLimit: number;
  readonly domains: readonly string[] | null;
  readonly excluded?: readonly string[];
}

async function upsert(texts: readonly IndexedText[], p_collection = "runbooks"): Promise<void> {
  await services.database.call("upsert_documents", { p_collection, p_documents: texts.map(row) });
}

async function search({ query, limit, curatedLimit, domains, excluded = [] }: Search) {
  const corpus = { p_collection: "runbooks", p_terms: [...query], p_limit: limit, p_k1: K1, p_b: B };
  const args = { ...corpus, p_excluded_domains: [...excluded] };
  const scope = domains === null ? {} : { p_domains: [...domains] };
  return keywordResultSchema.parse(
    await services.database.call("search_documents", { ...args, p_curated_limit: curatedLimit, ...scope }),
  );
}

/** Okapi BM25 over all texts, in the order of writing: the best of each list, each text once. */
function searchByFullScan(
  texts: readonly IndexedText[],
  { query, limit, curatedLimit, domains, excluded = [] }: Search,
) {
  const ranked = rankByFullScan(texts, query).filter(({ text }) => !excluded.includes(text.domain));
  const isCurated = ({ text }: { text: IndexedText }) => text.kind === "runbook";
  const within = ranked.filter(({ text }) => domains?.includes(text.domain));
  const hits = new Set([
    ...ranked.slice(0, limit),
    ...ranked.filter(isCurated).slice(0, curatedLimit),
    ...within.slice(0, limit),
    ...within.filter(isCurated).slice(0, curatedLimit),
  ]);
  return ranked.filter((hit) => hits.has(hit)).map((hit) => ({ id: hit.text.id, score: hit.score }));
}

/** Differences between the documents and everything that is derived from them. */
async function indexErrors() {
  const [row] = await sql`
    with expected as (
      select d.collection_id, t.term, d.key, t.frequency::int, d.length, public.is_curated(d.metadata) as curated
      from public.documents d cross join lateral unnest(d.terms, d.frequencies) as t (term, frequency)
    ),
    stored as (
      select b.collection_id, t.term, b.first_key + (e & 4194303) as key, ((e >> 23) & 32767)::int as frequency,
        (e >> 38)::int as length, (e & 4194304) > 0 as curated
      from public.postings p join public.posting_blocks b on b.id = p.block_id
      join public.terms t on t.id = p.term_id and t.collection_id = b.collection_id cross join unnest(p.entries) as e
    )
    select
      (select count(*)::int from (table expected except all table stored) d) as missing,
      (select count(*)::int from (table stored except all table expected) d) as superfluous,
      (select count(*)::int from public.postings p where p.entries = '{}') as "emptyRows",
      (select count(*)::int from public.terms t where t.df <>
        (select count(*) from expected e where e.collection_id = t.collection_id and e.term = t.term) or t.df = 0) as terms,
      (select count(*)::int from public.posting_blocks b where b.document_count = 0 or b.document_count <>
        (select count(*) from public.documents d where d.block_id = b.id
          and d.collection_id = b.collection_id and coalesce(d.domain, '') = b.domain)) as blocks,
      (select count(*)::int from public.collections c where (c.document_count, c.length_total) is distinct from
        (select (count(*), coalesce(sum(d.length), 0)) from public.documents d where d.collection_id = c.id)) as totals`;
  return { ...row };
}
const NO_ERRORS = { missing: 0, superfluous: 0, emptyRows: 0, terms: 0, blocks: 0, totals: 0 };

beforeEach(() => emptyStores(services));

const word = fc.constantFrom("pod", "oom", "disk", "dns", "lock", "wait", "node", "slow");
const text = fc.record({
  id: fc.integer({ min: 0, max: 11 }).map((n) => `d${n}`),
  terms: fc.array(word, { minLength: 1, maxLength: 10 }),
  domain: fc.constantFrom(...DOMAINS),
  kind: fc.constantFrom("runbook" as const, "note" as const),
});
const write = fc.record({
  deleted: fc.uniqueArray(
    text.map(({ id }) => id),
    { maxLength: 4 },
  ),
  added: fc.uniqueArray(text, { selector: ({ id }) => id, maxLength: 8 }),
});
const anySearch = fc.record({
  query: fc.array(word, { minLength: 1, maxLength: 6 }),
  limit: fc.integer({ min: 1, max: 5 }),
  curatedLimit: fc.integer({ min: 0, max: 4 }),
  domains: fc.option(fc.uniqueArray(fc.constantFrom(...DOMAINS, "unknown"), { maxLength: 3 })),
  excluded: fc.uniqueArray(fc.constantFrom(...DOMAINS, "unknown"), { maxLength: 2 }),
});

describe("a search after any writes", () => {
  it("has the hits and scores of a full computation, within the domains and in all", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(write, { minLength: 1, maxLength: 6 }),
        fc.array(anySearch, { minLength: 4, maxLength: 4 }),
        async (writes, searches) => {
          await emptyStores(services);
          let texts: IndexedText[] = [];
          for (const { deleted, added } of writes) {
            await services.database.call("delete_documents", { p_collection: "runbooks", p_ids: deleted });
            await upsert(added);
            const gone = new Set([...deleted, ...added.map(({ id }) => id)]);
            texts = [...texts.filter(({ id }) => !gone.has(id)), ...added];
          }
          expect(await indexErrors()).toEqual(NO_ERRORS);
          for (const each of searches) {
            const { hits } = await search(each);
            const expected = searchByFullScan(texts, each);
            expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
            for (const [i, hit] of hits.entries()) {
              expect(hit.score).toBeCloseTo(expected[i]?.score ?? Number.NaN, 8);
              const sum = Object.values(hit.contributions).reduce((total, value) => total + value, 0);
              // Contributions have four decimals.
              expect(sum).toBeCloseTo(hit.score, 2);
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it("weighs words by all documents of the collection, not by those of the domain", async () => {
    await upsert([
      { id: "a", terms: ["lock"], domain: "docker", kind: "note" },
      { id: "b", terms: ["lock"], domain: "postgres", kind: "note" },
    ]);
    const { terms } = await search({ query: ["lock"], limit: 1, curatedLimit: 0, domains: ["postgres"] });
    expect(terms.lock?.df).toBe(2);
  });
});

describe("the index", () => {
  const many = (count: number, domain: string): IndexedText[] =>
    Array.from({ length: count }, (_, i) => ({
      id: `${domain}-${i}`,
      terms: ["disk", `word${i % 7}`, `only-${domain}-${i}`],
      domain,
      kind: i % 3 === 0 ? "runbook" : "note",
    }));

  it("fills blocks of 512 documents, one domain each, and refills those that have room", async () => {
    await upsert([...many(1_100, "docker"), ...many(5, "postgres")]);
    const blocks = () => sql`select domain, document_count from public.posting_blocks order by domain, id`;
    expect((await blocks()).map((each) => ({ ...each }))).toEqual([
      { domain: "docker", document_count: 512 },
      { domain: "docker", document_count: 512 },
      { domain: "docker", document_count: 76 },
      { domain: "postgres", document_count: 5 },
    ]);
    const ids = Array.from({ length: 500 }, (_, i) => `docker-${i}`);
    await services.database.call("delete_documents", { p_collection: "runbooks", p_ids: ids });
    await upsert(many(450, "docker"));
    const counts = (await blocks()).map(({ document_count }) => document_count);
    expect(counts).toEqual([26, 512, 512, 5]);
    expect(await indexErrors()).toEqual(NO_ERRORS);
  });

  it("is emptied by any statement that deletes, and filled by any that inserts", async () => {
    await upsert(many(200, "docker"));
    await upsert(many(3, "postgres"), "incidents");
    await sql`create temporary table copies as select * from public.documents`;
    await sql`delete from public.documents where key % 2 = 0`;
    expect(await indexErrors()).toEqual(NO_ERRORS);
    await sql`delete from public.documents`;
    expect(await indexErrors()).toEqual(NO_ERRORS);
    for (const table of ["postings", "terms", "posting_blocks"])
      expect(await sql.unsafe(`select 1 from public.${table}`)).toHaveLength(0);
    // In reverse order: keys below those of the first document of a block.
    for (const order of ["desc", "asc"] as const) {
      await sql.unsafe(`insert into public.documents (key, collection_id, id, title, body, metadata, written_at, content_hash,
          terms, frequencies, length) overriding system value
        select key, collection_id, id, title, body, metadata, written_at, content_hash, terms, frequencies, length
        from copies where key % 2 = ${order === "desc" ? 0 : 1} order by key ${order}`);
      expect(await indexErrors()).toEqual(NO_ERRORS);
    }
    await sql`drop table copies`;
    expect((await search({ query: ["disk"], limit: 500, curatedLimit: 0, domains: null })).hits).toHaveLength(200);
  });

  it("holds documents whose keys are far apart", async () => {
    await upsert(many(1, "docker"));
    await sql`select setval(pg_get_serial_sequence('public.documents', 'key'), 4194305)`;
    await upsert([{ id: "far", terms: ["disk"], domain: "docker", kind: "note" }]);
    await sql`select setval(pg_get_serial_sequence('public.documents', 'key'), 9000000000)`;
    await upsert([{ id: "further", terms: ["disk"], domain: "docker", kind: "note" }]);
    const { hits } = await search({ query: ["disk"], limit: 5, curatedLimit: 0, domains: ["docker"] });
    expect(hits.map(({ id }) => id).sort()).toEqual(["docker-0", "far", "further"]);
    expect(await indexErrors()).toEqual(NO_ERRORS);
  });

  it("holds a word that a text repeats 40,000 times as the largest frequency", async () => {
    await upsert([{ id: "log", terms: new Array(40_000).fill("oom"), domain: "docker", kind: "note" }]);
    expect(await indexErrors()).toEqual(NO_ERRORS);
  });

  it("rejects a change of the domain in place", async () => {
    await upsert(many(1, "docker"));
    await expect(sql`update public.documents set metadata = metadata || '{"domain": "postgres"}'`).rejects.toThrow(
      /insert the new one/,
    );
  });
});

describe("concurrent writers", () => {
  const CONNECTIONS = 8;
  const writers = postgres(info.urls.postgres, { max: CONNECTIONS, onnotice: () => {} });
  afterAll(async () => {
    await writers.end();
    await emptyStores(services);
  });

  it("leave an index that holds exactly the documents", async () => {
    const seeds = Array.from({ length: CONNECTIONS }, (_, i) =>
      fc.sample(fc.tuple(write, fc.boolean()), { seed: i + 1, numRuns: 20 }),
    );
    await Promise.all(
      seeds.map(async (writes) => {
        for (const [{ deleted, added }, isRunbook] of writes) {
          const collection = isRunbook ? "runbooks" : "incidents";
          await writers`select public.delete_documents(${collection}, ${deleted})`;
          await writers`select public.upsert_documents(${collection}, ${writers.json(added.map(row))})`;
        }
      }),
    );
    expect(await indexErrors()).toEqual(NO_ERRORS);
  });
});
