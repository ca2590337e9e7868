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
