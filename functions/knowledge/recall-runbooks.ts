// Recalls runbooks for an incident, and the notes, logs and postmortems beside them. sync-runbooks.ts writes those of
// folders, ingest.ts those of the API.

import { byScoreThenId, scaleFused } from "../../lib/ranking/fuse.ts";
import { timeDecay } from "../../lib/ranking/time-decay.ts";
import type { SearchScope } from "../schemas/domain.ts";
import {
  type HybridHit,
  type HybridQuery,
  type HybridResult,
  hybridSearch,
  type IncidentTypeQuery,
  type KeywordResult,
} from "../search-index/hybrid-search.ts";
import type { IndexStores } from "../search-index/search-services.ts";
import { textKindOf } from "./text-documents.ts";

export interface RecallQuery {
  readonly scope: SearchScope;
  readonly vector: Promise<readonly number[]>;
  readonly keywords: string;
  readonly candidates: number;
  /** The recognised type of incident. */
  readonly incidentType: IncidentTypeQuery | undefined;
}

export interface Ageing {
  readonly now: Date;
  readonly halfLifeDays: number;
}

/**
 * Sources whose other sections are returned as well: an answer quotes causes and steps of the runbook that it cites.
 */
const SIBLING_TEXTS = 5;

/** The search for runbooks, for `searchKeywords` and `recallRunbooks`. */
export function runbookQuery({ scope, vector, keywords, incidentType, candidates }: RecallQuery): HybridQuery {
  return {
    collection: "runbooks",
    scope,
    vector,
    keywords,
    candidates,
    incidentType,
    siblingTexts: SIBLING_TEXTS,
    curatedCandidates: candidates,
  };
}

/**
 * Best first. Documents other than runbooks count for less the older they are. Deleted and replaced texts are dropped
 * even if the vector store still has them; without Postgres they cannot be recognised.
 * @param keywordSearch started by the caller; by default, the search is made here
 * @throws BothSearchesFailed
 */
export async function recallRunbooks(
  stores: IndexStores,
  query: RecallQuery,
  ageing: Ageing,
  keywordSearch?: Promise<KeywordResult>,
): Promise<HybridResult> {
  return withAges(await hybridSearch(stores, runbookQuery(query), keywordSearch), ageing);
}

function withAges(result: HybridResult, ageing: Ageing): HybridResult {
  const { widen } = result;
  const hits = result.hits.map((hit) => aged(hit, ageing)).sort((a, b) => byScoreThenId(scored(a), scored(b)));
  return { ...result, hits, ...(widen ? { widen: async () => withAges(await widen(), ageing) } : {}) };
}

function aged(hit: HybridHit, { now, halfLifeDays }: Ageing): HybridHit {
  if (textKindOf(hit.document) === "runbook") return hit;
  const { score, contributions } = scaleFused(scored(hit), timeDecay(hit.document.writtenAt, now, halfLifeDays));
  return { ...hit, score, contributions };
}

function scored({ document, score, contributions }: HybridHit) {
  return { id: document.id, score, contributions };
}
