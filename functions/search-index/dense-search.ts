// Vector search over one collection; failures of dependencies are part of the result.

import type { Filter, VectorHit, VectorStore } from "../adapters/vector-store.ts";
import { type DependencyError, settle } from "../dependencies.ts";

export interface DenseSearch {
  readonly limit: number;
  readonly filter?: Filter;
}

export interface DenseResult {
  /** Distinct hits, nearest first; undefined when the search failed. */
  readonly hits: readonly VectorHit[] | undefined;
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
  // Gets the collection ready while the query is being embedded: saves a round trip on a cold start.
  const [query, existing] = await Promise.all([settle(vector), settle(vectors.initialize(collection))]);
  const failed = [query, existing].flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  if (!query.ok || !existing.ok) return { hits: undefined, missing: failed };
  if (!existing.value) return { hits: [], missing: [] };
  const result = await settle(vectors.search(collection, { vector: query.value, ...search }));
  return result.ok ? { hits: nearestFirst(result.value), missing: [] } : { hits: undefined, missing: [result.error] };
}

/** Sorts hits by distance and removes duplicates by id. */
export function nearestFirst(hits: readonly VectorHit[]): VectorHit[] {
  const sorted = hits.toSorted((a, b) => a.distance - b.distance);
  return [...new Map(sorted.map((hit) => [hit.id, hit])).values()];
}

export interface DomainSearch {
  readonly limit: number;
  readonly domains: readonly string[];
}

/** Share of the limit that suffices: all others in these domains are further away than twice the limit of texts. */
const MIN_SHARE_IN_DOMAINS = 0.5;
const MIN_HITS_OF_ALL_DOMAINS = 30;

/**
 * Searches all domains for more hits and keeps those of these domains: Chroma collects all texts that fulfil a condition
 * before it searches, so a condition takes longer the more texts a domain has. If too few are left, it searches with the
 * condition.
 */
export async function searchDenseInDomains(
  vectors: VectorStore,
  collection: string,
  vector: Promise<readonly number[]>,
  { limit, domains }: DomainSearch,
): Promise<DenseResult> {
  const limitOfAll = Math.max(2 * limit, MIN_HITS_OF_ALL_DOMAINS);
  const all = await searchDense(vectors, collection, vector, { limit: limitOfAll });
  if (all.hits === undefined) return all;
  const hits = all.hits.filter(({ metadata: { domain } }) => typeof domain === "string" && domains.includes(domain));
  if (all.hits.length < limitOfAll || hits.length >= limit * MIN_SHARE_IN_DOMAINS)
    return { hits: hits.slice(0, limit), missing: [] };
  return searchDense(vectors, collection, vector, { limit, filter: inDomains(domains) });
}

/** A condition on the domain of a document. */
export function inDomains(domains: readonly string[]): Filter {
  return { op: "in", field: "domain", values: domains };
}
