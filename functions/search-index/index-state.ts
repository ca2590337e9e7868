// Index state of documents: the version of each document in the vector store, as Postgres records it. Also writes
// documents to the vector store.

import { z } from "zod";
import { firstBytes } from "../../lib/text/text-weight.ts";
import { type Database, IGNORE_RESULT } from "../adapters/database.ts";
import { STORE_LIMITS, type VectorRecord } from "../adapters/vector-store.ts";
import { contentHash, indexMetadata, type SearchDocument, storedText } from "./search-document.ts";
import type { IndexStores } from "./search-services.ts";

/** State of one document. */
export interface IndexState {
  readonly id: string;
  /** Name of the text that the document is a chunk of; null for a document that is no chunk. */
  readonly source: string | null;
  /** Hash of the document in Postgres. */
  readonly contentHash: string;
  /** Hash of the document in the vector store; null before the first write. */
  readonly indexedHash: string | null;
  /** Fingerprint of the embedding model, chunking and tokenizer at the last write; null before the first write. */
  readonly fingerprint: string | null;
}

const statesSchema = z.array(
  z
    .object({
      id: z.string(),
      source: z.string().nullable(),
      content_hash: z.string(),
      indexed_hash: z.string().nullable(),
      index_fingerprint: z.string().nullable(),
    })
    .transform(
      (row): IndexState => ({
        id: row.id,
        source: row.source,
        contentHash: row.content_hash,
        indexedHash: row.indexed_hash,
        fingerprint: row.index_fingerprint,
      }),
    ),
);

const PAGE_SIZE = 500;

/** Reads the states of all documents of a collection from Postgres, in pages, ordered by id. @throws DependencyError */
export async function* readIndexStates(database: Database, collection: string): AsyncGenerator<IndexState[]> {
  for (let after = ""; ; ) {
    const page = await database.call(
      "list_documents",
      { p_collection: collection, p_after: after, p_limit: PAGE_SIZE },
      statesSchema,
      { retries: 1 },
    );
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    after = last.id;
  }
}

/** Sources whose chunks are read in one request: 100 long runbooks have a few thousand. */
const TEXTS_PER_REQUEST = 100;

/** Reads the states of the chunks of these sources. @throws DependencyError */
export async function readTextStates(
  database: Database,
  collection: string,
  sources: readonly string[],
): Promise<IndexState[]> {
  const states: IndexState[] = [];
  for (let start = 0; start < sources.length; start += TEXTS_PER_REQUEST) {
    const args = { p_collection: collection, p_sources: sources.slice(start, start + TEXTS_PER_REQUEST) };
    states.push(...(await database.call("list_source_documents", args, statesSchema, { retries: 1 })));
  }
  return states;
}

/**
 * Returns whether the vector store holds this content with this index fingerprint, according to Postgres.
 * @param fingerprint of the current configuration
 */
export function isIndexed(state: IndexState, contentHash: string, fingerprint: string): boolean {
  return state.indexedHash === contentHash && state.fingerprint === fingerprint;
}

/** Builds the vector store record of a document. It has the beginning of a text that is too long for a store: Postgres has the whole. */
export function vectorRecord(document: SearchDocument, vector: readonly number[]): VectorRecord {
  const { textBytes, valueBytes } = STORE_LIMITS;
  const metadata = Object.entries(indexMetadata(document)).map(([field, value]) => [
    field,
    typeof value === "string" ? firstBytes(value, valueBytes) : value,
  ]);
  const text = firstBytes(storedText(document), textBytes);
  return { id: document.id, vector, text, metadata: Object.fromEntries(metadata) };
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
