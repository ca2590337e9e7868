import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createParsingDatabase } from "../../../functions/adapters/database.ts";
import type { VectorHit, VectorQuery, VectorStore } from "../../../functions/adapters/vector-store.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { BothSearchesFailed, hybridSearch } from "../../../functions/search-index/hybrid-search.ts";

const REPLY = {
  terms: ["disk"],
  dfs: [1],
  weights: [1],
  documents: 1,
  average_length: 1,
  hits: [],
  siblings: [],
  corrections: {},
  sources: [
    {
      source: "a.md",
      topic: null,
      is_long: false,
      passages: [{ first: 0, last: 6, length: 40, frequencies: "0:3" }],
    },
  ],
};
const PARTS = [
  "terms",
  "dfs",
  "weights",
  "documents",
  "average_length",
  "hits",
  "siblings",
  "corrections",
  "sources",
] as const;

/** A hybrid search without vectors: only the keyword search answers. */
function searchWith(reply: unknown) {
  return searchStore(reply, {});
}

function searchStore(reply: unknown, store: Partial<VectorStore>, curatedCandidates = 0) {
  const database = createParsingDatabase(async (name, args) => (name === "read_documents" ? rowsOf(args) : [reply]));
  const refuse = async () => {
    throw new DependencyError("vector_store", "unreachable", "x");
  };
  const vectors: VectorStore = {
    fingerprint: "x",
    initialize: refuse,
    store: refuse,
    search: refuse,
    distances: refuse,
    ids: refuse,
    find: refuse,
    delete: refuse,
    collections: refuse,
    vectors: refuse,
    drop: refuse,
    version: refuse,
    ...store,
  };
  return hybridSearch(
    { database, vectors },
    {
      collection: "runbooks",
      scope: { only: null, preferred: {}, excluded: [] },
      vector: Promise.resolve([1]),
      keywords: "disk",
      candidates: 5,
      siblingTexts: 0,
      curatedCandidates,
    },
  );
}

const readSchema = z.object({ p: z.object({ ids: z.array(z.string()), cached: z.record(z.string(), z.string()) }) });

/** The rows of `unless_cached`; ids that begin with `gone` were deleted. */
function rowsOf(args: unknown) {
  const { ids, cached } = readSchema.parse(args).p;
  const row = {
    source: null,
    chunk_index: null,
    title: "T",
    heading_path: [],
    body: "B",
    metadata: {},
    is_pending: false,
  };
  const rows = ids
    .filter((id) => !id.startsWith("gone"))
    .map((id) => (cached[id] === "h" ? id : ["h", id, "2026-01-01T00:00:00Z", ...Object.values(row)]));
  return { columns: ["id", "written_at", ...Object.keys(row)], rows };
}

/** The failures that the search reports. */
async function failuresOf(search: ReturnType<typeof hybridSearch>) {
  const missing = await search.then(
    (result) => result.missing,
    (error: unknown) => {
      if (error instanceof BothSearchesFailed) return error.failures;
      throw error;
    },
  );
  return missing.map(({ dependency, failure }) => `${dependency} ${failure}`);
}

describe("the documents of the hits", () => {
  const hit = (id: string) => [id, 1, 1, "0"];
  const reply = { ...REPLY, hits: [hit("d1"), hit("gone")], siblings: ["d2"] };

  it("are rows, also those that the isolate has; deleted ones are no hits", async () => {
    for (const _ of [1, 2]) {
      const { hits, siblings } = await searchWith(reply);
      expect(hits.map(({ document }) => [document.id, document.body])).toEqual([["d1", "B"]]);
      expect(siblings.map(({ id }) => id)).toEqual(["d2"]);
    }
  });

  it("are the copies of the vector store while the database is unavailable", async () => {
    const { store } = storeOf("rr");
    const find: VectorStore["find"] = async (_, { ids = [] }) =>
      ids.map((id) => ({ id, text: "Title\n\nCopy", metadata: { document_title: "Title" } }));
    const { hits } = await searchStore(new Error("away"), { ...store, find });
    expect(hits.map(({ document }) => document.body)).toEqual(["Copy", "Copy"]);
    expect(await failuresOf(searchStore(new Error("away"), store))).toEqual([
      "database invalid_response",
      "vector_store unreachable",
    ]);
  });
});

describe("the result of the keyword search", () => {
  it("has terms, hits and siblings", async () => {
    const { missing, ...result } = await searchWith(REPLY);
    expect(result).toEqual({
      hits: [],
      siblings: [],
      terms: { disk: { df: 1, idf: Math.log(4 / 3) } },
      corrections: REPLY.corrections,
    });
    expect(missing.map(({ dependency }) => dependency)).toEqual(["vector_store"]);
  });

  it.each(PARTS)("is rejected without %s", async (part) => {
    const { [part]: _, ...rest } = REPLY;
    expect(await failuresOf(searchWith(rest))).toEqual(["vector_store unreachable", "database invalid_response"]);
  });
});

/** A store of these texts, nearest first: `n` is a note, `r` a runbook. */
function storeOf(kinds: string) {
  const queries: VectorQuery[] = [];
  const hits = [...kinds].map((kind, i): VectorHit => {
    const metadata = { kind: kind === "r" ? "runbook" : "note" };
    return { id: `${kind}${i}`, text: "A text", metadata, distance: i / 100, relevance: 1 - i / 200 };
  });
  const store: Partial<VectorStore> = {
    initialize: async () => true,
    search: async (_, query) => {
      queries.push(query);
      const matching = query.filter === undefined ? hits : hits.filter(({ metadata }) => metadata.kind === "runbook");
      return matching.slice(0, query.limit);
    },
  };
  return { store, queries };
}

describe("runbooks in the search by meaning", () => {
  const idsFrom = async (kinds: string) => {
    const { store, queries } = storeOf(kinds);
    const { hits } = await searchStore(REPLY, store, 5);
    return { ids: hits.map(({ document }) => document.id).sort(), requests: queries.length };
  };

  it("are the nearest of a longer list, in one request, if it holds enough", async () => {
    expect(await idsFrom("rnrnrnrrrrrr")).toEqual({
      ids: ["n1", "n3", "r0", "r2", "r4", "r6", "r7"],
      requests: 1,
    });
  });

  it("are searched for in a second request if notes crowd them out", async () => {
    expect(await idsFrom("nnnnnnnnnrrrrrrr")).toEqual({
      ids: ["n0", "n1", "n2", "n3", "n4", "r10", "r11", "r12", "r13", "r9"],
      requests: 2,
    });
  });

  it("are all of them if the store holds few texts", async () => {
    expect(await idsFrom("nnnnnrr")).toEqual({
      ids: ["n0", "n1", "n2", "n3", "n4", "r5", "r6"],
      requests: 1,
    });
  });
});
