// Search of memory without a triage: the same hits in the same order, each with its ranking.

import { settle } from "../dependencies.ts";
import { createIncident } from "../incidents/create-incident.ts";
import { guardRequest, scrubRecalled } from "../incidents/guard-request.ts";
import { type SessionPastAnswers, sessionPastAnswers } from "../incidents/run-records.ts";
import { classifyIncident } from "../knowledge/domains/classify-incident.ts";
import type { DomainName, DomainRoute } from "../schemas/domain.ts";
import type { Incident } from "../schemas/incident.ts";
import type { TriageResult, Warning } from "../schemas/triage-result.ts";
import { recalledHits } from "./evidence/recalled-hits.ts";
import { recall } from "./recall/recall.ts";
import type { InvestigationServices } from "./run/services.ts";
import { recallWarning } from "./run/warnings.ts";

export interface MemorySearchResult extends Omit<TriageResult["recalled"], "runbooks" | "reranking"> {
  readonly domain: Pick<DomainRoute, "name" | "rule">;
  /** Parts of the search that failed. */
  readonly warnings: Warning[];
}

/**
 * Past incidents, past answers and the procedure for a query. Stores nothing and asks no model.
 * @throws RecallUnavailable when nothing can be searched
 */
export async function searchMemory(
  services: InvestigationServices,
  {
    query,
    domain,
    sessionId,
  }: { readonly query: string; readonly domain?: DomainName | undefined; readonly sessionId?: string | undefined },
): Promise<MemorySearchResult> {
  const incident = incidentOfQuery(services, { query, domain, sessionId });
  const recalled = await recall(services, incident, await sessionPastAnswersOf(services, sessionId));
  const { incidents, past_answers, procedure } = scrubRecalled(recalledHits(recalled, services.config));
  return {
    domain: { name: incident.domain.name, rule: incident.domain.rule },
    incidents,
    past_answers,
    procedure,
    warnings: recalled.missing.map(recallWarning),
  };
}

/** The incident that a triage of the query would create. Without `domain`, the words of the query decide. */
export function incidentOfQuery(
  { now, newId }: Pick<InvestigationServices, "now" | "newId">,
  {
    query,
    domain,
    sessionId,
  }: { readonly query: string; readonly domain?: DomainName | undefined; readonly sessionId?: string | undefined },
): Incident {
  const { request } = guardRequest({ title: query, session_id: sessionId });
  const incident = createIncident(request, now(), newId);
  if (domain === undefined) return incident;
  return {
    ...incident,
    domain: { name: domain, rule: "given by the caller", isDecided: true },
    type: classifyIncident(domain, incident.title, ""),
  };
}

/** Empty while the database is unavailable. */
async function sessionPastAnswersOf(
  { database }: InvestigationServices,
  sessionId: string | undefined,
): Promise<SessionPastAnswers> {
  if (sessionId === undefined) return {};
  const ids = await settle(sessionPastAnswers(database, sessionId));
  return ids.ok ? ids.value : {};
}
