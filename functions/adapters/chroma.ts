// Vector store: Chroma. The only file that knows Chroma's client.

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
} from "chromadb";
import { cosineSimilarity } from "../../lib/ranking/rank-memory.ts";
import { callDependency, DependencyError } from "../dependencies.ts";
import { pause, type StartTimer, within } from "../timers.ts";
import {
  columns,
  conditions,
  indexId,
  ownId,
  readDistances,
  readHits,
  readMetadata,
  readTexts,
} from "./chroma-records.ts";
import type { DistanceQuery, VectorRecord, VectorStore } from "./vector-store.ts";

export interface ChromaOptions {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly tenant: string;
  readonly database: string;
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly fingerprint: string;
  /** Shared by stores of the same server that differ only in their timeout. */
  readonly cache?: ChromaCache;
}

/** What an isolate caches between requests; each saves a round trip. */
export interface ChromaCache {
  readonly collectionIds: Map<string, string>;
  /** A request for all collections, while it is under way. Undefined if it failed, or listed none or not all. */
  listing?: Promise<Listing | undefined> | undefined;
}

/** Id and fingerprint of each collection, by name. */
type Listing = ReadonlyMap<string, { readonly id: string; readonly fingerprint: unknown }>;

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

/** Collections that are listed in one request; Dejavu has six. */
const LISTED_COLLECTIONS = 100;

/** A server's answer to a search while it builds the index of a collection: for 50 ms after the first write, longer when busy. */
const INDEX_NOT_BUILT = "Nothing found on disk";
const INDEX_PAUSE_MS = 50;
/** Retries after an answer that too many calls are under way, and the first pause, on average; each is twice as long. */
const FULL_RETRIES = 4;
const FULL_PAUSE_MS = 50;

export function createChromaStore(options: ChromaOptions): VectorStore {
  const { cache = createChromaCache() } = options;
  const connection = createConnection(options, cache);
  const { call, findCollection } = connection;
  return {
    fingerprint: options.fingerprint,
    ...createReads(connection, options.startTimer),
    ...createWrites(connection),

    initialize: (name) => call(1, async (client) => (await findCollection(client, name)) !== undefined),

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
  /** Undefined if there is no such collection. */
  readonly findCollection: (client: CallClient, name: string) => Promise<Collection | undefined>;
  /** Works on a collection, which is created if needed. */
  readonly onCollection: <T>(name: string, work: (collection: Collection) => Promise<T>) => Promise<T>;
  /** Reads a collection; `none` if there is no such collection. */
  readonly onExisting: <T>(name: string, none: T, work: (collection: Collection) => Promise<T>) => Promise<T>;
}

function createConnection(options: ChromaOptions, cache: ChromaCache): Connection {
  const call = createCall(options);
  const { openCollection, findCollection } = createCollections(options, cache);

  /** A cached id that the server no longer knows is dropped, and the collection opened again once. */
  const withCurrentId = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const wasCached = cache.collectionIds.has(name);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChromaNotFoundError && wasCached)) throw error;
      cache.collectionIds.delete(name);
      return work();
    }
  };

  return {
    call,
    findCollection,
    onCollection: (name, work) =>
      call(1, (callClient) => withCurrentId(name, async () => work(await openCollection(callClient, name)))),
    onExisting: (name, none, work) =>
      call(1, (callClient) =>
        withCurrentId(name, async () => {
          const collection = await findCollection(callClient, name);
          return collection === undefined ? none : work(collection);
        }),
      ),
  };
}

function createCall(options: ChromaOptions): Connection["call"] {
  const server = new URL(options.url);
  const ssl = server.protocol === "https:";
  const client = (signal: AbortSignal) =>
    new CallClient({
      host: server.hostname,
      port: Number(server.port || (ssl ? 443 : 80)),
      ssl,
      tenant: options.tenant,
      database: options.database,
      // A redirect could send the key and the texts to another host.
      fetchOptions: { redirect: "manual", signal },
      ...(options.apiKey ? { headers: { "x-chroma-token": options.apiKey } } : {}),
    });
  const { timeoutMs, startTimer, random } = options;
  return (retries, work) =>
    callDependency({ dependency: "vector_store", timeoutMs, startTimer, retries }, async (signal) => {
      const callClient = client(signal);
      try {
        return await onceAdmitted({ startTimer, random }, () => work(callClient));
      } catch (error) {
        throw toDependencyError(error, signal);
      }
    });
}

/**
 * Repeats a call that exceeds the reads or writes that Chroma Cloud takes of a collection at once, within the deadline of
 * the call. A Worker cannot count the calls of all isolates, so nobody waits for the call of another request.
 */
async function onceAdmitted<T>(
  { startTimer, random }: { readonly startTimer: StartTimer; readonly random: () => number },
  work: () => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChromaRateLimitError)) throw error;
      if (retry === FULL_RETRIES)
        throw new DependencyError("vector_store", "busy", "too many calls are under way", { cause: error });
      // Calls that were refused together must not come back together.
      await pause(startTimer, "retry_pause", FULL_PAUSE_MS * 2 ** retry * (0.5 + random()));
    }
  }
}

interface Collections {
  /** Creates the collection if needed. */
  readonly openCollection: (client: CallClient, name: string) => Promise<Collection>;
  readonly findCollection: Connection["findCollection"];
}

/** Finds and creates collections; their ids are cached. */
function createCollections(options: ChromaOptions, cache: ChromaCache): Collections {
  const { fingerprint } = options;
  const cachedCollection = (callClient: CallClient, name: string): Collection | undefined => {
    const id = cache.collectionIds.get(name);
    return id === undefined ? undefined : callClient.collection(id);
  };
  const getOrCreate = async (callClient: CallClient, name: string): Promise<Collection> => {
    const collection = await callClient.getOrCreateCollection({
      name,
      // Vectors are passed in; without this null the client warns that it has no embedding function.
      embeddingFunction: null,
      configuration: { hnsw: { space: "cosine" } },
      metadata: { fingerprint },
    });
    checkFingerprint(name, collection.metadata?.fingerprint, fingerprint);
    cache.collectionIds.set(name, collection.id);
    return callClient.collection(collection.id);
  };
  return {
    openCollection: async (callClient, name) => {
      if (cache.collectionIds.size === 0) await listOnce(callClient, cache, options);
      return cachedCollection(callClient, name) ?? getOrCreate(callClient, name);
    },
    findCollection: async (callClient, name) => {
      const cached = cachedCollection(callClient, name);
      if (cached !== undefined) return cached;
      const listed = await listOnce(callClient, cache, options);
      if (listed === undefined) return cachedCollection(callClient, name) ?? getOrCreate(callClient, name);
      const stored = listed.get(name);
      if (stored !== undefined) checkFingerprint(name, stored.fingerprint, fingerprint);
      return cachedCollection(callClient, name);
    },
  };
}

/**
 * Lists all collections: one request saves one for each collection of the first triage. Undefined if it failed or did not
 * list all; each collection is then opened by its name.
 */
async function listOnce(
  client: CallClient,
  cache: ChromaCache,
  options: Pick<ChromaOptions, "fingerprint" | "timeoutMs" | "startTimer">,
): Promise<Listing | undefined> {
  const { fingerprint, timeoutMs, startTimer } = options;
  const shared = cache.listing;
  const forget = (listing: ChromaCache["listing"]) => {
    if (cache.listing === listing) cache.listing = undefined;
  };
  if (shared === undefined) {
    const own = listCollections(client, cache, fingerprint).catch(() => undefined);
    cache.listing = own;
    return own.finally(() => forget(own));
  }
  // A Worker drops the work of a request whose caller disconnects: its listing then never settles.
  const deadline = { startTimer, name: "shared_listing", ms: timeoutMs / 3 } as const;
  const joined = await within<{ listing: Listing | undefined } | null>(
    deadline,
    shared.then((listing) => ({ listing })),
    () => null,
  );
  if (joined !== null) return joined.listing;
  forget(shared);
  return listOnce(client, cache, options);
}

async function listCollections(
  client: CallClient,
  { collectionIds }: ChromaCache,
  fingerprint: string,
): Promise<Listing | undefined> {
  const listed = await client.listCollections({ limit: LISTED_COLLECTIONS });
  for (const { name, id, metadata } of listed) {
    if (metadata?.fingerprint === fingerprint) collectionIds.set(name, id);
  }
  const collections = listed.map(
    ({ name, id, metadata }) => [name, { id, fingerprint: metadata?.fingerprint }] as const,
  );
  // A database that does not exist has an empty list too; the creation of a collection then fails.
  const isComplete = listed.length > 0 && listed.length < LISTED_COLLECTIONS;
  return isComplete ? new Map(collections) : undefined;
}

function checkFingerprint(name: string, stored: unknown, configured: string): void {
  if (stored === configured) return;
  throw new DependencyError(
    "vector_store",
    "model_mismatch",
    `the vectors of ${name} were made by "${String(stored)}" and the configuration says "${configured}"; ` +
      "run `dejavu reindex` and then `dejavu seed` to make them anew, or set EMBEDDING_MODEL, EMBEDDING_DIMENSIONS and PSEUDONYMISE back",
  );
}

function createReads(
  { onExisting }: Connection,
  startTimer: StartTimer,
): Pick<VectorStore, "search" | "distances" | "find" | "ids" | "vectors"> {
  return {
    search: (name, query) =>
      onExisting(name, [], async (collection) => {
        const result = await onceIndexed(startTimer, () =>
          collection.query({
            queryEmbeddings: [[...query.vector]],
            nResults: query.limit,
            ...conditions(query),
            include: [...(query.hasTexts === false ? [] : ["documents" as const]), "metadatas", "distances"],
          }),
        );
        const [ids = []] = result.ids;
        const documents = query.hasTexts === false ? ids.map(() => null) : result.documents[0];
        return readHits(ids, documents, result.metadatas[0], result.distances[0]);
      }),

    distances: (name, query) =>
      onExisting(name, new Map(), async (collection) => {
        if (query.ids !== undefined) return distancesByVectors(collection, query);
        const result = await onceIndexed(startTimer, () =>
          collection.query({
            queryEmbeddings: [[...query.vector]],
            nResults: query.limit,
            ...conditions(query),
            include: ["distances"],
          }),
        );
        return readDistances(result.ids[0], result.distances[0]);
      }),

    find: (name, query) =>
      onExisting(name, [], async (collection) => {
        const result = await collection.get({
          limit: query.limit,
          ...conditions(query),
          include: ["documents", "metadatas"],
        });
        return readTexts(result.ids, result.documents, result.metadatas);
      }),

    ids: (name, { offset, limit }) =>
      onExisting(name, [], async (collection) => {
        const { ids, metadatas } = await collection.get({ offset, limit, include: ["metadatas"] });
        return ids.map((id, i) => ownId(id, metadatas[i]));
      }),

    async vectors(name, ids) {
      const vectors = new Map<string, readonly number[]>();
      for (let start = 0; start < ids.length; start += MAX_BATCH) {
        const batch = new Map(ids.slice(start, start + MAX_BATCH).map((id) => [indexId(id), id]));
        await onExisting(name, undefined, async (collection) => {
          const result = await collection.get({ ids: [...batch.keys()], include: ["embeddings"] });
          result.ids.forEach((id, i) => {
            const vector = result.embeddings?.[i];
            if (!vector)
              throw new DependencyError("vector_store", "invalid_response", "the response has fewer vectors than ids");
            vectors.set(batch.get(id) ?? id, vector);
          });
        });
      }
      return vectors;
    },
  };
}

/**
 * From the stored vectors of the ids. Chroma's own query of ids goes through the whole collection (65 in place of 7 ms for 30,000 in
 * place of 3,000 records), and fails if one of them is unknown.
 */
async function distancesByVectors(collection: Collection, query: DistanceQuery): Promise<Map<string, number>> {
  const { ids, embeddings } = await collection.get({ ...conditions(query), include: ["embeddings"] });
  const distances = ids.map((id, i) => [id, 1 - cosineSimilarity(query.vector, embeddings?.[i] ?? [])] as const);
  return new Map(distances.sort(([, a], [, b]) => a - b).slice(0, query.limit));
}

/** Searches again while the index of the collection is being built; the deadline of the call ends it. */
async function onceIndexed<T>(startTimer: StartTimer, search: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await search();
    } catch (error) {
      if (!(error instanceof ChromaServerError && error.message.includes(INDEX_NOT_BUILT))) throw error;
      await pause(startTimer, "retry_pause", INDEX_PAUSE_MS);
    }
  }
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

function toDependencyError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof DependencyError) return error;
  if (signal.aborted)
    return new DependencyError("vector_store", "timeout", "no answer before the deadline", { cause: error });
  const isUnreachable =
    error instanceof ChromaConnectionError ||
    error instanceof ChromaServerError ||
    // A wrong key says nothing about the request.
    error instanceof ChromaUnauthorizedError ||
    error instanceof ChromaForbiddenError;
  if (isUnreachable)
    return new DependencyError(
      "vector_store",
      "unreachable",
      "no connection, a server error, a redirect or a wrong key: check CHROMA_URL and CHROMA_API_KEY",
      {
        cause: error,
      },
    );
  return new DependencyError("vector_store", "refused", "the request was refused", { cause: error });
}
