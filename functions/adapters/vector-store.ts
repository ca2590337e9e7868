// Interface of a vector store. Every adapter passes tests/integration/adapters/vector-store-contract.ts.

/** Limits that every store supports: the quotas of Chroma Cloud, https://docs.trychroma.com/cloud/quotas-limits */
export const STORE_LIMITS = {
  /** Bytes of a record's text in UTF-8. */
  textBytes: 16_384,
  /** Bytes of a text in a record's metadata. */
  valueBytes: 4_096,
  /** Fields of a record's metadata. */
  fields: 32,
  fieldNameBytes: 36,
  /** Conditions in one filter. */
  conditions: 8,
} as const;

export type MetadataValue = string | number | boolean;
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** Exact conditions on metadata. A store applies all of them or refuses the search. */
export type Filter =
  | { readonly op: "equals"; readonly field: string; readonly value: MetadataValue }
  | { readonly op: "in"; readonly field: string; readonly values: readonly MetadataValue[] }
  /** Also matches records without the field. */
  | { readonly op: "not_in"; readonly field: string; readonly values: readonly string[] }
  | { readonly op: "and"; readonly filters: readonly Filter[] };
export type FilterLeaf = Exclude<Filter, { op: "and" }>;

/** Whether a field with this value fulfils the condition. */
export function accepts(leaf: FilterLeaf, value: string): boolean {
  if (leaf.op === "equals") return leaf.value === value;
  return leaf.op === "in" ? leaf.values.includes(value) : !leaf.values.includes(value);
}

/** The conditions of a filter. */
export function leavesOf(filter: Filter): FilterLeaf[] {
  return filter.op === "and" ? filter.filters.flatMap(leavesOf) : [filter];
}

export interface VectorRecord {
  readonly id: string;
  readonly vector: readonly number[];
  readonly text: string;
  readonly metadata: Metadata;
  /** Whether the store has never held the id. Such a record is written in one request; others are compared first. */
  readonly isNew?: boolean;
}

export interface IndexedText {
  readonly id: string;
  readonly text: string;
  readonly metadata: Metadata;
}

export interface VectorHit extends IndexedText {
  /** Cosine distance, 0 (same direction) to 2 (opposite). */
  readonly distance: number;
  /** 1 − distance / 2: 0 to 1, higher is better. */
  readonly relevance: number;
}

export interface VectorQuery {
  readonly vector: readonly number[];
  readonly limit: number;
  readonly filter?: Filter;
  /** Only texts that contain this exact substring. */
  readonly containing?: string;
  /** Leaves the texts out: they are empty. For a caller that reads them elsewhere. */
  readonly hasTexts?: false;
}

export interface DistanceQuery {
  readonly vector: readonly number[];
  readonly limit: number;
  readonly filter?: Filter;
  /** Only these records, whose vectors are read; those that the store does not have are left out. */
  readonly ids?: readonly string[];
}

export interface FindQuery {
  readonly limit: number;
  readonly ids?: readonly string[];
  readonly filter?: Filter;
  readonly containing?: string;
}

/** Every method throws DependencyError. A missing collection holds nothing; it is created by the first write at the latest. */
export interface VectorStore {
  /** Identifies embedding model, dimensions and chunking. A collection with another fingerprint is refused. */
  readonly fingerprint: string;
  /**
   * Gets ready to use the collection, which saves the next call a round trip, and checks its fingerprint.
   * @returns whether it exists
   */
  initialize(collection: string): Promise<boolean>;
  /** Inserts or replaces by id, in batches of the server's size. */
  store(collection: string, records: readonly VectorRecord[]): Promise<void>;
  /** Nearest first. */
  search(collection: string, query: VectorQuery): Promise<VectorHit[]>;
  /** Cosine distances of the nearest, by id, nearest first; nothing else is read. For ids of at most 128 bytes. */
  distances(collection: string, query: DistanceQuery): Promise<Map<string, number>>;
  /** Finds texts by condition alone, unordered; no vector is needed. */
  find(collection: string, query: FindQuery): Promise<IndexedText[]>;
  /** Deletes by id; unknown ids are ignored. */
  delete(collection: string, ids: readonly string[]): Promise<void>;
  /** Ids of the stored records, a page from `offset`; the last page has fewer than `limit`. */
  ids(collection: string, page: { readonly offset: number; readonly limit: number }): Promise<string[]>;
  /** The vectors of the stored records among the ids. */
  vectors(collection: string, ids: readonly string[]): Promise<Map<string, readonly number[]>>;
  /** Deletes the collection, with any fingerprint; a missing collection is ignored. */
  drop(collection: string): Promise<void>;
  /** Names of all collections, with any fingerprint. */
  collections(): Promise<string[]>;
  /** The server's version. */
  version(): Promise<string>;
}

/** Shared by all adapters, so that relevance has one meaning. */
export function relevanceOfCosineDistance(distance: number): number {
  return Math.min(1, Math.max(0, 1 - distance / 2));
}
