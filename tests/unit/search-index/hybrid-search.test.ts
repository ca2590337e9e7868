import { describe, expect, it } from "vitest";
import { createParsingDatabase } from "../../../functions/adapters/database.ts";
import type { VectorStore } from "../../../functions/adapters/vector-store.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { BothSearchesFailed, hybridSearch } from "../../../functions/search-index/hybrid-search.ts";

const REPLY = {
  terms: { disk: { df: 1, idf: 0.3 } },
  hits: [],
  siblings: [],
  pending: ["b"],
  corrections: {},
  sources: [{ source: "a.md", length: 40, frequencies: { disk: 3 }, lead: "The disk is full." }],
};
const PARTS = ["terms", "hits", "siblings", "corrections", "pending", "sources"] as const;

/** A hybrid search without vectors: only the keyword search answers. */
function searchWith(reply: unknown) {
  const database = createParsingDatabase(async () => [reply]);
  const refuse = async () => {
    throw new DependencyError("vector_store", "unreachable", "x");
  };
  const vectors: VectorStore = {
    fingerprint: "x",
    initialize: refuse,
    store: refuse,
    search: refuse,
    ids: refuse,
    find: refuse,
    delete: refuse,
    collections: refuse,
    vectors: refuse,
    drop: refuse,
    version: refuse,
  };
  return hybridSearch(
    { database, vectors },
    {
      collection: "runbooks",
      scope: { only: null, preferred: {} },
      vector: Promise.resolve([1]),
      keywords: "disk",
      candidates: 5,
      siblingSources: 0,
      resolvedCandidates: 0,
    },
  );
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

describe("the result of the keyword search", () => {
  it("has terms, hits, siblings and ids with a pending write", async () => {
    const { missing, ...result } = await searchWith(REPLY);
    expect(result).toEqual({
      hits: [],
      siblings: [],
      terms: REPLY.terms,
      corrections: REPLY.corrections,
      pending: new Set(["b"]),
    });
    expect(missing.map(({ dependency }) => dependency)).toEqual(["vector_store"]);
  });

  it.each(PARTS)("is rejected without %s", async (part) => {
    const { [part]: _, ...rest } = REPLY;
    expect(await failuresOf(searchWith(rest))).toEqual(["vector_store unreachable", "database invalid_response"]);
  });
});
