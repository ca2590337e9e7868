// Vector search over one collection; failures of dependencies are part of the result.

import type { Filter, VectorHit, VectorStore } from "../adapters/vector-store.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import type { SearchScope } from "../schemas/domain.ts";
import { domainOf } from "./search-document.ts";

export interface DenseSearch {
  readonly limit: number;
  readonly filter?: Filter;
}

export interface DenseResult {
  /** Distinct hits without their texts, nearest first; undefined when the search failed. */
  readonly hits: readonly VectorHit[] | undefined;
  /** Whether they are all that there are in the searched domains. */
  readonly isAll?: boolean;
  /** All failures, not only the first. */
  readonly missing: readonly DependencyError[];
}

/** @param vector of the query; may still be pending */
export async function searchDense(
  vectors: VectorStore,
  collection: string,
  vector: Promise<readonly number[]>,
  search: DenseSearch,
): Promise<DenseResult> {
  const query = await prepare(vectors, collection, vector);
  if (!query.ok) return { hits: undefined, missing: query.missing };
  if (!query.exists) return { hits: [], isAll: true, missing: [] };
  const result = await settle(vectors.search(collection, { vector: query.vector, ...search, hasTexts: false }));
  if (!result.ok) return { hits: undefined, missing: [result.error] };
  return { hits: nearestFirst(result.value), isAll: result.value.length < search.limit, missing: [] };
}

/** Distances by id, nearest first; undefined when the search failed. */
export async function searchDistances(
  vectors: VectorStore,
  collection: string,
  vector: Promise<readonly number[]>,
  limit: number,
): Promise<{
  readonly distances: ReadonlyMap<string, number> | undefined;
  readonly missing: readonly DependencyError[];
}> {
  const query = await prepare(vectors, collection, vector);
  if (!query.ok) return { distances: undefined, missing: query.missing };
  if (!query.exists) return { distances: new Map(), missing: [] };
  const result = await settle(vectors.distances(collection, { vector: query.vector, limit }));
  return result.ok ? { distances: result.value, missing: [] } : { distances: undefined, missing: [result.error] };
}

type Prepared =
  | { readonly ok: true; readonly vector: readonly number[]; readonly exists: boolean }
  | { readonly ok: false; readonly missing: readonly DependencyError[] };

/** Gets the collection ready while the query is being embedded: saves a round trip on a cold start. */
async function prepare(
  vectors: VectorStore,
  collection: string,
  vector: Promise<readonly number[]>,
): Promise<Prepared> {
  const [query, existing] = await Promise.all([settle(vector), settle(vectors.initialize(collection))]);
  const missing = [query, existing].flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  return query.ok && existing.ok ? { ok: true, vector: query.value, exists: existing.value } : { ok: false, missing };
}

/** Sorts hits by distance and removes duplicates by id. */
export function nearestFirst(hits: readonly VectorHit[]): VectorHit[] {
  const sorted = hits.toSorted((a, b) => a.distance - b.distance);
  return [...new Map(sorted.map((hit) => [hit.id, hit])).values()];
}

export interface DomainSearch {
  readonly limit: number;
  /** Hits that suffice if texts of excluded domains are among the nearest; `limit` by default. */
  readonly enough?: number;
  /** The search returns texts of these domains only; null for all. */
  readonly only: SearchScope["only"];
  readonly excluded: SearchScope["excluded"];
}

/** With `only`, half of the limit suffices: what is missing is farther away than the nearest `2 * limit` of all domains. */
const MIN_SHARE_IN_DOMAINS = 0.5;
/** With `only`, the least hits to ask of all domains; with `excluded`, how many more than `enough`. */
const MIN_HITS_OF_ALL_DOMAINS = 30;

/**
 * Searches all domains for more hits and keeps those of the wanted domains: Chroma collects all texts that fulfil a
 * condition before it searches, so a condition takes longer the more texts fulfil it. If too few are left, it searches
 * with the condition.
 */
export async function searchDenseInDomains(
  vectors: VectorStore,
  collection: string,
  vector: Promise<readonly number[]>,
  { limit, enough = limit, ...scope }: DomainSearch,
): Promise<DenseResult> {
  const filter = scopeFilter(scope);
  if (filter === undefined) return searchDense(vectors, collection, vector, { limit });
  const limitOfAll =
    scope.only === null
      ? Math.max(limit, enough + MIN_HITS_OF_ALL_DOMAINS)
      : Math.max(2 * limit, MIN_HITS_OF_ALL_DOMAINS);
  const all = await searchDense(vectors, collection, vector, { limit: limitOfAll });
  if (all.hits === undefined) return all;
  const hits = all.hits.filter((hit) => isInScope(scope, domainOf(hit)));
  const isEnough = hits.length >= (scope.only === null ? enough : limit * MIN_SHARE_IN_DOMAINS);
  const isAll = all.isAll === true && hits.length <= limit;
  if (all.isAll || isEnough) return { hits: hits.slice(0, limit), isAll, missing: [] };
  return searchDense(vectors, collection, vector, { limit, filter });
}

type Scope = Pick<SearchScope, "only" | "excluded">;

/** The condition on the domain of a document; undefined if every domain is searched. */
export function scopeFilter({ only, excluded }: Scope): Filter | undefined {
  if (only !== null) return { op: "in", field: "domain", values: only };
  return excluded.length === 0 ? undefined : { op: "not_in", field: "domain", values: excluded };
}

/** Whether a document of this domain fulfils `scopeFilter`. */
export function isInScope({ only, excluded }: Scope, domain: string): boolean {
  return only === null ? !excluded.includes(domain) : only.includes(domain);
}
