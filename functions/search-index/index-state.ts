// Owns what is known of a collection's copy in the vector store: which documents it holds, in which state, and the
// writing of more of them.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { parseReply } from "../adapters/rpc-result.ts";
import type { VectorRecord } from "../adapters/vector-store.ts";
import { contentHash, documentText, indexMetadata, type SearchDocument } from "./search-document.ts";
import type { IndexStores } from "./services.ts";

export interface IndexState {
  readonly id: string;
  /** What it was cut from; null for a document that stands alone. */
  readonly source: string | null;
  /** Of the document as it is in Postgres. */
  readonly contentHash: string;
  /** Of the document as the vector store is known to hold it; null before the first write. */
  readonly indexedHash: string | null;
  /** What the stored vector was made with. */
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

/** The states of all documents of a collection by id, a page at a time. @throws DependencyError */
export async function* readIndexStates(database: Database, collection: string): AsyncGenerator<IndexState[]> {
  for (let after = ""; ; ) {
    const reply = await database.call("list_documents", { p_collection: collection, p_after: after, p_limit: PAGE }, 1);
    const page = parseReply(pageSchema, reply, "list_documents");
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

/** Whether the vector store is known to hold this very content, by a vector of this make. */
export function isIndexed(state: IndexState, contentHash: string, fingerprint: string): boolean {
  return state.indexedHash === contentHash && state.fingerprint === fingerprint;
}

/** The record by which the vector store knows a document. */
export function vectorRecord(document: SearchDocument, vector: readonly number[]): VectorRecord {
  return { id: document.id, vector, text: documentText(document), metadata: indexMetadata(document) };
}

/** Copies documents to the vector store and then says so in Postgres. @throws DependencyError */
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
  await database.call("mark_documents_indexed", args, 1);
}
