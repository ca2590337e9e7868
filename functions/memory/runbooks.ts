// Owns the runbook layer: recall for an incident. Writing runbooks is runbook-ingest.ts.

import type { DomainName } from "../domains/domain.ts";
import { collectionOf } from "./collections.ts";
import { type HybridResult, hybridSearch } from "./hybrid-search.ts";
import type { MemoryStores } from "./stores.ts";

export interface RecallQuery {
  readonly domain: DomainName;
  readonly vector: Promise<readonly number[]>;
  readonly keywords: string;
  readonly candidates: number;
  /** The recognised type of incident. */
  readonly incidentType: string | undefined;
}

/** Sources whose other sections come along: an answer quotes the causes and the steps of the runbook it rests on. */
const SIBLING_SOURCES = 5;

/** @throws BothSearchesFailed */
export function recallRunbooks(stores: MemoryStores, query: RecallQuery): Promise<HybridResult> {
  return hybridSearch(stores, {
    collection: collectionOf("runbooks", query.domain),
    vector: query.vector,
    keywords: query.keywords,
    candidates: query.candidates,
    incidentType: query.incidentType,
    siblingSources: SIBLING_SOURCES,
    resolvedCandidates: 0,
  });
}
