// Owns one search by meaning over one collection: several questions to it at once, any of the systems may be missing.

import type { Filter, VectorHit, VectorStore } from "../adapters/vector-store.ts";
import { DependencyError } from "../dependencies.ts";

export interface DenseSearch {
  readonly limit: number;
  readonly filter?: Filter;
}

export interface DenseResult {
  /** Each once, nearest first; undefined where the search could not be made. */
  readonly hits: readonly VectorHit[] | undefined;
  /** Every system that failed, not only the first. */
  readonly missing: readonly DependencyError[];
}

/** @param vector of the query; may be in the making */
export async function searchDense(
  vectors: VectorStore,
  collection: string,
  vector: Promise<readonly number[]>,
  searches: readonly DenseSearch[],
): Promise<DenseResult> {
  // The collection's handle is fetched while the query is being embedded: on a cold start that saves a round trip.
  const [query, handle] = await Promise.all([settle(vector), settle(vectors.initialize(collection))]);
  const failed = [query, handle].flatMap((outcome) => (outcome.ok ? [] : [outcome.error]));
  if (!query.ok || failed.length > 0) return { hits: undefined, missing: failed };
  const found = await settle(
    Promise.all(searches.map((search) => vectors.search(collection, { vector: query.value, ...search }))),
  );
  if (!found.ok) return { hits: undefined, missing: [found.error] };
  return { hits: nearestFirst(found.value.flat()), missing: [] };
}

/** Each hit once. */
export function nearestFirst(hits: readonly VectorHit[]): VectorHit[] {
  const sorted = hits.toSorted((a, b) => a.distance - b.distance);
  return [...new Map(sorted.map((hit) => [hit.id, hit])).values()];
}

export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: DependencyError };

/** Expected failures become values; a bug stays an exception. */
export async function settle<T>(work: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (error instanceof DependencyError) return { ok: false, error };
    throw error;
  }
}
