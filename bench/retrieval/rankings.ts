// The compared rankings: BM25 alone, vectors alone, plain reciprocal rank fusion of both, and the shipped ranking. All query
// the real stores.

import { DependencyError } from "../../functions/dependencies.ts";
import { runbookQuery } from "../../functions/knowledge/recall-runbooks.ts";
import type { SearchScope } from "../../functions/schemas/domain.ts";
import { type HybridHit, hybridSearch, keywordResultSchema } from "../../functions/search-index/hybrid-search.ts";
import type { Services } from "../../functions/services.ts";
import { B, K1 } from "../../lib/ranking/bm25.ts";
import { tokenize } from "../../lib/text/tokenize.ts";
import { nameOf } from "./data-set.ts";
import { reciprocalRankFusion } from "./reciprocal-rank.ts";

export interface Rankings {
  readonly bm25: readonly string[];
  readonly dense: readonly string[];
  readonly rrf: readonly string[];
  readonly shipped: readonly string[];
  /** What the shipped ranking found, with what each feature gave. */
  readonly hits: readonly HybridHit[];
}

const COLLECTION = "runbooks";
/** Chunks that a baseline retrieves: enough for ten runbooks. */
const BASELINE_CHUNKS = 100;

interface Chunk {
  readonly id: string;
  readonly source: string;
}

/** How the searches of one question are limited and what they prefer. */
export const EVERYWHERE: SearchScope = { only: null, preferred: {}, excluded: [] };

export async function rank(services: Services, text: string, scope = EVERYWHERE): Promise<Rankings> {
  const [vector = []] = await services.embedder.embed([text]);
  const [keywords, near, hits] = await Promise.all([
    services.database.call("search_documents", {
      p_collection: COLLECTION,
      p_terms: [...tokenize(text)],
      p_limit: BASELINE_CHUNKS,
      p_k1: K1,
      p_b: B,
    }),
    services.vectors.search(COLLECTION, { vector, limit: BASELINE_CHUNKS }),
    shippedHits(services, text, { scope, vector: Promise.resolve(vector) }),
  ]);
  const ids = idsOf(keywordResultSchema.parse(keywords).hits);
  const texts = ids.length === 0 ? [] : await services.vectors.find(COLLECTION, { ids, limit: ids.length });
  const sourceOf = new Map([...texts, ...near].map(({ id, metadata }) => [id, String(metadata.source)]));
  const chunkOf = (id: string) => ({ id, source: sourceOf.get(id) ?? "" });
  const bm25 = ids.map(chunkOf);
  const dense = idsOf(near).map(chunkOf);
  return {
    bm25: bestFirst(bm25),
    dense: bestFirst(dense),
    rrf: bestFirst(inOrder([...bm25, ...dense], reciprocalRankFusion([idsOf(bm25), idsOf(dense)]))),
    shipped: runbooksOf(hits),
    hits,
  };
}

/** The shipped search. A vector that fails is an unavailable embedder. */
export async function shippedHits(
  services: Services,
  text: string,
  { vector, scope = EVERYWHERE }: { readonly vector: Promise<readonly number[]>; readonly scope?: SearchScope },
): Promise<readonly HybridHit[]> {
  const query = {
    scope,
    vector,
    keywords: text,
    candidates: services.config.SEARCH_CANDIDATES,
    incidentType: undefined,
  };
  const { hits } = await hybridSearch(services, { ...runbookQuery(query), siblingTexts: 0 });
  return hits;
}

export function noVector(): Promise<readonly number[]> {
  return Promise.reject(new DependencyError("embedder", "unreachable", "disabled in the benchmark"));
}

/** A random direction, the same for the same seed. */
export async function randomVector(dimensions: number, seed: number): Promise<readonly number[]> {
  let state = seed * 2_654_435_761 + 1;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  // A sum of twelve uniform numbers is nearly normal, which gives directions without a preferred axis.
  return Array.from({ length: dimensions }, () => Array.from({ length: 12 }, uniform).reduce((a, b) => a + b) - 6);
}

/** The distinct runbooks of the hits, in order. */
export function runbooksOf(hits: readonly HybridHit[]): string[] {
  return bestFirst(hits.map(({ document }) => ({ id: document.id, source: document.source ?? "" })));
}

function bestFirst(chunks: readonly Chunk[]): string[] {
  return [...new Set(chunks.map(({ source }) => nameOf(source)))];
}

function idsOf(chunks: readonly { readonly id: string }[]): string[] {
  return chunks.map(({ id }) => id);
}

function inOrder(chunks: readonly Chunk[], ids: readonly string[]): Chunk[] {
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
