// Rebuilds the vector store from Postgres, collection by collection.

import type { Environment } from "../functions/config.ts";
import { COLLECTIONS } from "../functions/search-index/collections.ts";
import { reindexCollection } from "../functions/search-index/reindex.ts";
import { createServices } from "../functions/services.ts";
import { SLOW_WORK } from "./slow-work.ts";

/** Rebuilds collections; a stopped run can be resumed. @returns the number of embedded documents @throws DependencyError */
export async function reindexAll(
  environment: Environment,
  onProgress: (done: number, total: number, collection: string) => void,
  collections: readonly string[] = COLLECTIONS,
): Promise<number> {
  const services = createServices(environment, { internals: SLOW_WORK });
  let embedded = 0;
  for (const collection of collections) {
    embedded += await reindexCollection(services.background, collection, (done, total) =>
      onProgress(done, total, collection),
    );
  }
  return embedded;
}
