// Owns one search over one collection: dense and keyword search in parallel, fused, each hit explained. Either of the
// two may fail; the other then answers alone and the result says what was missing.

import { z } from "zod";
import type { Database } from "../adapters/database.ts";
import { parseReply } from "../adapters/rpc-result.ts";
import type { Filter, VectorHit, VectorStore } from "../adapters/vector-store.ts";
import type { DependencyError } from "../dependencies.ts";
import type { Contribution } from "../retrieval/ranking/fuse.ts";
import { type Candidate, type RankingFeature, rankHits } from "../retrieval/ranking/rank-hits.ts";
import { tokenize } from "../retrieval/text/tokenize.ts";
import { type DenseResult, nearestFirst, searchDense, settle } from "./dense-search.ts";
import { documentFromIndex, documentFromRow, documentRowSchema, type SearchDocument } from "./search-document.ts";

/** `attached`: the report names the runbook, which no search can know better. */
export type Signal = RankingFeature | "attached";

export interface HybridHit {
  readonly document: SearchDocument;
  /** The sum of the contributions' values; 0 to about 9. */
  readonly score: number;
  readonly contributions: Partial<Record<Signal, Contribution>>;
  /** Cosine distance, where the dense search found it. */
  readonly distance?: number;
  /** The BM25 score and what each query term added to it, where the keyword search found it. */
  readonly bm25?: { readonly score: number; readonly terms: Readonly<Record<string, number>> };
}

export interface TermStatistics {
  /** Documents of the collection that hold the term; 0 for a term that it has never seen. */
  readonly df: number;
  readonly idf: number;
}

export interface HybridResult {
  /** Best first. */
  readonly hits: readonly HybridHit[];
  /** Other chunks of the sources that the keyword search ranked best. */
  readonly siblings: readonly SearchDocument[];
  /** How much each query term says in this collection; empty when the keyword search was missing. */
  readonly terms: Readonly<Record<string, TermStatistics>>;
  /** Words that the collection does not know, and the known ones that they were taken for. */
  readonly corrections: Readonly<Record<string, string>>;
  /** Ids that the vector store is owed: what it alone says of them is not true any more. */
  readonly owed: ReadonlySet<string>;
  /** What could not be asked. */
  readonly missing: readonly DependencyError[];
}

export interface HybridQuery {
  readonly collection: string;
  /** The dense search's query vector; may be in the making. */
  readonly vector: Promise<readonly number[]>;
  /** The keyword search's text. */
  readonly keywords: string;
  /** Hits from each of the two searches. */
  readonly candidates: number;
  /** How many of the best sources come with all their chunks. */
  readonly siblingSources: number;
  /** Hits with a resolution that each search brings besides: repeats nobody resolved must not crowd out the fix. */
  readonly resolvedCandidates: number;
  /** Hits of curated runbooks that each search brings besides: a long log must not crowd out the procedure. */
  readonly curatedCandidates?: number;
  /** The recognised type of incident: what is about the same type is lifted, among what was found. */
  readonly incidentType?: string | undefined;
}

const keywordResultSchema = z.object({
  terms: z.record(z.string(), z.object({ df: z.number(), idf: z.number() })),
  hits: z.array(documentRowSchema.extend({ score: z.number(), contributions: z.record(z.string(), z.number()) })),
  siblings: z.array(documentRowSchema),
  /** Unknown words, and the known ones that they were also taken for. */
  corrections: z.record(z.string(), z.string()),
  owed: z.array(z.string()),
  /** The sources of the hits, but for logs: terms in all their chunks together, how often each query term is among them. */
  sources: z.array(
    z.object({
      source: z.string(),
      length: z.number(),
      frequencies: z.record(z.string(), z.number()),
      lead: z.string().describe("How it begins."),
    }),
  ),
});
type KeywordResult = z.infer<typeof keywordResultSchema>;

const NOTHING: KeywordResult = {
  terms: {},
  hits: [],
  siblings: [],
  corrections: {},
  owed: [],
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

  const reply = keyword.ok ? keyword.value : NOTHING;
  return {
    hits: rank(dense.hits ?? [], reply, query),
    siblings: reply.siblings.map(documentFromRow),
    terms: reply.terms,
    corrections: reply.corrections,
    owed: new Set(reply.owed),
    missing,
  };
}

/** Neither the vectors nor the keywords could be searched. */
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
  // Where all that is near is curated, a second search would bring the same.
  const isMixed = nearest.hits?.some(({ metadata }) => metadata.kind !== "runbook") ?? false;
  if (curatedCandidates === 0 || !isMixed) return nearest;
  const curated = await searchDense(vectors, collection, vector, [{ limit: curatedCandidates, filter: CURATED }]);
  return { hits: nearestFirst([...(nearest.hits ?? []), ...(curated.hits ?? [])]), missing: curated.missing };
}

async function searchKeywords(database: Database, query: HybridQuery): Promise<KeywordResult> {
  const reply = await database.call(
    "search_documents",
    {
      p_collection: query.collection,
      p_terms: tokenize(query.keywords),
      p_limit: query.candidates,
      p_sibling_sources: query.siblingSources,
      p_resolved_limit: Math.max(query.resolvedCandidates, query.curatedCandidates ?? 0),
    },
    1,
  );
  return parseReply(keywordResultSchema, reply, "search_documents");
}

function rank(
  dense: readonly VectorHit[],
  { hits, terms, sources, corrections }: KeywordResult,
  { keywords, incidentType }: HybridQuery,
): HybridHit[] {
  const denseById = new Map(dense.map((hit) => [hit.id, hit]));
  const keywordById = new Map(hits.map((hit) => [hit.id, hit]));
  // The database's row is the truth; the vector store's copy serves where only that was found.
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
