// Chroma Cloud: speaks its protocol, keeps the newest records of each domain and returns them for every search. Its
// concurrent reads and writes of a collection are limited; a request above is answered with 429.

import { z } from "zod";
import type { Figures } from "../figures/figures.ts";
import type { ReadCall } from "./database.ts";
import { createPool, type UseRecorder } from "./resources.ts";
import type { CallToRecord } from "./traces.ts";
import type { VirtualClock } from "./virtual-clock.ts";

export interface SimulatedVectorStore {
  read(request: Request, body: string): ReadCall;
  /** Takes one of the concurrent requests of the collection, or refuses. */
  serve(call: CallToRecord, answer: () => unknown): Promise<Response>;
  /** Requests by action, such as `query`. */
  readonly calls: ReadonlyMap<string, number>;
  /** Number of written records, a repeated one included. */
  readonly recordsWritten: number;
}

export interface VectorStoreOptions {
  readonly clock: VirtualClock;
  readonly recorder: UseRecorder;
  readonly figures: Figures;
  /** Names of the collections, which all have this fingerprint. */
  readonly collections: readonly string[];
  readonly fingerprint: string;
}

const MAX_HITS = 10;
/** More would be read for each search. */
const KEPT_RECORDS = 20;
const DISTANCE = 0.4;
const WRITES = new Set(["upsert", "add", "update", "delete"]);

const metadataSchema = z.record(z.string(), z.unknown());
const upsertSchema = z.object({
  ids: z.array(z.string()),
  documents: z.array(z.string().nullable()).nullish(),
  metadatas: z.array(metadataSchema.nullable()).nullish(),
});
const searchSchema = z.object({
  where: z.unknown().optional(),
  n_results: z.number().optional(),
  limit: z.number().nullish(),
});

interface StoredRecord {
  readonly id: string;
  readonly document: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export function createSimulatedVectorStore(options: VectorStoreOptions): SimulatedVectorStore {
  const { clock, recorder, figures, collections, fingerprint } = options;
  const { limits, drawMs } = figures;
  const pool = (name: "chroma_reads" | "chroma_writes", size: number) => createPool({ clock, recorder, name, size });
  const pools = new Map(
    collections.map((name) => [
      name,
      { reads: pool("chroma_reads", limits.chromaReads), writes: pool("chroma_writes", limits.chromaWrites) },
    ]),
  );
  const records = createRecords();
  const calls = new Map<string, number>();
  let recordsWritten = 0;
  const serve = async ({ name, collection }: CallToRecord, answer: () => unknown): Promise<Response> => {
    calls.set(name, (calls.get(name) ?? 0) + 1);
    const place = pools.get(collection)?.[WRITES.has(name) ? "writes" : "reads"];
    // The quota is one of concurrent requests: none waits.
    const release = place === undefined ? () => {} : await place.acquireWithin(0);
    if (release === undefined) return Response.json({ error: "RateLimitError", message: "quota" }, { status: 429 });
    await clock.sleep(drawMs(`chroma ${name}`));
    release();
    return Response.json(answer());
  };
  const answerTo = (collection: string, name: string, request: Request, body: string): unknown => {
    if (name === "list" && request.method === "POST") return collectionOf(nameIn(body), fingerprint);
    if (name === "list") return collections.map((each) => collectionOf(each, fingerprint));
    if (!WRITES.has(name)) return records.search(collection, name, JSON.parse(body));
    if (name !== "delete") recordsWritten += records.store(collection, upsertSchema.parse(JSON.parse(body)));
    return {};
  };
  return {
    calls,
    serve,
    get recordsWritten() {
      return recordsWritten;
    },
    read(request, body) {
      const record = readVectorCall(new URL(request.url).pathname);
      return { record, serve: () => serve(record, () => answerTo(record.collection, record.name, request, body)) };
    },
  };
}

/** The action and the collection of a request; `list` for those about collections themselves. */
export function readVectorCall(path: string): CallToRecord {
  const [, collection = "", name = "list"] = /\/collections\/([^/]+)\/(\w+)$/.exec(path) ?? [];
  return { store: "chroma", name, collection, alerts: 0, locks: [] };
}

function nameIn(body: string): string {
  return z.object({ name: z.string() }).parse(JSON.parse(body)).name;
}

/** Its id is its name. */
function collectionOf(name: string, fingerprint: string) {
  return {
    id: name,
    name,
    metadata: { fingerprint },
    configuration_json: { hnsw: { space: "cosine" } },
    dimension: null,
    tenant: "simulated",
    database: "simulated",
    log_position: 0,
    version: 0,
  };
}

function createRecords() {
  /** By collection and domain, newest first. */
  const kept = new Map<string, StoredRecord[]>();
  return {
    store(collection: string, { ids, documents, metadatas }: z.infer<typeof upsertSchema>): number {
      ids.forEach((id, i) => {
        const record = { id, document: documents?.[i] ?? null, metadata: metadatas?.[i] ?? null };
        const key = `${collection} ${String(record.metadata?.domain)}`;
        kept.set(key, [record, ...(kept.get(key) ?? []).filter((other) => other.id !== id)].slice(0, KEPT_RECORDS));
      });
      return ids.length;
    },
    search(collection: string, action: string, body: unknown) {
      const { where, n_results: results, limit } = searchSchema.parse(body);
      const hits = domainsIn(where)
        .flatMap((domain) => kept.get(`${collection} ${domain}`) ?? [])
        .slice(0, Math.min(MAX_HITS, results ?? limit ?? MAX_HITS));
      const columns = {
        ids: hits.map(({ id }) => id),
        documents: hits.map(({ document }) => document),
        metadatas: hits.map(({ metadata }) => metadata),
      };
      if (action === "get") return { ...columns, embeddings: null, uris: null, include: ["documents", "metadatas"] };
      return {
        ids: [columns.ids],
        documents: [columns.documents],
        metadatas: [columns.metadatas],
        distances: [hits.map(() => DISTANCE)],
        embeddings: null,
        uris: null,
        include: ["documents", "metadatas", "distances"],
      };
    },
  };
}

/** The domains that a filter names anywhere. */
function domainsIn(where: unknown): string[] {
  if (Array.isArray(where)) return where.flatMap(domainsIn);
  if (typeof where !== "object" || where === null) return [];
  return Object.entries(where).flatMap(([field, value]) =>
    field === "domain" ? textsIn(value) : field.startsWith("$") ? domainsIn(value) : [],
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
