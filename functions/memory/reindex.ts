// Owns how a collection of the vector store is made anew from Postgres: after the embedding model or the chunking
// changed, or when Chroma lost its data.

import { z } from "zod";
import { OutsideError } from "../stores/outside.ts";
import {
  contentHash,
  documentFromRow,
  documentRowSchema,
  documentText,
  indexMetadata,
  type SearchDocument,
} from "./search-document.ts";
import type { MemoryStores } from "./stores.ts";

const stateSchema = z.array(
  z.object({
    id: z.string(),
    content_hash: z.string(),
    indexed_hash: z.string().nullable(),
    index_fingerprint: z.string().nullable(),
  }),
);

const PAGE = 500;
const BATCH = 16;

/**
 * Embeds every document of the collection with the configured model. The old vectors leave first, since vectors of two
 * models cannot be compared; until it is done, searches find by keywords what is not yet embedded. A run that was killed goes on
 * where it stopped: what already has the right fingerprint is left alone.
 *
 * @returns how many documents were embedded
 * @throws OutsideError
 */
export async function reindexCollection(
  stores: MemoryStores,
  collection: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  await dropIfForeign(stores, collection);
  const ids = await idsToIndex(stores, collection);
  for (let start = 0; start < ids.length; start += BATCH) {
    await indexDocuments(stores, collection, ids.slice(start, start + BATCH));
    onProgress(Math.min(start + BATCH, ids.length), ids.length);
  }
  return ids.length;
}

async function dropIfForeign({ vectors }: MemoryStores, collection: string): Promise<void> {
  try {
    await vectors.initialize(collection);
  } catch (error) {
    if (!(error instanceof OutsideError && error.failure === "model_mismatch")) throw error;
    await vectors.drop(collection);
    await vectors.initialize(collection);
  }
}

async function idsToIndex({ database, vectors }: MemoryStores, collection: string): Promise<string[]> {
  const wanted: string[] = [];
  for (let after = ""; ; ) {
    const reply = await database.call("list_documents", { p_collection: collection, p_after: after, p_limit: PAGE }, 1);
    const page = stateSchema.safeParse(reply);
    if (!page.success) throw new OutsideError("postgres", "invalid_reply", "list_documents returned another shape");
    const present = await vectors.vectors(
      collection,
      page.data.map(({ id }) => id),
    );
    for (const row of page.data) {
      const isCurrent = row.indexed_hash === row.content_hash && row.index_fingerprint === vectors.fingerprint;
      if (!isCurrent || !present.has(row.id)) wanted.push(row.id);
    }
    const last = page.data.at(-1);
    if (!last || page.data.length < PAGE) return wanted;
    after = last.id;
  }
}

async function indexDocuments(stores: MemoryStores, collection: string, ids: readonly string[]): Promise<void> {
  const reply = await stores.database.call("get_documents", { p_collection: collection, p_ids: [...ids] }, 1);
  const rows = z.array(documentRowSchema).safeParse(reply);
  if (!rows.success) throw new OutsideError("postgres", "invalid_reply", "get_documents returned another shape");
  const documents: SearchDocument[] = rows.data.map(documentFromRow);
  const embedded = await stores.embedder.embed(documents.map(documentText));
  const records = documents.flatMap((document, i) => {
    const vector = embedded[i];
    return vector ? [{ id: document.id, vector, text: documentText(document), metadata: indexMetadata(document) }] : [];
  });
  if (records.length > 0) await stores.vectors.store(collection, records);
  const hashes = Object.fromEntries(documents.map((document) => [document.id, contentHash(document)]));
  const args = { p_collection: collection, p_hashes: hashes, p_fingerprint: stores.vectors.fingerprint };
  await stores.database.call("mark_documents_indexed", args, 1);
}
