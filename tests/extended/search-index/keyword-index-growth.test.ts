// A search of a large collection skips documents, and returns the hits of a full scan. The statistics of a collection match
// its documents under concurrent writes.

import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomNumbers } from "../../../bench/support/random-numbers.ts";
import { keywordResultSchema } from "../../../functions/search-index/hybrid-search.ts";
import { B, K1 } from "../../../lib/ranking/bm25.ts";
import { type IndexedText, rankByFullScan, row } from "../../integration/search-index/full-scan.ts";
import { createHarness, emptyStores, info, sql } from "../../integration/support/harness.ts";

const { services } = createHarness();
const COLLECTION = "runbooks";
const DOCUMENTS = 9_000;
const TWINS = 300;
const WORDS = 400;

interface Text extends IndexedText {
  readonly domain: "large" | "small";
}

/** Words with a lower number are more common. */
const anyWord = (random: () => number) => `word${Math.floor(random() ** 4 * WORDS)}`;

/** Short texts, every fiftieth of them from a runbook, every fourth of a small domain, and some duplicates. */
function makeTexts(): Text[] {
  const random = randomNumbers(1);
  const texts = Array.from(
    { length: DOCUMENTS },
    (_, i): Text => ({
      id: `d${i}`,
      terms: Array.from({ length: 4 + Math.floor(random() * 20) }, () => anyWord(random)),
      kind: i % 50 === 0 ? "runbook" : "note",
      domain: i % 4 === 0 ? "small" : "large",
    }),
  );
  return [...texts, ...texts.slice(0, TWINS).map((text) => ({ ...text, id: `twin-of-${text.id}` }))];
}

function bestByFullScan(
  texts: readonly Text[],
  query: readonly string[],
  isWanted: (text: Text) => boolean,
  limit: number,
) {
  return rankByFullScan(texts, query)
    .filter(({ text }) => isWanted(text))
    .map(({ text, score }) => ({ id: text.id, score }))
    .slice(0, limit);
}

describe("a search that skips documents", () => {
  const texts = makeTexts();
  const textOf = new Map(texts.map((text) => [text.id, text]));

  beforeAll(async () => {
    await emptyStores(services);
    for (let i = 0; i < texts.length; i += 500) {
      const p_documents = texts.slice(i, i + 500).map(row);
      await services.background.database.call("upsert_documents", { p_collection: COLLECTION, p_documents });
    }
  });

  const search = async (
    p_terms: readonly string[],
    p_limit: number,
    p_curated_limit: number,
    scope: { readonly p_domains?: string[] } = {},
  ) => {
    const args = {
      p_collection: COLLECTION,
      p_terms: [...p_terms],
      p_limit,
      p_k1: K1,
      p_b: B,
      p_curated_limit,
      ...scope,
    };
    return keywordResultSchema.parse(await services.database.call("search_documents", args)).hits;
  };

  /** From single rare words to sentences of common words. */
  const queries = Array.from({ length: 40 }, (_, i) => {
    const random = randomNumbers(1_000 + i);
    const rare = Array.from({ length: i % 4 }, () => `word${60 + Math.floor(random() * (WORDS - 60))}`);
    return [...rare, ...Array.from({ length: 1 + (i % 16) }, () => anyWord(random))];
  });

  it.each([
    ["best 20", 20],
    ["very best", 1],
  ])("finds the %s hits of a full scan, in the same order", async (_case, limit) => {
    for (const query of queries) {
      const hits = await search(query, limit, 0);
      const expected = bestByFullScan(texts, query, () => true, limit);
      expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      for (const [i, { score }] of expected.entries()) expect(hits[i]?.score).toBeCloseTo(score, 8);
    }
  });

  it("adds the best curated hits of a full scan", async () => {
    for (const query of queries) {
      const hits = await search(query, 10, 6);
      const curated = hits.filter(({ id }) => textOf.get(id)?.kind === "runbook").slice(0, 6);
      const expected = bestByFullScan(texts, query, ({ kind }) => kind === "runbook", 6);
      expect(curated.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    }
  });

  it.each(["large", "small"] as const)("adds the best hits of a full scan within the %s domain", async (domain) => {
    for (const query of queries.filter((_, i) => i % 4 === 1)) {
      const hits = await search(query, 10, 6, { p_domains: [domain] });
      for (const [kinds, limit] of [
        [["runbook", "note"], 10],
        [["runbook"], 6],
      ] as const) {
        const isKind = (kind: string) => kinds.some((each) => each === kind);
        const within = hits.filter(({ id }) => {
          const text = textOf.get(id);
          return text?.domain === domain && isKind(text.kind);
        });
        const isWanted = (text: Text) => text.domain === domain && isKind(text.kind);
        const expected = bestByFullScan(texts, query, isWanted, limit);
        expect(within.slice(0, limit).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }
      const best = bestByFullScan(texts, query, () => true, 10);
      expect(hits.slice(0, best.length).map(({ id }) => id)).toEqual(best.map(({ id }) => id));
    }
  });

  it("fills the limit for words that occur in nearly every text", async () => {
    const [statistics] = await sql`select sum(df)::int as postings from public.terms
      where term in ('word0', 'word1', 'word2', 'word3', 'word4', 'word5')`;
    expect(Number(statistics?.postings)).toBeGreaterThan(12_000);
    expect(await search(["word0", "word1", "word2", "word3", "word4", "word5"], 20, 0)).toHaveLength(20);
  });
});

describe("the statistics of a collection", () => {
  const CONNECTIONS = 12;
  const writers = postgres(info.urls.postgres, { max: CONNECTIONS, onnotice: () => {} });
  afterAll(async () => {
    await writers.end();
    await emptyStores(services);
  });

  it("match its documents after concurrent writes and deletions of the same documents", async () => {
    await emptyStores(services);
    const collections = ["runbooks", "incidents"];
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, writer) => {
        const random = randomNumbers(5_000 + writer);
        for (let turn = 0; turn < 15; turn++) {
          const collection = collections[Math.floor(random() * 2)] ?? "";
          const ids = Array.from({ length: 4 }, () => `d${Math.floor(random() * 12)}`);
          if (random() < 0.3) await writers`select public.delete_documents(${collection}, ${ids})`;
          else {
            const rows = [...new Set(ids)].map((id) =>
              row({
                id,
                kind: "note",
                domain: random() < 0.5 ? "large" : "small",
                terms: Array.from({ length: 8 }, () => anyWord(random)),
              }),
            );
            await writers`select public.upsert_documents(${collection}, ${writers.json(rows)})`;
          }
        }
      }),
    );
    const counted = await sql`select d.collection_id, t.term, count(*)::int as df
      from public.documents d cross join lateral unnest(d.terms) as t (term) group by 1, 2 order by 1, t.term collate "C"`;
    // The order of the writers decides how many documents are left.
    expect(counted.length).toBeGreaterThan(10);
    const stored = await sql`select collection_id, term, df from public.terms order by 1, 2`;
    expect(stored.map((each) => ({ ...each }))).toEqual(counted.map((each) => ({ ...each })));
    const postings = await sql`select t.collection_id, t.term, sum(cardinality(p.entries))::int as df
      from public.postings p join public.terms t on t.id = p.term_id group by 1, 2 order by 1, 2`;
    expect(postings.map((each) => ({ ...each }))).toEqual(stored.map((each) => ({ ...each })));
    const totals = await sql`select c.document_count::int, c.length_total::int from public.collections c order by c.id`;
    const truth = await sql`select count(d.key)::int as document_count, coalesce(sum(d.length), 0)::int as length_total
      from public.collections c left join public.documents d on d.collection_id = c.id group by c.id order by c.id`;
    expect(totals.map((each) => ({ ...each }))).toEqual(truth.map((each) => ({ ...each })));
  });
});
