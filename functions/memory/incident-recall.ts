// Owns how past incidents are recalled for a new one.

import { timeDecay } from "../retrieval/decay.ts";
import { byScoreThenId, scaleFused } from "../retrieval/fuse.ts";
import { type HybridHit, type HybridResult, hybridSearch } from "./hybrid-search.ts";
import { incidentCollection } from "./incident.ts";
import type { RecallQuery } from "./runbooks.ts";
import type { MemoryStores } from "./stores.ts";

export interface IncidentRecallQuery extends RecallQuery {
  /** The incident that asks; it is no memory of itself. */
  readonly incidentId: string;
  /** Cosine distance, 0 to 2, beyond which a hit is dropped. */
  readonly maxDistance: number;
  readonly now: Date;
  readonly halfLifeDays: number;
}

const RESOLVED_CANDIDATES = 6;

/** Past incidents of the domain, best first, older ones counting less. @throws BothSearchesFailed */
export async function recallIncidents(stores: MemoryStores, query: IncidentRecallQuery): Promise<HybridResult> {
  const result = await hybridSearch(stores, {
    collection: incidentCollection(query.domain),
    vector: query.vector,
    keywords: query.keywords,
    candidates: query.candidates,
    incidentType: query.incidentType,
    siblingSources: 0,
    resolvedCandidates: RESOLVED_CANDIDATES,
  });
  const hits = result.hits
    .filter((hit) => hit.document.id !== query.incidentId)
    .filter((hit) => hit.distance === undefined || hit.distance <= query.maxDistance)
    .map((hit) => decayed(hit, query))
    .sort((a, b) => byScoreThenId({ ...a, id: a.document.id }, { ...b, id: b.document.id }));
  return { ...result, hits };
}

function decayed(hit: HybridHit, { now, halfLifeDays }: IncidentRecallQuery): HybridHit {
  const factor = timeDecay(hit.document.writtenAt, now, halfLifeDays);
  const { score, contributions } = scaleFused({ ...hit, id: hit.document.id }, factor);
  return { ...hit, score, contributions };
}
