// Owns the runbook layer: recall for an incident, of runbooks and of the notes, logs and postmortems beside them. Writing
// is runbook-ingest.ts for folders and sources.ts for the API.

import { byScoreThenId, scaleFused } from "../retrieval/ranking/fuse.ts";
import { timeDecay } from "../retrieval/ranking/time-decay.ts";
import type { DomainName } from "../schemas/domain.ts";
import { collectionOf } from "../search-index/collections.ts";
import { type HybridHit, type HybridResult, hybridSearch } from "../search-index/hybrid-search.ts";
import type { IndexStores } from "../search-index/services.ts";
import { sourceKindOf } from "./source-documents.ts";

export interface RecallQuery {
  readonly domain: DomainName;
  readonly vector: Promise<readonly number[]>;
  readonly keywords: string;
  readonly candidates: number;
  /** The recognised type of incident. */
  readonly incidentType: string | undefined;
}

export interface Ageing {
  readonly now: Date;
  readonly halfLifeDays: number;
}

/** Sources whose other sections come along: an answer quotes the causes and the steps of the runbook it rests on. */
const SIBLING_SOURCES = 5;

/**
 * Best first. What is no curated runbook counts for less the older it is. What was deleted or replaced is not found, also
 * where the vector store has not heard of it yet; without Postgres nobody can tell.
 * @throws BothSearchesFailed
 */
export async function recallRunbooks(stores: IndexStores, query: RecallQuery, ageing: Ageing): Promise<HybridResult> {
  const result = await hybridSearch(stores, {
    collection: collectionOf("runbooks", query.domain),
    vector: query.vector,
    keywords: query.keywords,
    candidates: query.candidates,
    incidentType: query.incidentType,
    siblingSources: SIBLING_SOURCES,
    resolvedCandidates: 0,
    curatedCandidates: query.candidates,
  });
  const isTrue = ({ document, bm25 }: HybridHit) => bm25 !== undefined || !result.owed.has(document.id);
  const current = result.hits.filter(isTrue);
  const hits = current.map((hit) => aged(hit, ageing)).sort((a, b) => byScoreThenId(scored(a), scored(b)));
  return { ...result, hits };
}

function aged(hit: HybridHit, { now, halfLifeDays }: Ageing): HybridHit {
  if (sourceKindOf(hit.document) === "runbook") return hit;
  const { score, contributions } = scaleFused(scored(hit), timeDecay(hit.document.writtenAt, now, halfLifeDays));
  return { ...hit, score, contributions };
}

function scored({ document, score, contributions }: HybridHit) {
  return { id: document.id, score, contributions };
}
