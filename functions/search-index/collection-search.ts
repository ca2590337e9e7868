// Collection search: by meaning, by an exact substring and by metadata, in any combination. It reads the vector store
// only. Failures are described in sentences that a person or a model can act on.

import type { Redact } from "../../lib/redaction/redact.ts";
import { countOccurrences, highlight, termShare } from "../../lib/text/highlight.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { type RelevanceScale, shareOfScale } from "../adapters/embedder.ts";
import {
  type Filter,
  type IndexedText,
  type Metadata,
  type MetadataValue,
  relevanceOfCosineDistance,
} from "../adapters/vector-store.ts";
import type { DependencyError } from "../dependencies.ts";
import type { SearchableCollection } from "./collections.ts";
import { documentFromIndex } from "./search-document.ts";
import type { IndexStores } from "./search-services.ts";

export interface CollectionSearch {
  readonly collection: SearchableCollection;
  /** Text to search for by meaning. */
  readonly query?: string | undefined;
  /** Exact substring of the text. */
  readonly keyword?: string | undefined;
  readonly filter?: Filter | undefined;
  readonly limit: number;
}

export const SIMILARITY_LABELS = ["very similar", "similar", "somewhat related"] as const;
export type SimilarityLabel = (typeof SIMILARITY_LABELS)[number];

export interface CollectionHit {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly metadata: Metadata;
  /** Cosine distance, 0 to 2; null without a query. */
  readonly distance: number | null;
  /** Null without a query, and for an unrelated text. */
  readonly label: SimilarityLabel | null;
  /** Fragments around the matches. */
  readonly highlights: readonly string[];
  readonly scores: {
    /** 1 − distance / 2; the hits are sorted by it. */
    readonly similarity?: number;
    /** Share of the query's terms that occur in the text, 0 to 1. */
    readonly terms?: number;
    /** Number of occurrences of the keyword. */
    readonly keyword?: number;
  };
}

/**
 * With a query, runs one vector search with keyword and filter as conditions, and returns the nearest hits first. Without
 * a query, nothing is embedded, and hits are sorted by id. Query, keyword and filter are redacted like stored texts. If
 * nothing is left of them, the result is empty.
 *
 * @throws DependencyError of `vector_store` or `embedder`
 */
export async function searchCollection(
  stores: IndexStores & { readonly redact: Redact },
  search: CollectionSearch,
): Promise<CollectionHit[]> {
  const { collection, limit } = search;
  const { scale } = stores.embedder;
  const { redact } = stores;
  const scrub = (text: string) => redact(plainText(text)).text;
  const query = redactQuery(scrub, search.query);
  const keyword = search.keyword === undefined ? undefined : scrub(search.keyword);
  const filter = search.filter && scrubFilter(scrub, search.filter);
  // Every text contains it.
  if (keyword === "") return [];
  const conditions = {
    limit,
    ...(keyword !== undefined ? { containing: keyword } : {}),
    ...(filter ? { filter } : {}),
  };
  if (query === undefined) {
    if (keyword === undefined && filter === undefined) return [];
    const hits = await stores.vectors.find(collection, conditions);
    return hits.sort((a, b) => (a.id < b.id ? -1 : 1)).map((hit) => describe(redact, hit, { keyword, scale }));
  }
  // Gets the collection ready while the query is being embedded.
  const [[vector]] = await Promise.all([
    stores.embedder.embed([query], "query"),
    stores.vectors.initialize(collection),
  ]);
  const hits = await stores.vectors.search(collection, { vector: vector ?? [], ...conditions });
  return hits.map((hit) => describe(redact, hit, { query, keyword, scale }));
}

/** Labels a distance on the scale of the embedding model in use. */
export function similarityLabel(distance: number, scale: RelevanceScale): SimilarityLabel | null {
  const share = shareOfScale(distance, scale);
  if (share >= 1) return "very similar";
  if (share >= 0.5) return "similar";
  return share > 0 ? "somewhat related" : null;
}

/** Renders hits as numbered text blocks for a language model. */
export function renderHits(hits: readonly CollectionHit[]): string {
  if (hits.length === 0) return "Nothing was found.";
  return hits.map((hit, i) => `${i + 1}. ${hit.title}${nearness(hit)}\n${facts(hit)}\n${hit.text}`).join("\n\n");
}

/** Describes a failed search and what the caller, possibly a model, can do about it. */
export function describeSearchFailure({
  dependency,
  failure,
}: Pick<DependencyError, "dependency" | "failure">): string {
  if (failure === "model_mismatch")
    return "The vectors of this collection were made by another embedding model or chunking, so nothing was searched. An operator has to run `dejavu reindex`; until then go on without this collection and say so.";
  if (isRefusedSearch({ dependency, failure }))
    return "The vector store does not take this search, so nothing was searched. Change the filters: fewer conditions, fewer or other values.";
  const reason = failure === "timeout" ? "did not answer in time" : "cannot be used now";
  return dependency === "embedder"
    ? `The embedding service ${reason}, so nothing could be searched by meaning. Search again with a keyword or filters and without a query, which needs no embedding, or try again in a minute.`
    : `The vector store (Chroma) ${reason}, so nothing was searched. Try again in a minute; if it fails again, go on without this search and say so.`;
}

/** Whether the vector store rejected the search, so that the caller has to change it. */
export function isRefusedSearch({ dependency, failure }: Pick<DependencyError, "dependency" | "failure">): boolean {
  return dependency === "vector_store" && failure === "refused";
}

/** Redacts the query; returns undefined when only redaction markers are left. */
function redactQuery(scrub: Scrub, query: string | undefined): string | undefined {
  if (query === undefined) return undefined;
  const scrubbed = scrub(query).trim();
  return /[\p{L}\p{N}]/u.test(scrubbed.replace(/\[REDACTED_[A-Z_]+\]/g, "")) ? scrubbed : undefined;
}

type Scrub = (text: string) => string;

function scrubFilter(scrub: Scrub, filter: Filter): Filter {
  const scrubValue = (value: MetadataValue) => (typeof value === "string" ? scrub(value) : value);
  switch (filter.op) {
    case "equals":
      return { ...filter, value: scrubValue(filter.value) };
    case "in":
      return { ...filter, values: filter.values.map(scrubValue) };
    case "not_in":
      return { ...filter, values: filter.values.map(scrub) };
    case "and":
      return { ...filter, filters: filter.filters.map((each) => scrubFilter(scrub, each)) };
  }
}

function describe(
  redact: Redact,
  hit: IndexedText & { readonly distance?: number },
  { query, keyword, scale }: Pick<CollectionSearch, "query" | "keyword"> & { readonly scale: RelevanceScale },
): CollectionHit {
  const { title } = documentFromIndex(hit);
  // These fields only serve to rebuild the document.
  const { document_title: _title, heading_path: _path, ...metadata } = hit.metadata;
  // Redacts again: the text may be older than some of the rules.
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
