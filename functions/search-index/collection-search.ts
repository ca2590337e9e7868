// Owns the search of one collection in three dimensions that compose freely: by meaning, by an exact substring, by
// metadata. The index answers alone; what its systems fail to do is told in words that a person or a model can act on.

import {
  type Filter,
  type Metadata,
  type MetadataValue,
  relevanceOfCosineDistance,
  type StoredText,
} from "../adapters/vector-store.ts";
import type { DependencyError } from "../dependencies.ts";
import { redact } from "../guardrails/redaction/redact.ts";
import type { RelevanceScale } from "../retrieval/ranking/grounding.ts";
import { countOccurrences, highlight, termShare } from "../retrieval/text/highlight.ts";
import { plainText } from "../retrieval/text/plain-text.ts";
import type { SearchableCollection } from "./collections.ts";
import { documentFromIndex } from "./search-document.ts";
import type { IndexStores } from "./services.ts";

export interface CollectionSearch {
  readonly collection: SearchableCollection;
  /** What it is about, in any words. */
  readonly query?: string | undefined;
  /** What the text holds letter by letter. */
  readonly keyword?: string | undefined;
  readonly filter?: Filter | undefined;
  readonly limit: number;
  /** Where the embedding model's distances begin and end to mean something. */
  readonly scale: RelevanceScale;
}

export const SIMILARITY_LABELS = ["very similar", "similar", "somewhat related"] as const;
export type SimilarityLabel = (typeof SIMILARITY_LABELS)[number];

export interface CollectionHit {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly metadata: Metadata;
  /** Cosine distance, 0 to 2; null where nothing was asked by meaning. */
  readonly distance: number | null;
  /** Null where nothing was asked by meaning, and where the text has nothing to do with it. */
  readonly label: SimilarityLabel | null;
  /** Fragments around what was asked for. */
  readonly highlights: readonly string[];
  readonly scores: {
    /** 1 − distance / 2, which orders the hits. */
    readonly similarity?: number;
    /** The share of the query's terms that the text holds, 0 to 1. */
    readonly terms?: number;
    /** How often the text holds the keyword. */
    readonly keyword?: number;
  };
}

/**
 * With a query: one vector query, the other two as its conditions, nearest first. Without: by conditions alone, no text
 * is embedded, and hits come by id. What is asked is scrubbed as what is stored was; where nothing is left of all three
 * dimensions, nothing is found.
 *
 * @throws DependencyError of `chroma` or `embeddings`
 */
export async function searchCollection(stores: IndexStores, search: CollectionSearch): Promise<CollectionHit[]> {
  const { collection, limit, scale } = search;
  const query = meaningful(search.query);
  const keyword = search.keyword === undefined ? undefined : scrub(search.keyword);
  const filter = search.filter && scrubFilter(search.filter);
  const conditions = {
    limit,
    ...(keyword !== undefined ? { containing: keyword } : {}),
    ...(filter ? { filter } : {}),
  };
  if (query === undefined) {
    if (keyword === undefined && filter === undefined) return [];
    const found = await stores.vectors.find(collection, conditions);
    return found.sort((a, b) => (a.id < b.id ? -1 : 1)).map((hit) => describe(hit, { keyword, scale }));
  }
  // The collection's handle is fetched while the query is being embedded.
  const [[vector]] = await Promise.all([stores.embedder.embed([query]), stores.vectors.initialize(collection)]);
  const found = await stores.vectors.search(collection, { vector: vector ?? [], ...conditions });
  return found.map((hit) => describe(hit, { query, keyword, scale }));
}

/** How near two texts are, in the terms of the embedding model in use. */
export function similarityLabel(distance: number, { unrelated, close }: RelevanceScale): SimilarityLabel | null {
  const share = (relevanceOfCosineDistance(distance) - unrelated) / (close - unrelated);
  if (share >= 1) return "very similar";
  if (share >= 0.5) return "similar";
  return share > 0 ? "somewhat related" : null;
}

/** Numbered text blocks, for a language model. */
export function renderHits(hits: readonly CollectionHit[]): string {
  if (hits.length === 0) return "Nothing was found.";
  return hits.map((hit, i) => `${i + 1}. ${hit.title}${nearness(hit)}\n${facts(hit)}\n${hit.text}`).join("\n\n");
}

/** What a caller, or a model as one, can do about a search that failed. */
export function describeSearchFailure({ system, failure }: Pick<DependencyError, "system" | "failure">): string {
  if (failure === "model_mismatch")
    return "The vectors of this collection were made by another embedding model or chunking, so nothing was searched. An operator has to run `npm run reindex`; until then go on without this collection and say so.";
  if (isRefusedSearch({ system, failure }))
    return "The vector store does not take this search, so nothing was searched. Change the filters: fewer conditions, fewer or other values.";
  const reason = failure === "timeout" ? "did not answer in time" : "cannot be used now";
  return system === "embeddings"
    ? `The embedding service ${reason}, so nothing could be searched by meaning. Search again with a keyword or filters and without a query, which needs no embedding, or try again in a minute.`
    : `The vector store (Chroma) ${reason}, so nothing was searched. Try again in a minute; if it fails again, go on without this search and say so.`;
}

/** Whether it is the search that is at fault, and no system. */
export function isRefusedSearch({ system, failure }: Pick<DependencyError, "system" | "failure">): boolean {
  return system === "chroma" && failure === "refused";
}

/** Undefined for words of which nothing is left but the marks of what was removed. */
function meaningful(query: string | undefined): string | undefined {
  if (query === undefined) return undefined;
  const scrubbed = scrub(query).trim();
  return /[\p{L}\p{N}]/u.test(scrubbed.replace(/\[REDACTED_[A-Z_]+\]/g, "")) ? scrubbed : undefined;
}

function scrub(text: string): string {
  return redact(plainText(text)).text;
}

function scrubFilter(filter: Filter): Filter {
  const scrubValue = (value: MetadataValue) => (typeof value === "string" ? scrub(value) : value);
  switch (filter.op) {
    case "equals":
      return { ...filter, value: scrubValue(filter.value) };
    case "in":
      return { ...filter, values: filter.values.map(scrubValue) };
    case "and":
      return { ...filter, filters: filter.filters.map(scrubFilter) };
  }
}

function describe(
  hit: StoredText & { readonly distance?: number },
  { query, keyword, scale }: Pick<CollectionSearch, "query" | "keyword" | "scale">,
): CollectionHit {
  const { title } = documentFromIndex(hit);
  // What the machinery keeps beside a text to rebuild it is of no use to a reader.
  const { document_title: _title, heading_path: _path, ...metadata } = hit.metadata;
  // What was stored before a pattern was known is scrubbed now.
  const text = redact(hit.text).text;
  const { distance } = hit;
  return {
    id: hit.id,
    title: redact(title).text,
    text,
    metadata: Object.fromEntries(
      Object.entries(metadata).map(([key, value]) => [key, typeof value === "string" ? redact(value).text : value]),
    ),
    distance: distance ?? null,
    label: distance === undefined ? null : similarityLabel(distance, scale),
    highlights: highlight(text, { query, keyword }),
    scores: {
      ...(distance !== undefined ? { similarity: relevanceOfCosineDistance(distance) } : {}),
      ...(query !== undefined ? { terms: termShare(text, query) } : {}),
      ...(keyword !== undefined ? { keyword: countOccurrences(text, keyword) } : {}),
    },
  };
}

function nearness({ distance, label }: CollectionHit): string {
  return distance === null ? "" : ` (distance ${distance.toFixed(3)}, ${label ?? "hardly related"})`;
}

function facts({ id, metadata }: CollectionHit): string {
  return Object.entries({ id, ...metadata })
    .map(([key, value]) => `${key}: ${value}`)
    .join(", ");
}
