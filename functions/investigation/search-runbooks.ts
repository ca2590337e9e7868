// Search of runbooks without a triage. It returns the recalled chunks, best first. A triage also reorders them with the
// reranker, and limits notes, logs and postmortems to half of the shown sections.

import { recallRunbooks } from "../knowledge/recall-runbooks.ts";
import type { DomainRoute } from "../schemas/domain.ts";
import type { Warning } from "../schemas/triage-result.ts";
import { BothSearchesFailed } from "../search-index/hybrid-search.ts";
import { type SearchedRunbook, searchedRunbook } from "./evidence/recalled-hits.ts";
import { embedReport } from "./recall/embed-report.ts";
import { createRecallQuery } from "./recall/recall.ts";
import { RecallUnavailable } from "./recall/recall-result.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import { recallWarning } from "./run/warnings.ts";
import { incidentOfQuery } from "./search-memory.ts";

export interface RunbookSearchResult {
  readonly domain: Pick<DomainRoute, "name" | "rule">;
  /** Best first. */
  readonly hits: SearchedRunbook[];
  /** Parts of the search that failed. */
  readonly warnings: Warning[];
}

/**
 * Finds chunks of runbooks, notes, logs and postmortems. Stores nothing and asks no language model.
 * @throws RecallUnavailable when both the keyword search and the vector search failed
 */
export async function searchRunbooks(
  services: InvestigationServices,
  { query, domain, limit }: { readonly query: string; readonly domain?: string | undefined; readonly limit: number },
): Promise<RunbookSearchResult> {
  const incident = await incidentOfQuery(services, { query, domain });
  const { report } = embedReport(services, incident);
  const recallQuery = createRecallQuery(services, incident, report);
  const ageing = { now: incident.createdAt, halfLifeDays: services.config.TIME_DECAY_HALFLIFE_DAYS };
  try {
    const { hits, missing } = await recallRunbooks(services, recallQuery, ageing);
    return {
      domain: { name: incident.domain.name, rule: incident.domain.rule },
      hits: hits.slice(0, limit).map((hit) => services.guard.runbook(searchedRunbook(hit))),
      warnings: missing.map(recallWarning),
    };
  } catch (error) {
    if (error instanceof BothSearchesFailed) throw new RecallUnavailable(error.failures);
    throw error;
  }
}
