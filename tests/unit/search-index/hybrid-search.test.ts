import { describe, expect, it } from "vitest";
import type { Database } from "../../../functions/adapters/database.ts";
import type { VectorStore } from "../../../functions/adapters/vector-store.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { BothSearchesFailed, hybridSearch } from "../../../functions/search-index/hybrid-search.ts";

const REPLY = {
  terms: { disk: { df: 1, idf: 0.3 } },
  hits: [],
  siblings: [],
  owed: ["b"],
  corrections: {},
  sources: [{ source: "a.md", length: 40, frequencies: { disk: 3 }, lead: "The disk is full." }],
};
const PARTS = ["terms", "hits", "siblings", "corrections", "owed", "sources"] as const;

/** A search whose vectors cannot be searched: the keyword search's reply decides. */
function searchWith(reply: unknown) {
  const database: Database = { call: async () => reply };
  const refuse = async () => {
    throw new DependencyError("chroma", "unreachable", "x");
  };
  const vectors: VectorStore = {
    fingerprint: "x",
    initialize: refuse,
    store: refuse,
    search: refuse,
    ids: refuse,
    find: refuse,
    delete: refuse,
    vectors: refuse,
    drop: refuse,
    version: refuse,
  };
  return hybridSearch(
    { database, vectors },
    {
      collection: "runbooks-docker",
      vector: Promise.resolve([1]),
      keywords: "disk",
      candidates: 5,
      siblingSources: 0,
      resolvedCandidates: 0,
    },
  );
}

/** What the search says of the systems that it went without. */
async function failuresOf(search: ReturnType<typeof hybridSearch>) {
  const missing = await search.then(
    (result) => result.missing,
    (error: unknown) => {
      if (error instanceof BothSearchesFailed) return error.failures;
      throw error;
    },
  );
  return missing.map(({ system, failure }) => `${system} ${failure}`);
}

describe("the keyword search's reply", () => {
  it("is the terms, the hits, the siblings, and what the vector store is owed", async () => {
    const { missing, ...result } = await searchWith(REPLY);
    expect(result).toEqual({
      hits: [],
      siblings: [],
      terms: REPLY.terms,
      corrections: REPLY.corrections,
      owed: new Set(["b"]),
    });
    expect(missing.map(({ system }) => system)).toEqual(["chroma"]);
  });

  it.each(PARTS)("makes no sense without its %s", async (part) => {
    const { [part]: _, ...rest } = REPLY;
    expect(await failuresOf(searchWith(rest))).toEqual(["chroma unreachable", "postgres invalid_response"]);
  });
});
