// Owns how a collection of the vector store is made anew from Postgres: after the embedding model or the chunking
// changed, or when Chroma lost its data.

import { z } from "zod";
import { parseReply } from "../adapters/rpc-result.ts";
import { DependencyError } from "../dependencies.ts";
import { isKeywordSearched } from "./collections.ts";
import { isIndexed, readIndexStates, writeToIndex } from "./index-state.ts";
import { documentFromRow, documentRow, documentRowSchema, documentText } from "./search-document.ts";
import type { IndexStores } from "./services.ts";

const BATCH = 16;
/** Records that are looked through at once. */
const PAGE = 200;

/**
 * Embeds every document of the collection with the configured model. Vectors of two models cannot be compared, so the
 * old ones leave first; until the end, what is not yet embedded is found by keywords alone. A run that was killed goes
 * on where it stopped. What changes while it runs is written anew afterwards, so it may run while serving.
 *
 * @returns how many documents were embedded
 * @throws DependencyError
 */
export async function reindexCollection(
  stores: IndexStores,
  collection: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  await dropIfForeign(stores, collection);
  await removeOrphans(stores, collection);
  const ids = await idsToIndex(stores, collection);
  for (let start = 0; start < ids.length; start += BATCH) {
    await indexDocuments(stores, collection, ids.slice(start, start + BATCH));
    onProgress(Math.min(start + BATCH, ids.length), ids.length);
  }
  return ids.length;
}

async function dropIfForeign({ vectors }: IndexStores, collection: string): Promise<void> {
  try {
    await vectors.initialize(collection);
  } catch (error) {
    if (!(error instanceof DependencyError && error.failure === "model_mismatch")) throw error;
    await vectors.drop(collection);
    await vectors.initialize(collection);
  }
}

/** Records that no row stands for: from before a document was removed, or out of a backup. */
async function removeOrphans({ database, vectors }: IndexStores, collection: string): Promise<void> {
  for (let offset = 0; ; ) {
    const ids = await vectors.ids(collection, { offset, limit: PAGE });
    if (ids.length === 0) return;
    const reply = await database.call("get_documents", { p_collection: collection, p_ids: ids }, 1);
    const known = new Set(parseReply(z.array(documentRowSchema), reply, "get_documents").map(({ id }) => id));
    const orphans = ids.filter((id) => !known.has(id));
    await vectors.delete(collection, orphans);
    // What is gone has moved the rest up.
    offset += ids.length - orphans.length;
  }
}

async function idsToIndex({ database, vectors }: IndexStores, collection: string): Promise<string[]> {
  const wanted: string[] = [];
  for await (const page of readIndexStates(database, collection)) {
    const present = await vectors.vectors(
      collection,
      page.map(({ id }) => id),
    );
    for (const state of page) {
      const isCurrent = isIndexed(state, state.contentHash, vectors.fingerprint);
      if (!isCurrent || !present.has(state.id)) wanted.push(state.id);
    }
  }
  return wanted;
}

async function indexDocuments(stores: IndexStores, collection: string, ids: readonly string[]): Promise<void> {
  const reply = await stores.database.call("get_documents", { p_collection: collection, p_ids: [...ids] }, 1);
  const documents = parseReply(z.array(documentRowSchema), reply, "get_documents").map(documentFromRow);
  // The terms of the keyword index are of the same make as the vectors: they are remade too.
  const options = { isKeywordSearched: isKeywordSearched(collection) };
  const rewritten = { p_collection: collection, p_documents: documents.map((each) => documentRow(each, options)) };
  await stores.database.call("rewrite_terms", rewritten, 1);
  const vectors = await stores.embedder.embed(documents.map(documentText));
  await writeToIndex(
    stores,
    collection,
    documents.map((document, i) => ({ document, vector: vectors[i] ?? [] })),
  );
}
