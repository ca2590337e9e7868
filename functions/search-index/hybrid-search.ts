// Hybrid search over one collection: dense and keyword search in parallel, ranked together, with the contributions of each
// hit. If one of the two fails, the other answers alone and the result lists the failures.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import type { Filter, VectorHit, VectorStore } from "../adapters/vector-store.ts";
import { type DependencyError, settle } from "../dependencies.ts";
import { B, K1 } from "../retrieval/ranking/bm25.ts";
import type { Contribution } from "../retrieval/ranking/fuse.ts";
import { type Candidate, type RankingFeature, rankHits } from "../retrieval/ranking/rank-hits.ts";
import { tokenize } from "../retrieval/text/tokenize.ts";
import { type DenseResult, nearestFirst, searchDense } from "./dense-search.ts";
import { documentFromIndex, documentFromRow, documentRowSchema, type SearchDocument } from "./search-document.ts";

/** `attached`: the report names the runbook. */
export type HitFeature = RankingFeature | "attached";

export interface HybridHit {
  readonly document: SearchDocument;
  /** Sum of the contributions' values; 0 to about 9. */
  readonly score: number;
  readonly contributions: Partial<Record<HitFeature, Contribution>>;
  /** Cosine distance, when the dense search found it. */
  readonly distance?: number;
  /** BM25 score and the contribution of each query term, when the keyword search found it. */
  readonly bm25?: { readonly score: number; readonly terms: Readonly<Record<string, number>> };
}

export interface TermStatistics {
  /** Number of documents in the collection that hold the term; 0 for an unknown term. */
  readonly df: number;
  readonly idf: number;
}

export interface HybridResult {
  /** Best first. */
  readonly hits: readonly HybridHit[];
  /** Other chunks of the best sources of the keyword search. */
  readonly siblings: readonly SearchDocument[];
  /** Weights of the query's terms in this collection; empty when the keyword search failed. */
  readonly terms: Readonly<Record<string, TermStatistics>>;
  /** Corrections of words that do not occur in the collection. */
  readonly corrections: Readonly<Record<string, string>>;
  /** Ids with a pending write: the vector store's copy of these documents is outdated. */
  readonly pending: ReadonlySet<string>;
  /** Failed dependencies. */
  readonly missing: readonly DependencyError[];
}

export interface HybridQuery {
  readonly collection: string;
  /** Query vector of the dense search; may still be pending. */
  readonly vector: Promise<readonly number[]>;
  /** Text of the keyword search. */
  readonly keywords: string;
  /** Maximum number of hits from each of the two searches. */
  readonly candidates: number;
  /** Number of best sources that are returned with all their chunks. */
  readonly siblingSources: number;
  /** Additional hits with a resolution from each search: unresolved repeats must not crowd out the fix. */
  readonly resolvedCandidates: number;
  /** Additional hits of curated runbooks from each search: a long log must not crowd out the procedure. */
  readonly curatedCandidates?: number;
  /** The recognised incident type; hits about the same type rank higher. */
  readonly incidentType?: string | undefined;
}

const keywordResultSchema = z.object({
  terms: z.record(z.string(), z.object({ df: z.number(), idf: z.number() })),
  hits: z.array(documentRowSchema.extend({ score: z.number(), contributions: z.record(z.string(), z.number()) })),
  siblings: z.array(documentRowSchema),
  /** Unknown words and their corrections; both are searched for. */
  corrections: z.record(z.string(), z.string()),
  pending: z.array(z.string()),
  /** Sources of the hits, except logs: number of terms in all their chunks, and the frequency of each query term. */
  sources: z.array(
    z.object({
      source: z.string(),
      length: z.number(),
      frequencies: z.record(z.string(), z.number()),
      lead: z.string().describe("The beginning of the text."),
    }),
  ),
});
type KeywordResult = z.infer<typeof keywordResultSchema>;

const EMPTY_RESULT: KeywordResult = {
  terms: {},
  hits: [],
  siblings: [],
  corrections: {},
  pending: [],
  sources: [],
};

/** @throws BothSearchesFailed when neither search could be made */
export async function hybridSearch(
  stores: { readonly database: Database; readonly vectors: VectorStore },
  query: HybridQuery,
): Promise<HybridResult> {
  const [dense, keyword] = await Promise.all([
    searchByMeaning(stores.vectors, query),
    settle(searchKeywords(stores.database, query)),
  ]);
  const missing = [...dense.missing, ...(keyword.ok ? [] : [keyword.error])];
  if (dense.hits === undefined && !keyword.ok) throw new BothSearchesFailed(missing);

  const keywordResult = keyword.ok ? keyword.value : EMPTY_RESULT;
  return {
    hits: rank(dense.hits ?? [], keywordResult, query),
    siblings: keywordResult.siblings.map(documentFromRow),
    terms: keywordResult.terms,
    corrections: keywordResult.corrections,
    pending: new Set(keywordResult.pending),
    missing,
  };
}

/** Thrown when both the dense and the keyword search failed. */
export class BothSearchesFailed extends Error {
  override readonly name = "BothSearchesFailed";
  readonly failures: readonly DependencyError[];

  constructor(failures: readonly DependencyError[]) {
    super(failures.map((failure) => failure.message).join("; "));
    this.failures = failures;
  }
}

const RESOLVED: Filter = { op: "equals", field: "resolved", value: true };
const CURATED: Filter = { op: "equals", field: "kind", value: "runbook" };

async function searchByMeaning(vectors: VectorStore, query: HybridQuery): Promise<DenseResult> {
  const { collection, vector, candidates, resolvedCandidates, curatedCandidates = 0 } = query;
  const nearest = await searchDense(vectors, collection, vector, [
    { limit: candidates },
    ...(resolvedCandidates > 0 ? [{ limit: resolvedCandidates, filter: RESOLVED }] : []),
  ]);
  // If all near hits are curated, a second search would return the same.
  const isMixed = nearest.hits?.some(({ metadata }) => metadata.kind !== "runbook") ?? false;
  if (curatedCandidates === 0 || !isMixed) return nearest;
  const curated = await searchDense(vectors, collection, vector, [{ limit: curatedCandidates, filter: CURATED }]);
  return { hits: nearestFirst([...(nearest.hits ?? []), ...(curated.hits ?? [])]), missing: curated.missing };
}

async function searchKeywords(database: Database, query: HybridQuery): Promise<KeywordResult> {
  return database.call(
    "search_documents",
    {
      p_collection: query.collection,
      p_terms: tokenize(query.keywords),
      p_limit: query.candidates,
      p_k1: K1,
      p_b: B,
      p_sibling_sources: query.siblingSources,
      p_curated_limit: Math.max(query.resolvedCandidates, query.curatedCandidates ?? 0),
    },
    keywordResultSchema,
    { retries: 1 },
  );
}

function rank(
  dense: readonly VectorHit[],
  { hits, terms, sources, corrections }: KeywordResult,
  { keywords, incidentType }: HybridQuery,
): HybridHit[] {
  const denseById = new Map(dense.map((hit) => [hit.id, hit]));
  const keywordById = new Map(hits.map((hit) => [hit.id, hit]));
  // The row in the database is authoritative. The vector store's copy is used when only the dense search found it.
  const documents = new Map([
    ...dense.map((hit) => [hit.id, documentFromIndex(hit)] as const),
    ...hits.map((hit) => [hit.id, documentFromRow(hit)] as const),
  ]);
  const candidates = [...documents.values()].map(
    (document): Candidate => ({
      ...document,
      bm25: keywordById.get(document.id)?.score,
      distance: denseById.get(document.id)?.distance,
      isSameType: incidentType !== undefined && document.metadata.incident_type === incidentType,
    }),
  );
  return rankHits(candidates, { query: keywords, sources, statistics: terms, corrections }).flatMap(
    (fused): HybridHit[] => {
      const fromDense = denseById.get(fused.id);
      const fromKeyword = keywordById.get(fused.id);
      const document = documents.get(fused.id);
      if (!document) return [];
      return [
        {
          document,
          score: fused.score,
          contributions: fused.contributions,
          ...(fromDense ? { distance: fromDense.distance } : {}),
          ...(fromKeyword ? { bm25: { score: fromKeyword.score, terms: fromKeyword.contributions } } : {}),
        },
      ];
    },
  );
}
