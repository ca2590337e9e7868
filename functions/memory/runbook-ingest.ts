// Owns how runbooks come into both stores: only what changed is embedded, what is gone leaves. Postgres is written
// first and marked last, so a run that is killed anywhere is finished by the next one.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { DomainName } from "../domains/domain.ts";
import { type ChunkOptions, chunkMarkdown } from "../retrieval/chunk.ts";
import { OutsideError } from "../stores/outside.ts";
import type { Metadata } from "../stores/vector-store.ts";
import { runbookCollection } from "./runbooks.ts";
import {
  contentHash,
  documentRow,
  documentText,
  indexMetadata,
  type SearchDocument,
  textHash,
} from "./search-document.ts";
import type { MemoryStores } from "./stores.ts";

export interface Runbook {
  /** Names the runbook for ever: its chunks' ids are made from it. */
  readonly source: string;
  readonly markdown: string;
  readonly metadata: Metadata;
}

export interface SyncOptions {
  readonly chunking: ChunkOptions;
  readonly now: Date;
  /** Called after each batch. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SyncReport {
  /** Chunks whose vectors were made by the embedding model in this run. */
  readonly embedded: number;
  /** Chunks of the same text in another place or with other metadata: written anew with the vector that they had. */
  readonly moved: number;
  readonly unchanged: number;
  readonly removed: number;
}

interface StoredState {
  readonly contentHash: string;
  readonly indexedHash: string | null;
  readonly fingerprint: string | null;
}

const stateSchema = z.array(
  z.object({
    id: z.string(),
    content_hash: z.string(),
    indexed_hash: z.string().nullable(),
    index_fingerprint: z.string().nullable(),
  }),
);

const STATE_PAGE = 1_000;
/** Chunks embedded and written at a time: small enough for a time-out, large enough to be quick. */
const WRITE_BATCH = 16;

/**
 * Makes a domain's collection equal to these runbooks: the whole set, so a runbook that is missing here is removed.
 * @throws OutsideError; what was done until then stays done
 */
export async function syncRunbooks(
  stores: MemoryStores,
  domain: DomainName,
  runbooks: readonly Runbook[],
  options: SyncOptions,
): Promise<SyncReport> {
  const collection = runbookCollection(domain);
  await stores.vectors.initialize(collection);
  const wanted = runbooks.flatMap((runbook) => runbookDocuments(runbook, options));
  const stored = await readState(stores, collection);
  const vectors = await stores.vectors.vectors(
    collection,
    wanted.map((document) => document.id).filter((id) => stored.has(id)),
  );

  const upToDate = (document: SearchDocument) => {
    const state = stored.get(document.id);
    const hash = contentHash(document);
    const isIndexed = state?.indexedHash === hash && state.fingerprint === stores.vectors.fingerprint;
    return state?.contentHash === hash && isIndexed && vectors.has(document.id);
  };
  const changed = wanted.filter((document) => !upToDate(document));
  const known = knownVectors(stores, stored, vectors);

  let embedded = 0;
  for (let start = 0; start < changed.length; start += WRITE_BATCH) {
    const batch = changed.slice(start, start + WRITE_BATCH);
    embedded += await writeDocuments(stores, collection, batch, known);
    options.onProgress?.(Math.min(start + WRITE_BATCH, changed.length), changed.length);
  }

  const kept = new Set(wanted.map((document) => document.id));
  const stale = [...stored.keys()].filter((id) => !kept.has(id));
  if (stale.length > 0) {
    // The index first: if it fails, the rows stay and the next run knows what to remove.
    await stores.vectors.delete(collection, stale);
    await stores.database.call("delete_documents", { p_collection: collection, p_ids: stale }, 1);
  }
  return {
    embedded,
    moved: changed.length - embedded,
    unchanged: wanted.length - changed.length,
    removed: stale.length,
  };
}

/** First 16 hex digits of sha256("{source}::{index}"). */
export function chunkId(source: string, index: number): string {
  return createHash("sha256").update(`${source}::${index}`).digest("hex").slice(0, 16);
}

function runbookDocuments(runbook: Runbook, { chunking, now }: SyncOptions): SearchDocument[] {
  const fallbackTitle = runbook.source.replace(/^.*\//, "").replace(/\.md$/, "");
  return chunkMarkdown(runbook.markdown, fallbackTitle, chunking).map((chunk) => ({
    id: chunkId(runbook.source, chunk.index),
    source: runbook.source,
    chunkIndex: chunk.index,
    title: chunk.title,
    headingPath: chunk.headingPath,
    body: chunk.body,
    metadata: { ...runbook.metadata, kind: "runbook" },
    writtenAt: now,
  }));
}

async function readState({ database }: MemoryStores, collection: string): Promise<Map<string, StoredState>> {
  const states = new Map<string, StoredState>();
  for (let after = ""; ; ) {
    const page = stateSchema.safeParse(
      await database.call("list_documents", { p_collection: collection, p_after: after, p_limit: STATE_PAGE }, 1),
    );
    if (!page.success) throw new OutsideError("postgres", "invalid_reply", "list_documents returned another shape");
    for (const row of page.data) {
      states.set(row.id, {
        contentHash: row.content_hash,
        indexedHash: row.indexed_hash,
        fingerprint: row.index_fingerprint,
      });
    }
    const last = page.data.at(-1);
    if (!last || page.data.length < STATE_PAGE) return states;
    after = last.id;
  }
}

type VectorsByHash = Map<string, readonly number[]>;

/** Vectors by the hash of their text: a chunk that only moved, or got another label, needs no new one. */
function knownVectors(
  { vectors: { fingerprint } }: MemoryStores,
  stored: ReadonlyMap<string, StoredState>,
  vectors: ReadonlyMap<string, readonly number[]>,
): VectorsByHash {
  const known: VectorsByHash = new Map();
  for (const [id, vector] of vectors) {
    const state = stored.get(id);
    if (state?.indexedHash && state.fingerprint === fingerprint) known.set(textHash(state.indexedHash), vector);
  }
  return known;
}

/** @returns how many of the documents had to be embedded */
async function writeDocuments(
  stores: MemoryStores,
  collection: string,
  documents: readonly SearchDocument[],
  known: VectorsByHash,
): Promise<number> {
  const vectorKey = (document: SearchDocument) => textHash(contentHash(document));
  const unknown = documents.filter((document) => !known.has(vectorKey(document)));
  const embedded = await stores.embedder.embed(unknown.map(documentText));
  unknown.forEach((document, i) => {
    const vector = embedded[i];
    if (vector) known.set(vectorKey(document), vector);
  });
  await stores.database.call(
    "upsert_documents",
    { p_collection: collection, p_documents: documents.map(documentRow) },
    1,
  );
  await stores.vectors.store(
    collection,
    documents.map((document) => ({
      id: document.id,
      vector: known.get(vectorKey(document)) ?? [],
      text: documentText(document),
      metadata: indexMetadata(document),
    })),
  );
  const hashes = Object.fromEntries(documents.map((document) => [document.id, contentHash(document)]));
  await stores.database.call(
    "mark_documents_indexed",
    { p_collection: collection, p_hashes: hashes, p_fingerprint: stores.vectors.fingerprint },
    1,
  );
  return unknown.length;
}
