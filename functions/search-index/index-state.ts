// State of a collection in the vector store: which documents it holds and in which version; writing of more documents.

import { z } from "zod";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import type { VectorRecord } from "../adapters/vector-store.ts";
import { contentHash, documentText, indexMetadata, type SearchDocument } from "./search-document.ts";
import type { IndexStores } from "./services.ts";

export interface IndexState {
  readonly id: string;
  /** The file that holds the chunk; null for a document without a file. */
  readonly source: string | null;
  /** Hash of the document in Postgres. */
  readonly contentHash: string;
  /** Hash of the document in the vector store; null before the first write. */
  readonly indexedHash: string | null;
  /** Index fingerprint of the stored vector: embedding model, chunking and tokenizer. */
  readonly fingerprint: string | null;
}

const pageSchema = z.array(
  z.object({
    id: z.string(),
    source: z.string().nullable(),
    content_hash: z.string(),
    indexed_hash: z.string().nullable(),
    index_fingerprint: z.string().nullable(),
  }),
);

const PAGE = 500;

/** Yields the states of all documents of a collection, ordered by id, in pages. @throws DependencyError */
export async function* readIndexStates(database: Database, collection: string): AsyncGenerator<IndexState[]> {
  for (let after = ""; ; ) {
    const page = await database.call(
      "list_documents",
      { p_collection: collection, p_after: after, p_limit: PAGE },
      pageSchema,
      { retries: 1 },
    );
    yield page.map((row) => ({
      id: row.id,
      source: row.source,
      contentHash: row.content_hash,
      indexedHash: row.indexed_hash,
      fingerprint: row.index_fingerprint,
    }));
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}

/** Whether the vector store holds this content with this index fingerprint, according to Postgres. */
export function isIndexed(state: IndexState, contentHash: string, fingerprint: string): boolean {
  return state.indexedHash === contentHash && state.fingerprint === fingerprint;
}

/** Returns the record of a document in the vector store. */
export function vectorRecord(document: SearchDocument, vector: readonly number[]): VectorRecord {
  return { id: document.id, vector, text: documentText(document), metadata: indexMetadata(document) };
}

/** Copies documents to the vector store and marks them as indexed in Postgres. @throws DependencyError */
export async function writeToIndex(
  { database, vectors }: IndexStores,
  collection: string,
  entries: readonly { readonly document: SearchDocument; readonly vector: readonly number[] }[],
): Promise<void> {
  if (entries.length === 0) return;
  await vectors.store(
    collection,
    entries.map(({ document, vector }) => vectorRecord(document, vector)),
  );
  const hashes = Object.fromEntries(entries.map(({ document }) => [document.id, contentHash(document)]));
  const args = { p_collection: collection, p_hashes: hashes, p_fingerprint: vectors.fingerprint };
  await database.call("mark_documents_indexed", args, IGNORE_RESULT, { retries: 1 });
}
