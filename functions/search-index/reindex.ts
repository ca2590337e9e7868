// Rebuild of a collection in the vector store from Postgres, after a change of the embedding model or the chunking, or
// after a loss of Chroma's data.

import { z } from "zod";
import { IGNORE_RESULT } from "../adapters/database.ts";
import { DependencyError } from "../dependencies.ts";
import { isKeywordSearched } from "./collections.ts";
import { embedDocuments } from "./embed-documents.ts";
import { isIndexed, readIndexStates, writeToIndex } from "./index-state.ts";
import { documentFromRow, documentRow, documentRowSchema } from "./search-document.ts";
import type { IndexStores } from "./search-services.ts";

/** Documents that are embedded together. */
const BATCH = 16;
/** Ids that are read together. */
const PAGE = 200;

/**
 * Embeds every document of the collection with the configured model. Vectors of two models cannot be compared, so it
 * drops the old ones first; until the end, documents without a vector are found by keywords only. An interrupted run
 * continues where it stopped. Documents that change meanwhile are written again afterwards, so the service may be in use.
 *
 * @returns the number of embedded documents
 * @throws DependencyError
 */
export async function reindexCollection(
  stores: IndexStores,
  collection: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  await dropIfOtherModel(stores, collection);
  await removeOrphans(stores, collection);
  const ids = await idsToIndex(stores, collection);
  for (let start = 0; start < ids.length; start += BATCH) {
    await indexDocuments(stores, collection, ids.slice(start, start + BATCH));
    onProgress(Math.min(start + BATCH, ids.length), ids.length);
  }
  return ids.length;
}

async function dropIfOtherModel({ vectors }: IndexStores, collection: string): Promise<void> {
  try {
    await vectors.initialize(collection);
  } catch (error) {
    if (!(error instanceof DependencyError && error.failure === "model_mismatch")) throw error;
    await vectors.drop(collection);
  }
}

/** Deletes records without a row in Postgres: leftovers of deleted documents, or from a backup. */
async function removeOrphans({ database, vectors }: IndexStores, collection: string): Promise<void> {
  for (let offset = 0; ; ) {
    const ids = await vectors.ids(collection, { offset, limit: PAGE });
    if (ids.length === 0) return;
    const rows = await database.call(
      "get_documents",
      { p_collection: collection, p_ids: ids },
      z.array(documentRowSchema),
      { retries: 1 },
    );
    const existingIds = new Set(rows.map(({ id }) => id));
    const orphans = ids.filter((id) => !existingIds.has(id));
    await vectors.delete(collection, orphans);
    // Deleted records shift the following ones to lower offsets.
    offset += ids.length - orphans.length;
  }
}

async function idsToIndex({ database, vectors }: IndexStores, collection: string): Promise<string[]> {
  const staleIds: string[] = [];
  for await (const page of readIndexStates(database, collection)) {
    const present = await vectors.vectors(
      collection,
      page.map(({ id }) => id),
    );
    for (const state of page) {
      const isCurrent = isIndexed(state, state.contentHash, vectors.fingerprint);
      if (!isCurrent || !present.has(state.id)) staleIds.push(state.id);
    }
  }
  return staleIds;
}

async function indexDocuments(stores: IndexStores, collection: string, ids: readonly string[]): Promise<void> {
  const rows = await stores.database.call(
    "get_documents",
    { p_collection: collection, p_ids: [...ids] },
    z.array(documentRowSchema),
    { retries: 1 },
  );
  const documents = rows.map(documentFromRow);
  // The fingerprint covers the tokenizer, so the terms of the keyword index are rewritten too.
  const options = { isKeywordSearched: isKeywordSearched(collection) };
  const rewritten = {
    p_collection: collection,
    p_documents: documents.map((document, i) => ({
      ...documentRow(document, options),
      // The form of the hash may have changed since the row was written.
      read_hash: rows[i]?.content_hash,
    })),
  };
  await stores.database.call("rewrite_terms", rewritten, IGNORE_RESULT, { retries: 1 });
  const vectors = await embedDocuments(stores, documents);
  await writeToIndex(
    stores,
    collection,
    documents.map((document, i) => ({ document, vector: vectors[i] ?? [] })),
  );
}
