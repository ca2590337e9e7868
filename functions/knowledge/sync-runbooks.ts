// Loads a folder's texts, runbooks above all, into both stores. Embeds changed chunks only, deletes sections that a runbook no longer
// has, and leaves other runbooks alone. Postgres is written first and marked last, so the next run finishes a killed
// one.

import { type ChunkOptions, chunkMarkdown } from "../../lib/markdown/chunk-markdown.ts";
import type { Redact } from "../../lib/redaction/redact.ts";
import { IGNORE_RESULT } from "../adapters/database.ts";
import type { Metadata } from "../adapters/vector-store.ts";
import type { DocumentType } from "../schemas/text-kind.ts";
import { type IndexState, isIndexed, readTextStates, writeToIndex } from "../search-index/index-state.ts";
import {
  contentHash,
  documentRow,
  documentText,
  type SearchDocument,
  textHash,
} from "../search-index/search-document.ts";
import type { IndexStores } from "../search-index/search-services.ts";
import { documentsOf, fallbackTitle, MAX_CHUNKS, textDocuments } from "./text-documents.ts";
import {
  type FolderEntry,
  type FolderOrigin,
  recordFolderTexts,
  type TextOrigin,
  textOrigins,
} from "./text-records.ts";

/** A text of a folder: a runbook, unless it has a kind. */
export interface FolderText {
  /** The permanent name of the text: the ids of its chunks are derived from it. */
  readonly source: string;
  readonly markdown: string;
  readonly metadata: Metadata;
  readonly kind?: DocumentType;
  /** Date or time of a note, a log or a postmortem, ISO 8601: its age counts from here. */
  readonly date?: string;
}

export interface SyncOptions {
  /** Of two texts with one name, the origin that is listed first wins: api, folder, built_in. */
  readonly origin: FolderOrigin;
  readonly redact: Redact;
  readonly chunking: ChunkOptions;
  readonly now: Date;
  /** Called after each batch. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface SyncReport {
  /** Chunks that the embedding model embedded in this run. */
  readonly embedded: number;
  /** Chunks with unchanged text and a new position or new metadata: written again with their vectors. */
  readonly moved: number;
  readonly unchanged: number;
  /** Deleted chunks, which the runbooks no longer have. */
  readonly removed: number;
  /** Runbooks that were skipped because a stored text of the same name wins; missing when there are none. */
  readonly skipped?: readonly SkippedRunbook[];
}

export interface SkippedRunbook {
  readonly source: string;
  /** The origin of the stored text. */
  readonly origin: TextOrigin;
  /** Missing for a runbook. */
  readonly kind?: DocumentType;
}

/** A text makes too many chunks. The message names it. */
export class TooManyChunks extends Error {
  override readonly name = "TooManyChunks";
}

const COLLECTION = "runbooks";

/** Chunks in one batch: small enough for the timeout; large enough, since each write has a fixed cost in both stores. */
const WRITE_BATCH = 100;

/**
 * Adds these runbooks to a domain and updates stored ones. Other runbooks stay as they are.
 * @throws DependencyError; completed batches stay
 * @throws TooManyChunks; nothing is written
 */
export async function syncRunbooks(
  stores: IndexStores,
  domain: string,
  runbooks: readonly FolderText[],
  options: SyncOptions,
): Promise<SyncReport> {
  await stores.vectors.initialize(COLLECTION);
  const skipped = await findSkipped(stores, runbooks, options.origin);
  const skippedSources = new Set(skipped.map(({ source }) => source));
  const chunked = runbooks
    .filter(({ source }) => !skippedSources.has(source))
    .map((runbook) => ({ runbook, documents: runbookDocuments(domain, runbook, options) }));
  for (const { runbook, documents } of chunked) requireFewChunks(runbook.source, documents.length);
  const wanted = chunked.flatMap(({ documents }) => documents);
  // Recorded before their chunks, so that --prune finds everything that an interrupted run wrote.
  await recordFolderTexts(stores.database, {
    domain,
    origin: options.origin,
    sources: chunked.map(folderEntry),
    now: options.now,
  });
  const states = await readTextStates(
    stores.database,
    COLLECTION,
    chunked.map(({ runbook }) => runbook.source),
  );
  const stored = new Map(states.map((state) => [state.id, state]));
  const vectors = await stores.vectors.vectors(
    COLLECTION,
    wanted.map((document) => document.id).filter((id) => stored.has(id)),
  );

  const upToDate = (document: SearchDocument) => {
    const state = stored.get(document.id);
    const hash = contentHash(document);
    const isCurrent = state?.contentHash === hash && isIndexed(state, hash, stores.vectors.fingerprint);
    return isCurrent && vectors.has(document.id);
  };
  const changed = wanted.filter((document) => !upToDate(document));
  const vectorsByHash = vectorsByTextHash(stores, stored, vectors);

  let embedded = 0;
  for (let start = 0; start < changed.length; start += WRITE_BATCH) {
    const batch = changed.slice(start, start + WRITE_BATCH);
    embedded += await writeDocuments(stores, batch, vectorsByHash);
    options.onProgress?.(Math.min(start + WRITE_BATCH, changed.length), changed.length);
  }

  const current = new Set(wanted.map((document) => document.id));
  const stale = [...stored.keys()].filter((id) => !current.has(id));
  await deleteChunks(stores, stale);
  return {
    ...(skipped.length > 0 ? { skipped } : {}),
    embedded,
    moved: changed.length - embedded,
    unchanged: wanted.length - changed.length,
    removed: stale.length,
  };
}

/** The index first: if it fails, the rows stay, and the next run finds them. */
async function deleteChunks({ vectors, database }: IndexStores, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await vectors.delete(COLLECTION, ids);
  await database.call("delete_documents", { p_collection: COLLECTION, p_ids: [...ids] }, IGNORE_RESULT, { retries: 1 });
}

async function findSkipped(
  { database }: IndexStores,
  runbooks: readonly FolderText[],
  ours: FolderOrigin,
): Promise<SkippedRunbook[]> {
  const origins = await textOrigins(
    database,
    runbooks.map(({ source }) => source),
  );
  const kinds = new Map(runbooks.map(({ source, kind }) => [source, kind]));
  return [...origins]
    .filter(([, origin]) => origin === "api" || (origin === "folder" && ours === "built_in"))
    .map(([source, origin]) => {
      const kind = kinds.get(source);
      return { source, origin, ...(kind === undefined ? {} : { kind }) };
    });
}

/** @throws TooManyChunks, before any runbook is written */
function requireFewChunks(source: string, chunks: number): void {
  if (chunks > MAX_CHUNKS)
    throw new TooManyChunks(
      `${source} makes ${chunks} chunks; the limit is ${MAX_CHUNKS}. Join its short sections, or split it.`,
    );
}

/** The chunks of a text as they are stored. */
function runbookDocuments(
  domain: string,
  runbook: FolderText,
  { redact, chunking, now, origin }: Pick<SyncOptions, "redact" | "chunking" | "now" | "origin">,
): SearchDocument[] {
  const { kind, source, markdown: text, date } = runbook;
  if (kind !== undefined)
    return [
      ...textDocuments({ source, domain, kind, text, date, tags: tagsOf(runbook) }, { redact, chunking, now })
        .documents,
    ];
  // Scrubs before chunking: a secret on the edge of two chunks would be whole in neither.
  const chunks = chunkMarkdown(redact(runbook.markdown).text, fallbackTitle(runbook.source), chunking);
  return documentsOf(
    runbook.source,
    chunks,
    { ...runbook.metadata, ...(origin === "built_in" ? { built_in: true } : {}), kind: "runbook", domain },
    now,
  );
}

function folderEntry({
  runbook,
  documents,
}: {
  readonly runbook: FolderText;
  readonly documents: readonly SearchDocument[];
}): FolderEntry {
  const { source, markdown, kind = "runbook" } = runbook;
  return {
    source,
    kind,
    title: documents[0]?.title ?? fallbackTitle(source),
    tags: tagsOf(runbook),
    bytes: new TextEncoder().encode(markdown).byteLength,
    chunks: documents.length,
  };
}

function tagsOf({ metadata }: FolderText): string[] {
  return typeof metadata.tags === "string" ? metadata.tags.split(",") : [];
}

type VectorsByHash = Map<string, readonly number[]>;

/** Vectors by the hash of their text: a chunk that was moved or relabelled needs no new vector. */
function vectorsByTextHash(
  { vectors: { fingerprint } }: IndexStores,
  stored: ReadonlyMap<string, IndexState>,
  vectors: ReadonlyMap<string, readonly number[]>,
): VectorsByHash {
  const vectorsByHash: VectorsByHash = new Map();
  for (const [id, vector] of vectors) {
    const state = stored.get(id);
    if (state?.indexedHash && state.fingerprint === fingerprint) vectorsByHash.set(textHash(state.indexedHash), vector);
  }
  return vectorsByHash;
}

/** @returns the number of embedded documents */
async function writeDocuments(
  stores: IndexStores,
  documents: readonly SearchDocument[],
  vectorsByHash: VectorsByHash,
): Promise<number> {
  const entries = documents.map((document) => {
    const row = documentRow(document);
    return { document, row, vectorKey: textHash(row.content_hash) };
  });
  const toEmbed = entries.filter(({ vectorKey }) => !vectorsByHash.has(vectorKey));
  const embedded = await stores.embedder.embed(
    toEmbed.map(({ document }) => documentText(document)),
    "document",
  );
  toEmbed.forEach(({ vectorKey }, i) => {
    const vector = embedded[i];
    if (vector) vectorsByHash.set(vectorKey, vector);
  });
  await stores.database.call(
    "upsert_documents",
    { p_collection: COLLECTION, p_documents: entries.map(({ row }) => row) },
    IGNORE_RESULT,
    { retries: 1 },
  );
  await writeToIndex(
    stores,
    COLLECTION,
    entries.map(({ document, vectorKey }) => ({ document, vector: vectorsByHash.get(vectorKey) ?? [] })),
  );
  return toEmbed.length;
}
