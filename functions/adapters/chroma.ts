// Vector store: Chroma. The only file that knows Chroma's client, filter syntax and limits.

import { createHash } from "node:crypto";
import {
  ChromaClient,
  type ChromaClientArgs,
  ChromaConnectionError,
  ChromaForbiddenError,
  ChromaNotFoundError,
  ChromaRateLimitError,
  ChromaServerError,
  ChromaUnauthorizedError,
  type Collection,
  type Where,
} from "chromadb";
import { z } from "zod";
import { callDependency, DependencyError } from "../dependencies.ts";
import {
  type Filter,
  type FindQuery,
  type Metadata,
  type MetadataValue,
  relevanceOfCosineDistance,
  type StoredText,
  type VectorHit,
  type VectorQuery,
  type VectorRecord,
  type VectorStore,
} from "./vector-store.ts";

export interface ChromaOptions {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly tenant: string;
  readonly database: string;
  readonly timeoutMs: number;
  readonly fingerprint: string;
  /** Shared by stores of the same server that differ only in their timeout. */
  readonly cache?: ChromaCache;
}

/** What an isolate caches between requests; each saves a round trip. */
export interface ChromaCache {
  readonly collectionIds: Map<string, string>;
  /** A request for the ids of all collections, while it is under way. */
  listing?: Promise<void> | undefined;
}

export function createChromaCache(): ChromaCache {
  return { collectionIds: new Map() };
}

/** Records in one request: one slow batch must not use up the whole timeout. Every server accepts so many. */
const MAX_BATCH = 100;

// The client requests the server's limits before its first write. It lives for one call here, because its abort signal is
// fixed at construction, so it would ask each time: the batches above are within every server's limits.
class CallClient extends ChromaClient {
  constructor(args: ChromaClientArgs) {
    super(args);
    this.preflightChecks = { max_batch_size: MAX_BATCH, supports_base64_encoding: false };
  }
}

const metadataSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
/** Collections whose ids are read in one request; Dejavu has six. */
const LISTED_COLLECTIONS = 100;

/** For some 50 ms after the first write to a collection, a server fails to find the index that it is building. */
const SEARCH_RETRIES = 3;

export function createChromaStore(options: ChromaOptions): VectorStore {
  const { cache = createChromaCache() } = options;
  const connection = createConnection(options, cache);
  const { call, openCollection } = connection;
  return {
    fingerprint: options.fingerprint,
    ...createReads(connection),
    ...createWrites(connection),

    initialize: (name) => call(1, async (client) => void (await openCollection(client, name))),

    drop: (name) =>
      call(1, async (client) => {
        cache.collectionIds.delete(name);
        try {
          await client.deleteCollection({ name });
        } catch (error) {
          if (!(error instanceof ChromaNotFoundError)) throw error;
        }
      }),

    collections: () =>
      call(1, async (client) => {
        const names: string[] = [];
        for (;;) {
          const page = await client.listCollections({ limit: LISTED_COLLECTIONS, offset: names.length });
          names.push(...page.map(({ name }) => name));
          if (page.length < LISTED_COLLECTIONS) return names;
        }
      }),

    version: () => call(0, (client) => client.version()),
  };
}

interface Connection {
  /** Runs one call with a client of its own. */
  readonly call: <T>(retries: number, work: (client: CallClient) => Promise<T>) => Promise<T>;
  readonly openCollection: (client: CallClient, name: string) => Promise<Collection>;
  /** Works on a collection. A cached id that the server no longer knows is dropped, and the collection opened again once. */
  readonly onCollection: <T>(
    name: string,
    work: (collection: Collection) => Promise<T>,
    retries?: number,
  ) => Promise<T>;
}

function createConnection(options: ChromaOptions, cache: ChromaCache): Connection {
  const server = new URL(options.url);
  const ssl = server.protocol === "https:";
  const client = (signal: AbortSignal) =>
    new CallClient({
      host: server.hostname,
      port: Number(server.port || (ssl ? 443 : 80)),
      ssl,
      tenant: options.tenant,
      database: options.database,
      fetchOptions: { signal },
      ...(options.apiKey ? { headers: { "x-chroma-token": options.apiKey } } : {}),
    });

  const call: Connection["call"] = (retries, work) =>
    callDependency({ dependency: "vector_store", timeoutMs: options.timeoutMs, retries }, async (signal) => {
      const callClient = client(signal);
      try {
        return await work(callClient);
      } catch (error) {
        throw toDependencyError(error, signal);
      }
    });

  const cacheIds = async (callClient: CallClient) => {
    const listed = await callClient.listCollections({ limit: LISTED_COLLECTIONS });
    for (const { name, id, metadata } of listed) {
      if (metadata?.fingerprint === options.fingerprint) cache.collectionIds.set(name, id);
    }
  };
  const listOnce = async (callClient: CallClient) => {
    cache.listing ??= cacheIds(callClient).finally(() => {
      cache.listing = undefined;
    });
    // Without the list, each collection is opened by its name.
    await cache.listing.catch(() => {});
  };

  const openCollection: Connection["openCollection"] = async (callClient, name) => {
    // One request for all ids saves one for each collection of the first triage.
    if (cache.collectionIds.size === 0) await listOnce(callClient);
    const cachedId = cache.collectionIds.get(name);
    if (cachedId !== undefined) return callClient.collection(cachedId);
    const collection = await callClient.getOrCreateCollection({
      name,
      // Vectors are passed in; without this null the client warns that it has no embedding function.
      embeddingFunction: null,
      configuration: { hnsw: { space: "cosine" } },
      metadata: { fingerprint: options.fingerprint },
    });
    checkFingerprint(name, collection.metadata?.fingerprint, options.fingerprint);
    cache.collectionIds.set(name, collection.id);
    return callClient.collection(collection.id);
  };

  return {
    call,
    openCollection,
    onCollection: (name, work, retries = 1) =>
      call(retries, async (callClient) => {
        const wasCached = cache.collectionIds.has(name);
        try {
          return await work(await openCollection(callClient, name));
        } catch (error) {
          if (!(error instanceof ChromaNotFoundError && wasCached)) throw error;
          cache.collectionIds.delete(name);
          return await work(await openCollection(callClient, name));
        }
      }),
  };
}

function checkFingerprint(name: string, stored: unknown, configured: string): void {
  if (stored === configured) return;
  throw new DependencyError(
    "vector_store",
    "model_mismatch",
    `the vectors of ${name} were made by "${String(stored)}" and the configuration says "${configured}"; ` +
      "run `npm run reindex` and then `npm run seed` to make them anew, or set EMBEDDING_MODEL, EMBEDDING_DIMENSIONS, CHUNK_SIZE and CHUNK_OVERLAP back",
  );
}

function createReads({ onCollection }: Connection): Pick<VectorStore, "search" | "find" | "ids" | "vectors"> {
  return {
    search: (name, query) =>
      onCollection(
        name,
        async (collection) => {
          const result = await collection.query({
            queryEmbeddings: [[...query.vector]],
            nResults: query.limit,
            ...conditions(query),
            include: ["documents", "metadatas", "distances"],
          });
          return readHits(result.ids[0], result.documents[0], result.metadatas[0], result.distances[0]);
        },
        SEARCH_RETRIES,
      ),

    find: (name, query) =>
      onCollection(name, async (collection) => {
        const result = await collection.get({
          limit: query.limit,
          ...conditions(query),
          include: ["documents", "metadatas"],
        });
        return readTexts(result.ids, result.documents, result.metadatas);
      }),

    ids: (name, { offset, limit }) =>
      onCollection(name, async (collection) => {
        const { ids, metadatas } = await collection.get({ offset, limit, include: ["metadatas"] });
        return ids.map((id, i) => ownId(id, metadatas[i]));
      }),

    async vectors(name, ids) {
      const vectors = new Map<string, readonly number[]>();
      for (let start = 0; start < ids.length; start += MAX_BATCH) {
        const batch = new Map(ids.slice(start, start + MAX_BATCH).map((id) => [indexId(id), id]));
        const result = await onCollection(name, (collection) =>
          collection.get({ ids: [...batch.keys()], include: ["embeddings"] }),
        );
        result.ids.forEach((id, i) => {
          const vector = result.embeddings?.[i];
          if (!vector)
            throw new DependencyError("vector_store", "invalid_response", "the response has fewer vectors than ids");
          vectors.set(batch.get(id) ?? id, vector);
        });
      }
      return vectors;
    },
  };
}

function createWrites({ onCollection }: Connection): Pick<VectorStore, "store" | "delete"> {
  return {
    async store(name, records) {
      if (records.length === 0) return;
      for (let start = 0; start < records.length; start += MAX_BATCH) {
        const batch = records.slice(start, start + MAX_BATCH);
        await onCollection(name, async (collection) => {
          await removeOutdated(
            collection,
            batch.filter(({ isNew }) => !isNew),
          );
          await collection.upsert(columns(batch));
        });
      }
    },

    async delete(name, ids) {
      for (let start = 0; start < ids.length; start += MAX_BATCH) {
        const batch = ids.slice(start, start + MAX_BATCH);
        await onCollection(name, async (collection) => void (await collection.delete({ ids: batch.map(indexId) })));
      }
    },
  };
}

/**
 * An upsert merges metadata: a field that a record no longer has would stay and still match filters. Chroma's client
 * cannot remove a field, so such records are deleted before they are written.
 */
async function removeOutdated(collection: Collection, records: readonly VectorRecord[]): Promise<void> {
  if (records.length === 0) return;
  const newMetadata = new Map(records.map((record) => [indexId(record.id), record.metadata]));
  const stored = await collection.get({ ids: [...newMetadata.keys()], include: ["metadatas"] });
  const outdated = stored.ids.filter((id, i) =>
    Object.keys(readMetadata(stored.metadatas[i])).some((field) => !Object.hasOwn(newMetadata.get(id) ?? {}, field)),
  );
  if (outdated.length > 0) await collection.delete({ ids: outdated });
}

/** Chroma refuses a record without metadata; this placeholder is removed on reading. */
const NO_METADATA = { "dejavu:no_metadata": true };

/** A limit of Chroma Cloud. */
const MAX_ID_BYTES = 128;
/** Metadata field with the id of a record whose id is too long for Chroma. */
const OWN_ID = "dejavu:id";

/** The id in Chroma: a long id is replaced by its SHA-256. */
function indexId(id: string): string {
  return Buffer.byteLength(id) <= MAX_ID_BYTES ? id : createHash("sha256").update(id).digest("hex");
}

// Created once: creating a schema takes longer than parsing a hit with it.
const ownIdSchema = z.object({ [OWN_ID]: z.string() });

function ownId(id: string, metadata: unknown): string {
  const parsed = ownIdSchema.safeParse(metadata);
  return parsed.success ? parsed.data[OWN_ID] : id;
}

function storedMetadata({ id, metadata }: VectorRecord): Metadata {
  const stored = indexId(id) === id ? metadata : { ...metadata, [OWN_ID]: id };
  return Object.keys(stored).length > 0 ? stored : NO_METADATA;
}

function columns(records: readonly VectorRecord[]) {
  return {
    ids: records.map((record) => indexId(record.id)),
    embeddings: records.map((record) => [...record.vector]),
    documents: records.map((record) => record.text),
    metadatas: records.map((record) => ({ ...storedMetadata(record) })),
  };
}

function conditions(query: FindQuery | VectorQuery) {
  return {
    ...(query.filter ? { where: toWhere(query.filter) } : {}),
    ...(query.containing !== undefined ? { whereDocument: { $contains: query.containing } } : {}),
  };
}

function toWhere(filter: Filter): Where {
  switch (filter.op) {
    case "equals":
      return oneOf(filter.field, [filter.value]);
    case "in":
      return oneOf(filter.field, filter.values);
    case "and": {
      // Chroma refuses an $and of fewer than two conditions.
      const [only] = filter.filters;
      if (only === undefined)
        throw new DependencyError("vector_store", "refused", "an empty `and` filter matches nothing");
      return filter.filters.length === 1 ? toWhere(only) : { $and: filter.filters.map(toWhere) };
    }
  }
}

/** Chroma accepts lists of one type only; integers and fractions are different types. */
function oneOf(field: string, values: readonly MetadataValue[]): Where {
  const fractions = values.filter((value) => typeof value === "number").filter((value) => !Number.isInteger(value));
  const wholeNumbersAndTexts = values.filter((value) => typeof value !== "number" || Number.isInteger(value));
  const [either, or] = [
    ...(wholeNumbersAndTexts.length > 0 ? [{ [field]: { $in: wholeNumbersAndTexts } }] : []),
    ...(fractions.length > 0 ? [oneOfFractions(field, fractions)] : []),
  ];
  if (either === undefined)
    throw new DependencyError("vector_store", "refused", "an empty `in` filter matches nothing");
  return or === undefined ? either : { $or: [either, or] };
}

/** Chroma truncates a fraction before comparing it with stored integers: 0.5 would match 0. */
function oneOfFractions(field: string, fractions: readonly number[]): Where {
  return { $and: [{ [field]: { $in: [...fractions] } }, { [field]: { $nin: fractions.map(Math.trunc) } }] };
}

function readTexts(
  ids: readonly string[] | undefined,
  documents: readonly (string | null)[] | undefined,
  metadatas: readonly unknown[] | undefined,
): StoredText[] {
  if (!ids || documents?.length !== ids.length || metadatas?.length !== ids.length) {
    throw new DependencyError("vector_store", "invalid_response", "ids, documents and metadata differ in number");
  }
  return ids.map((id, i) => ({
    id: ownId(id, metadatas[i]),
    text: documents[i] ?? "",
    metadata: readMetadata(metadatas[i]),
  }));
}

function readHits(
  ids: readonly string[] | undefined,
  documents: readonly (string | null)[] | undefined,
  metadatas: readonly unknown[] | undefined,
  distances: readonly (number | null)[] | undefined,
): VectorHit[] {
  return readTexts(ids, documents, metadatas).map((text, i) => {
    const distance = distances?.[i];
    if (typeof distance !== "number")
      throw new DependencyError("vector_store", "invalid_response", "a hit has no distance");
    return { ...text, distance, relevance: relevanceOfCosineDistance(distance) };
  });
}

function readMetadata(value: unknown): Metadata {
  const parsed = metadataSchema.safeParse(value ?? {});
  if (!parsed.success) throw new DependencyError("vector_store", "invalid_response", "metadata is not flat");
  const { "dejavu:no_metadata": _none, [OWN_ID]: _id, ...metadata } = parsed.data;
  return metadata;
}

function toDependencyError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof DependencyError) return error;
  if (signal.aborted)
    return new DependencyError("vector_store", "timeout", "no answer before the deadline", { cause: error });
  const isUnreachable =
    error instanceof ChromaConnectionError ||
    error instanceof ChromaServerError ||
    error instanceof ChromaRateLimitError ||
    // A wrong key says nothing about the request.
    error instanceof ChromaUnauthorizedError ||
    error instanceof ChromaForbiddenError;
  if (isUnreachable)
    return new DependencyError("vector_store", "unreachable", "no connection, a server error or a wrong key", {
      cause: error,
    });
  return new DependencyError("vector_store", "refused", "the request was refused", { cause: error });
}
