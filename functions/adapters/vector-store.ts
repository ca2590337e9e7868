// Owns the interface of a vector store. Knows no vendor; every adapter passes tests/integration/adapters/vector-store-contract.ts.

/** What any store in use takes at least: the quotas of Chroma Cloud, https://docs.trychroma.com/cloud/quotas-limits */
export const STORE_LIMITS = {
  /** Of a record's text in UTF-8. */
  textBytes: 16_384,
  /** Of a record's metadata. */
  fields: 32,
  fieldNameBytes: 36,
  /** In one filter. */
  conditions: 8,
} as const;

export type MetadataValue = string | number | boolean;
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Exact conditions on metadata. A store honours every one of them or refuses the search. */
export type Filter =
  | { readonly op: "equals"; readonly field: string; readonly value: MetadataValue }
  | { readonly op: "in"; readonly field: string; readonly values: readonly MetadataValue[] }
  | { readonly op: "and"; readonly filters: readonly Filter[] };

export interface VectorRecord {
  readonly id: string;
  readonly vector: readonly number[];
  readonly text: string;
  readonly metadata: Metadata;
}

export interface StoredText {
  readonly id: string;
  readonly text: string;
  readonly metadata: Metadata;
}

export interface VectorHit extends StoredText {
  /** Cosine distance, 0 (same direction) to 2 (opposite). */
  readonly distance: number;
  /** 1 − distance / 2: 0 to 1, higher is better. */
  readonly relevance: number;
}

export interface VectorQuery {
  readonly vector: readonly number[];
  readonly limit: number;
  readonly filter?: Filter;
  /** Only texts that hold this very substring. */
  readonly containing?: string;
}

export interface FindQuery {
  readonly limit: number;
  readonly filter?: Filter;
  readonly containing?: string;
}

/** Every method throws DependencyError; collections come into being on first use. */
export interface VectorStore {
  /** What made the vectors: embedding model, its size, chunking. A collection of another make is refused. */
  readonly fingerprint: string;
  /** Makes sure that the collection exists and was made with this fingerprint. */
  initialize(collection: string): Promise<void>;
  /** Inserts or replaces by id, in as many requests as the server's limit needs. */
  store(collection: string, records: readonly VectorRecord[]): Promise<void>;
  /** Nearest first. */
  search(collection: string, query: VectorQuery): Promise<VectorHit[]>;
  /** Texts by condition alone, in no particular order; no vector is needed. */
  find(collection: string, query: FindQuery): Promise<StoredText[]>;
  /** Removes by id; unknown ids are no error. */
  delete(collection: string, ids: readonly string[]): Promise<void>;
  /** Ids of what is stored, a page from `offset`; fewer than `limit` on the last one. */
  ids(collection: string, page: { readonly offset: number; readonly limit: number }): Promise<string[]>;
  /** The vectors of those of the ids that are stored. */
  vectors(collection: string, ids: readonly string[]): Promise<Map<string, readonly number[]>>;
  /** Removes the collection whatever its fingerprint; none is no error. */
  drop(collection: string): Promise<void>;
  /** The server's version. */
  version(): Promise<string>;
}

/** Shared by all adapters, so that relevance means the same everywhere. */
export function relevanceOfCosineDistance(distance: number): number {
  return Math.min(1, Math.max(0, 1 - distance / 2));
}
