import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { keywordResultSchema } from "../../../functions/search-index/hybrid-search.ts";
import { documentRow, type SearchDocument } from "../../../functions/search-index/search-document.ts";
import { B, K1 } from "../../../lib/ranking/bm25.ts";
import { countTerms, tokenize } from "../../../lib/text/tokenize.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";

const { services } = createHarness();
const COLLECTION = "runbooks";

function document(id: string, body: string, source: string | null = null): SearchDocument {
  const writtenAt = new Date("2026-01-01T00:00:00Z");
  return {
    id,
    source,
    chunkIndex: source === null ? null : 0,
    title: "t",
    headingPath: [],
    body,
    metadata: {},
    writtenAt,
  };
}

async function store(documents: readonly SearchDocument[]): Promise<void> {
  await services.database.call("upsert_documents", {
    p_collection: COLLECTION,
    p_documents: documents.map((document) => documentRow(document)),
  });
}

async function search(query: string, limit = 50, siblingTexts = 0) {
  return keywordResultSchema.parse(
    await services.database.call("search_documents", {
      p_collection: COLLECTION,
      p_terms: [...tokenize(query)],
      p_limit: limit,
      p_k1: K1,
      p_b: B,
      p_sibling_sources: siblingTexts,
    }),
  );
}

/** A reference implementation of Okapi BM25 over arrays, for comparison with the SQL. */
function referenceScores(texts: Readonly<Record<string, string>>, query: string): Map<string, number> {
  const documents = Object.entries(texts).map(([id, text]) => ({ id, terms: tokenize(`t\n\n${text}`) }));
  const average = documents.reduce((sum, { terms }) => sum + terms.length, 0) / documents.length;
  const scores = new Map<string, number>();
  for (const { id, terms } of documents) {
    let score = 0;
    for (const [term, repeats] of Object.entries(countTerms(tokenize(query)))) {
      const frequency = terms.filter((other) => other === term).length;
      if (frequency === 0) continue;
      const df = documents.filter((other) => other.terms.includes(term)).length;
      const idf = Math.log(1 + (documents.length - df + 0.5) / (df + 0.5));
      score +=
        ((1 + Math.log(repeats)) * idf * frequency * 2.2) /
        (frequency + 1.2 * (0.25 + (0.75 * terms.length) / average));
    }
    if (score > 0) scores.set(id, score);
  }
  return scores;
}

beforeEach(() => emptyStores(services));

describe("keyword search", () => {
  it("scores like a reference implementation of Okapi BM25 for arbitrary texts and queries", async () => {
    const word = fc.constantFrom(
      "pod",
      "oom",
      "disk",
      "dns",
      "node",
      "CrashLoopBackOff",
      "exit 137",
      "kube-dns",
      "pull",
    );
    const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(" "));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), text, async (bodies, query) => {
        await emptyStores(services);
        const texts = Object.fromEntries(bodies.map((body, i) => [`d${i}`, body]));
        await store(Object.entries(texts).map(([id, body]) => document(id, body)));
        const { hits } = await search(query);
        const expected = referenceScores(texts, query);
        expect(new Set(hits.map((hit) => hit.id))).toEqual(new Set(expected.keys()));
        for (const hit of hits) expect(hit.score).toBeCloseTo(expected.get(hit.id) ?? Number.NaN, 9);
      }),
      { numRuns: 25 },
    );
  });

  it("explains each score: the contributions of the terms add up to it", async () => {
    await store([
      document("a", "exit code 137 OOMKilled memory"),
      document("b", "exit code 1"),
      document("c", "memory"),
    ]);
    const { hits } = await search("container exit code 137 memory");
    expect(hits.length).toBe(3);
    for (const hit of hits) {
      const sum = Object.values(hit.contributions).reduce((total, value) => total + value, 0);
      // Contributions have four decimals.
      expect(hit.score).toBeCloseTo(sum, 3);
    }
  });

  it.each([
    ["CrashLoopBackOff", "the pod is in CrashLoopBackOff again"],
    ["crash loop", "the pod is in CrashLoopBackOff again"],
    ["exit 137", "the container ended with exit 137"],
    ["ERR_CONN_RESET", "upstream said ERR_CONN_RESET"],
    ["kube-dns", "the kube-dns service does not answer"],
    ["53300", "FATAL 53300: too many clients"],
    ["/var/lib/docker", "df says /var/lib/docker is full"],
  ])("finds %s in its document and not in another", async (query, body) => {
    await store([document("right", body), document("wrong", "something else entirely")]);
    expect((await search(query)).hits.map((hit) => hit.id)).toEqual(["right"]);
  });

  it("returns the document frequency of each query term, also of unknown ones", async () => {
    await store([document("a", "disk full"), document("b", "disk slow")]);
    const { terms } = await search("disk full absent");
    expect(Object.fromEntries(Object.entries(terms).map(([term, { df }]) => [term, df]))).toEqual({
      disk: 2,
      full: 1,
      absent: 0,
    });
  });

  it("also returns the other chunks of the best sources", async () => {
    await store([
      { ...document("a0", "oom killed", "a.md"), chunkIndex: 0 },
      { ...document("a1", "raise the limit", "a.md"), chunkIndex: 1 },
      { ...document("b0", "raise a ticket", "b.md"), chunkIndex: 0 },
    ]);
    const { hits, siblings } = await search("oom killed", 10, 1);
    expect(hits.map((hit) => hit.id)).toEqual(["a0"]);
    expect(siblings).toEqual(["a1"]);
  });

  it.each([
    ["contaner", "container"],
    ["conatiner", "container"],
    ["evicton", "eviction"],
  ])("corrects %s to %s when the collection does not contain it, and reports that", async (misspelt, corrected) => {
    await store([
      document("right", `${corrected} ${corrected} died`),
      document("wrong", "container eviction eviction"),
    ]);
    const { hits, corrections, terms } = await search(`${misspelt} died`);
    expect(hits[0]?.id).toBe("right");
    expect(corrections).toEqual({ [misspelt]: corrected });
    expect([terms[misspelt]?.df, terms[corrected]?.df]).toEqual([0, 2]);
    const right = await search(`${corrected} died`);
    expect(right.corrections).toEqual({});
    expect(hits[0]?.contributions[corrected]).toBeCloseTo(0.7 * (right.hits[0]?.contributions[corrected] ?? 0), 3);
  });

  it("corrects to the nearest word, and a short word only within one edit or exchange", async () => {
    await store([
      document("a", "restarted restart"),
      document("b", "restarts cluster"),
      document("c", "clusters2 cluster nginx"),
    ]);
    expect((await search("restartd")).corrections).toEqual({ restartd: "restart" });
    expect((await search("clvstar")).corrections).toEqual({});
    expect((await search("ngnix clutser")).corrections).toEqual({ ngnix: "nginx", clutser: "cluster" });
  });

  it.each(["53300", "sig9", "svc-paymnt2", "pods", "oomd", "contaner-7"])("does not correct %s", async (name) => {
    await store([document("a", "53200 sig7 svc-payment2 poda oom container-7")]);
    expect((await search(name)).corrections).not.toHaveProperty([name]);
  });

  it("returns the term statistics of the hits' sources, except logs", async () => {
    await store([
      { ...document("a0", "oom killed", "a.md"), chunkIndex: 0 },
      { ...document("a1", "oom limit, oom score", "a.md"), chunkIndex: 1 },
      { ...document("b0", "disk full", "b.md"), chunkIndex: 0 },
      { ...document("l0", "oom killed", "today.log"), metadata: { kind: "log" } },
      document("alone", "killed"),
    ]);
    const { sources } = await search("oom killed absent", 1);
    expect(sources).toEqual([
      {
        key: "a.md",
        isLong: false,
        passages: [{ first: 0, last: 6, length: 6, frequencies: { oom: 3, kill: 1 } }],
      },
    ]);
  });

  it("returns the passages of a long text around its hits, within the text", async () => {
    await store(
      Array.from({ length: 60 }, (_, i) => ({
        ...document(`c${i}`, [1, 30, 59].includes(i) ? "oom oom" : "disk", "long.md"),
        chunkIndex: i,
      })),
    );
    const { sources, siblings } = await search("oom", 50, 1);
    const passage = (first: number) => ({
      first,
      last: first + 6,
      length: expect.any(Number),
      frequencies: { oom: 2 },
    });
    expect(sources).toEqual([{ key: "long.md", isLong: true, passages: [0, 27, 53].map(passage) }]);
    // The first 40 chunks, and the last passage, without the three hits.
    expect(siblings).toHaveLength(40 + 7 - 3);
    expect(siblings).toContain("c53");
  });

  it("finds nothing in a missing collection or for a query without terms", async () => {
    expect((await search("anything")).hits).toEqual([]);
    await store([document("a", "disk")]);
    expect((await search("the of a")).hits).toEqual([]);
  });
});

describe("the statistics of the index", () => {
  const totals = async () => {
    const [row] =
      await sql`select document_count::int, length_total::int from public.collections where name = ${COLLECTION}`;
    const [postings] = await sql`select count(*)::int as count, coalesce(sum((e >> 23) & 32767), 0)::int as terms
      from public.postings p cross join unnest(p.entries) as e`;
    return {
      documents: row?.document_count,
      length: row?.length_total,
      postings: postings?.count,
      terms: postings?.terms,
    };
  };

  it("are updated when a document is replaced or deleted", async () => {
    await store([document("a", "disk disk full"), document("b", "dns")]);
    expect(await totals()).toEqual({ documents: 2, length: 4, postings: 3, terms: 4 });
    await store([document("a", "dns")]);
    expect(await totals()).toEqual({ documents: 2, length: 2, postings: 2, terms: 2 });
    await services.database.call("delete_documents", { p_collection: COLLECTION, p_ids: ["a", "unknown"] });
    expect(await totals()).toEqual({ documents: 1, length: 1, postings: 1, terms: 1 });
    expect((await search("disk")).hits).toEqual([]);
  });

  it("stay correct under concurrent upserts and deletions of the same documents", async () => {
    const writes = Array.from({ length: 24 }, (_, i) =>
      i % 4 === 3
        ? services.database.call("delete_documents", { p_collection: COLLECTION, p_ids: [`d${i % 5}`] })
        : store([document(`d${i % 5}`, `disk full ${"again ".repeat(i)}`), document(`d${(i + 1) % 5}`, "dns")]),
    );
    await Promise.all(writes);
    const [truth] = await sql`select count(*)::int as documents, coalesce(sum(length), 0)::int as length,
      coalesce(sum(cardinality(terms)), 0)::int as postings from public.documents`;
    const counted = await totals();
    expect({ documents: counted.documents, length: counted.length, postings: counted.postings }).toEqual({ ...truth });
    expect(counted.terms).toBe(counted.length);
  });

  it("keep the state of the vector index when the text changes, so that the pending write is visible", async () => {
    await store([document("a", "disk")]);
    await services.database.call("mark_documents_indexed", {
      p_collection: COLLECTION,
      p_hashes: { a: "h1" },
      p_fingerprint: "f",
    });
    await store([document("a", "dns")]);
    const [row] = await sql`select indexed_hash, index_fingerprint from public.documents where id = 'a'`;
    expect({ ...row }).toEqual({ indexed_hash: "h1", index_fingerprint: "f" });
  });

  it("reject a change of terms in place", async () => {
    await store([document("a", "disk")]);
    await expect(sql`update public.documents set terms = '{x}', frequencies = '{1}', length = 1`).rejects.toThrow(
      /replace|insert the new one/,
    );
  });

  it("are read through the index on postings, without a sequential scan", async () => {
    const rare = Array.from({ length: 400 }, (_, i) => document(`d${i}`, `word${i} common filler text number ${i}`));
    await store(rare);
    await sql`analyze public.postings`;
    const plan = await sql`explain (format json) select entries from public.postings
      where term_id = (select id from public.terms where term = 'word7')`;
    expect(JSON.stringify(plan)).toContain("postings_pkey");
    expect(JSON.stringify(plan)).not.toContain(
      'Seq Scan","Parallel Aware":false,"Async Capable":false,"Relation Name":"postings',
    );
  });
});
