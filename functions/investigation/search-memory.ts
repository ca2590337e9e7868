// Owns the search of memory for its own sake: what a triage of these words would be given, and why in this order.

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
  /** What could not be asked. */
  readonly warnings: Warning[];
}

/**
 * Past incidents, earlier answers and the proven approach for a query; nothing is stored and no model is asked.
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
  const recalled = await recall(services, incident, await memoriesOf(services, sessionId));
  const { incidents, past_answers, procedure } = scrubRecalled(recalledHits(recalled, services.config));
  return {
    domain: { name: incident.domain.name, rule: incident.domain.rule },
    incidents,
    past_answers,
    procedure,
    warnings: recalled.missing.map(recallWarning),
  };
}

/** What a triage would make of these words; the domain is told from them where none is given. */
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

/** Without Postgres nobody knows them, and the search goes on without. */
async function memoriesOf(
  { database }: InvestigationServices,
  sessionId: string | undefined,
): Promise<SessionPastAnswers> {
  if (sessionId === undefined) return {};
  const known = await settle(sessionPastAnswers(database, sessionId));
  return known.ok ? known.value : {};
}
