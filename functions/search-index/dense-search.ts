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
  // Fetches the collection's handle while the query is being embedded: saves a round trip on a cold start.
  const [query, handle] = await Promise.all([settle(vector), settle(vectors.initialize(collection))]);
  const failed = [query, handle].flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  if (!query.ok || failed.length > 0) return { hits: undefined, missing: failed };
  const result = await settle(vectors.search(collection, { vector: query.value, ...search }));
  return result.ok ? { hits: nearestFirst(result.value), missing: [] } : { hits: undefined, missing: [result.error] };
}

/** Sorts hits by distance and removes duplicates by id. */
export function nearestFirst(hits: readonly VectorHit[]): VectorHit[] {
  const sorted = hits.toSorted((a, b) => a.distance - b.distance);
  return [...new Map(sorted.map((hit) => [hit.id, hit])).values()];
}
