// Owns the Chroma adapter: the only file that knows Chroma's client, filter syntax and limits.

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
  /** Shared by stores on the same server that differ in patience alone. */
  readonly cache?: ChromaCache;
}

type Preflight = NonNullable<ChromaClient["preflightChecks"]>;

/** What is worth remembering between requests of one isolate: a round trip each. */
export interface ChromaCache {
  readonly collectionIds: Map<string, string>;
  preflight?: Preflight;
}

export function createChromaCache(): ChromaCache {
  return { collectionIds: new Map() };
}

// The client asks for the server's limits before each first write; a client lives for one call here (its abort signal
// is fixed when it is made), so the answer is carried from one to the next.
class CallClient extends ChromaClient {
  constructor(args: ChromaClientArgs, preflight: Preflight | undefined) {
    super(args);
    if (preflight) this.preflightChecks = preflight;
  }
}

const metadataSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
/** Records in a request at most: one slow batch must not eat the whole deadline. A server may allow fewer still. */
const LARGEST_BATCH = 256;

/** For some 50 ms after the first write to a collection a server fails to find the index that it is just making. */
const SEARCH_RETRIES = 3;

export function createChromaStore(options: ChromaOptions): VectorStore {
  const { fingerprint } = options;
  const { cache = createChromaCache() } = options;
  const server = new URL(options.url);
  const ssl = server.protocol === "https:";

  const call = <T>(retries: number, work: (client: CallClient) => Promise<T>): Promise<T> =>
    callDependency({ dependency: "vector_store", timeoutMs: options.timeoutMs, retries }, async (signal) => {
      const client = new CallClient(
        {
          host: server.hostname,
          port: Number(server.port || (ssl ? 443 : 80)),
          ssl,
          tenant: options.tenant,
          database: options.database,
          fetchOptions: { signal },
          ...(options.apiKey ? { headers: { "x-chroma-token": options.apiKey } } : {}),
        },
        cache.preflight,
      );
      try {
        return await work(client);
      } catch (error) {
        throw translate(error, signal);
      } finally {
        if (client.preflightChecks) cache.preflight = client.preflightChecks;
      }
    });

  const openCollection = async (client: CallClient, name: string): Promise<Collection> => {
    const cached = cache.collectionIds.get(name);
    if (cached !== undefined) return client.collection(cached);
    const collection = await client.getOrCreateCollection({
      name,
      // Vectors come from outside; without this null the client warns that it has no embedding function.
      embeddingFunction: null,
      configuration: { hnsw: { space: "cosine" } },
      metadata: { fingerprint },
    });
    const made = collection.metadata?.fingerprint;
    if (made !== fingerprint) {
      throw new DependencyError(
        "vector_store",
        "model_mismatch",
        `the vectors of ${name} were made by "${String(made)}" and the configuration says "${fingerprint}"; ` +
          "run `npm run reindex` and then `npm run seed` to make them anew, or set EMBEDDING_MODEL, EMBEDDING_DIMENSIONS, CHUNK_SIZE and CHUNK_OVERLAP back",
      );
    }
    cache.collectionIds.set(name, collection.id);
    return client.collection(collection.id);
  };

  /** Works on a collection; a cached handle that the server no longer knows is dropped and opened again, once. */
  const onCollection = <T>(name: string, work: (collection: Collection) => Promise<T>, retries = 1): Promise<T> =>
    call(retries, async (client) => {
      const wasCached = cache.collectionIds.has(name);
      try {
        return await work(await openCollection(client, name));
      } catch (error) {
        if (!(error instanceof ChromaNotFoundError && wasCached)) throw error;
        cache.collectionIds.delete(name);
        return await work(await openCollection(client, name));
      }
    });

  return {
    fingerprint,

    initialize: (name) => call(1, async (client) => void (await openCollection(client, name))),

    async store(name, records) {
      if (records.length === 0) return;
      const serverLimit = await call(1, (client) => client.getMaxBatchSize());
      const size = Math.min(LARGEST_BATCH, serverLimit);
      for (let start = 0; start < records.length; start += size) {
        const batch = records.slice(start, start + size);
        await onCollection(name, async (collection) => {
          await removeOutdated(collection, batch);
          await collection.upsert(columns(batch));
        });
      }
    },

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

    async delete(name, ids) {
      for (let start = 0; start < ids.length; start += LARGEST_BATCH) {
        const batch = ids.slice(start, start + LARGEST_BATCH);
        await onCollection(name, async (collection) => void (await collection.delete({ ids: batch.map(indexId) })));
      }
    },

    ids: (name, { offset, limit }) =>
      onCollection(name, async (collection) => {
        const { ids, metadatas } = await collection.get({ offset, limit, include: ["metadatas"] });
        return ids.map((id, i) => ownId(id, metadatas[i]));
      }),

    async vectors(name, ids) {
      const found = new Map<string, readonly number[]>();
      for (let start = 0; start < ids.length; start += LARGEST_BATCH) {
        const asked = new Map(ids.slice(start, start + LARGEST_BATCH).map((id) => [indexId(id), id]));
        const result = await onCollection(name, (collection) =>
          collection.get({ ids: [...asked.keys()], include: ["embeddings"] }),
        );
        result.ids.forEach((id, i) => {
          const vector = result.embeddings?.[i];
          if (!vector)
            throw new DependencyError("vector_store", "invalid_response", "fewer vectors than ids came back");
          found.set(asked.get(id) ?? id, vector);
        });
      }
      return found;
    },

    drop: (name) =>
      call(1, async (client) => {
        cache.collectionIds.delete(name);
        try {
          await client.deleteCollection({ name });
        } catch (error) {
          if (!(error instanceof ChromaNotFoundError)) throw error;
        }
      }),

    version: () => call(0, (client) => client.version()),
  };
}

/**
 * An upsert merges metadata, so a field that a record no longer has would stay and still match filters. Chroma's
 * client cannot remove a field; such a record leaves before it is written anew.
 */
async function removeOutdated(collection: Collection, records: readonly VectorRecord[]): Promise<void> {
  const wanted = new Map(records.map((record) => [indexId(record.id), record.metadata]));
  const stored = await collection.get({ ids: [...wanted.keys()], include: ["metadatas"] });
  const outdated = stored.ids.filter((id, i) =>
    Object.keys(readMetadata(stored.metadatas[i])).some((field) => !Object.hasOwn(wanted.get(id) ?? {}, field)),
  );
  if (outdated.length > 0) await collection.delete({ ids: outdated });
}

/** Chroma refuses a record without metadata; this stands for none and is taken off again when read. */
const NO_METADATA = { "dejavu:no_metadata": true };

/** Chroma Cloud's limit. */
const MAX_ID_BYTES = 128;
/** Holds the id of a record whose own is too long for Chroma. */
const OWN_ID = "dejavu:id";

/** The id under which Chroma keeps a record: a long one is its SHA-256. */
function indexId(id: string): string {
  return Buffer.byteLength(id) <= MAX_ID_BYTES ? id : createHash("sha256").update(id).digest("hex");
}

// Schemas are made once: making one takes longer than reading a hit with it.
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

/** Chroma takes a list of one kind only, and whole and fractional numbers are two. */
function oneOf(field: string, values: readonly MetadataValue[]): Where {
  const fractions = values.filter((value) => typeof value === "number").filter((value) => !Number.isInteger(value));
  const others = values.filter((value) => typeof value !== "number" || Number.isInteger(value));
  const [either, or] = [
    ...(others.length > 0 ? [{ [field]: { $in: others } }] : []),
    ...(fractions.length > 0 ? [oneOfFractions(field, fractions)] : []),
  ];
  if (either === undefined)
    throw new DependencyError("vector_store", "refused", "an empty `in` filter matches nothing");
  return or === undefined ? either : { $or: [either, or] };
}

/** Chroma compares a fraction with stored whole numbers by its whole part: 0.5 would find 0. */
function oneOfFractions(field: string, fractions: readonly number[]): Where {
  return { $and: [{ [field]: { $in: [...fractions] } }, { [field]: { $nin: fractions.map(Math.trunc) } }] };
}

function readTexts(
  ids: readonly string[] | undefined,
  documents: readonly (string | null)[] | undefined,
  metadatas: readonly unknown[] | undefined,
): StoredText[] {
  if (!ids || documents?.length !== ids.length || metadatas?.length !== ids.length) {
    throw new DependencyError(
      "vector_store",
      "invalid_response",
      "ids, documents and metadata of different number came back",
    );
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
      throw new DependencyError("vector_store", "invalid_response", "a hit came without distance");
    return { ...text, distance, relevance: relevanceOfCosineDistance(distance) };
  });
}

function readMetadata(value: unknown): Metadata {
  const parsed = metadataSchema.safeParse(value ?? {});
  if (!parsed.success) throw new DependencyError("vector_store", "invalid_response", "metadata is not flat");
  const { "dejavu:no_metadata": _none, [OWN_ID]: _id, ...metadata } = parsed.data;
  return metadata;
}

function translate(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof DependencyError) return error;
  if (signal.aborted)
    return new DependencyError("vector_store", "timeout", "no answer before the deadline", { cause: error });
  const passing =
    error instanceof ChromaConnectionError ||
    error instanceof ChromaServerError ||
    error instanceof ChromaRateLimitError ||
    // Nothing about the request: it is the key that is wrong, and a request as such is not refused.
    error instanceof ChromaUnauthorizedError ||
    error instanceof ChromaForbiddenError;
  if (passing)
    return new DependencyError("vector_store", "unreachable", "no connection, a server error or a wrong key", {
      cause: error,
    });
  return new DependencyError("vector_store", "refused", "the request was refused", { cause: error });
}
