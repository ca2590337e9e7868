import { describe, expect, it } from "vitest";
import type { VectorHit, VectorQuery, VectorStore } from "../../../functions/adapters/vector-store.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import type { SearchScope } from "../../../functions/schemas/domain.ts";
import { searchDenseInDomains } from "../../../functions/search-index/dense-search.ts";

const LIMIT = 20;

type Scope = Pick<SearchScope, "only" | "excluded">;
const OWN: Scope = { only: ["docker"], excluded: [] };
const WITHOUT_POSTGRES: Scope = { only: null, excluded: ["postgres"] };

/** Every `ownEvery`-th of the stored texts is of the domain `docker`. */
async function search(
  { stored, ownEvery }: { readonly stored: number; readonly ownEvery: number },
  scope: Scope = OWN,
) {
  const texts = Array.from({ length: stored }, (_, i): VectorHit => {
    const domain = i % ownEvery === 0 ? "docker" : "postgres";
    return { id: String(i), text: "", metadata: { domain }, distance: i / stored, relevance: 1 };
  });
  const queries: VectorQuery[] = [];
  const refuse = async () => {
    throw new DependencyError("vector_store", "unreachable", "x");
  };
  const vectors: VectorStore = {
    ...{ fingerprint: "x", store: refuse, ids: refuse, find: refuse, delete: refuse, collections: refuse },
    ...{ distances: refuse, vectors: refuse, drop: refuse, version: refuse },
    initialize: async () => true,
    async search(_, query) {
      queries.push(query);
      const matching = query.filter ? texts.filter(({ metadata }) => metadata.domain === "docker") : texts;
      return matching.slice(0, query.limit);
    },
  };
  const { hits = [] } = await searchDenseInDomains(vectors, "incidents", Promise.resolve([1]), {
    limit: LIMIT,
    ...scope,
  });
  return { hits, areOfDomain: hits.every(({ metadata }) => metadata.domain === "docker"), queries };
}

describe("a vector search in domains", () => {
  it("needs no condition when half of the nearest are of the domain", async () => {
    const { hits, areOfDomain, queries } = await search({ stored: 1_000, ownEvery: 2 });
    expect(queries.map(({ filter }) => filter)).toEqual([undefined]);
    expect(hits.map(({ id }) => Number(id))).toEqual(Array.from({ length: LIMIT }, (_, i) => 2 * i));
    expect(areOfDomain).toBe(true);
  });

  it("searches with the condition when few of the nearest are of the domain", async () => {
    const { hits, areOfDomain, queries } = await search({ stored: 1_000, ownEvery: 10 });
    expect(queries.map(({ filter }) => filter !== undefined)).toEqual([false, true]);
    expect(hits).toHaveLength(LIMIT);
    expect(areOfDomain).toBe(true);
  });

  it("asks for more hits to leave a domain out", async () => {
    const { hits, areOfDomain, queries } = await search({ stored: 1_000, ownEvery: 2 }, WITHOUT_POSTGRES);
    expect(queries.map(({ limit, filter }) => [limit, filter])).toEqual([[LIMIT + 30, undefined]]);
    expect(hits).toHaveLength(LIMIT);
    expect(areOfDomain).toBe(true);
  });

  it("leaves a domain out by a condition when too few others are near", async () => {
    const { hits, areOfDomain, queries } = await search({ stored: 1_000, ownEvery: 10 }, WITHOUT_POSTGRES);
    expect(queries[1]?.filter).toEqual({ op: "not_in", field: "domain", values: ["postgres"] });
    expect(hits).toHaveLength(LIMIT);
    expect(areOfDomain).toBe(true);
  });

  it("searches all domains without a condition", async () => {
    const { hits, queries } = await search({ stored: 1_000, ownEvery: 2 }, { only: null, excluded: [] });
    expect(queries.map(({ limit, filter }) => [limit, filter])).toEqual([[LIMIT, undefined]]);
    expect(hits.map(({ id }) => Number(id))).toEqual(Array.from({ length: LIMIT }, (_, i) => i));
  });

  it("needs no condition when it has all stored texts", async () => {
    const { hits, areOfDomain, queries } = await search({ stored: 30, ownEvery: 10 });
    expect(queries).toHaveLength(1);
    expect(hits).toHaveLength(3);
    expect(areOfDomain).toBe(true);
  });
});
