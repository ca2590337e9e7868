// Search of memory without a triage: the same hits in the same order, each with its ranking.

import { settle } from "../dependencies.ts";
import { createIncident, inDomain } from "../incidents/create-incident.ts";
import { type SessionPastAnswers, sessionPastAnswers } from "../incidents/run-records.ts";
import { domainCatalog } from "../knowledge/domain-store.ts";
import { rerouted } from "../knowledge/domains/route-domain.ts";
import type { DomainRoute } from "../schemas/domain.ts";
import type { Incident } from "../schemas/incident.ts";
import type { TriageResult, Warning } from "../schemas/triage-result.ts";
import { recalledHits } from "./evidence/recalled-hits.ts";
import { recall } from "./recall/recall.ts";
import type { InvestigationServices } from "./run/investigation-services.ts";
import { recallWarning } from "./run/warnings.ts";

export interface MemorySearchResult extends Omit<TriageResult["recalled"], "runbooks" | "reranking"> {
  readonly domain: Pick<DomainRoute, "name" | "rule">;
  /** Parts of the search that failed. */
  readonly warnings: Warning[];
}

export interface QueryInput {
  readonly query: string;
  /** Limits the search to this domain; the words of the query prefer one otherwise. */
  readonly domain?: string | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * Past incidents, past answers and the procedure for a query. Stores nothing and asks no model.
 * @throws RecallUnavailable when nothing can be searched
 */
export async function searchMemory(services: InvestigationServices, input: QueryInput): Promise<MemorySearchResult> {
  const [incident, sessionPastAnswers, calibration] = await Promise.all([
    incidentOfQuery(services, input),
    sessionPastAnswersOf(services, input.sessionId),
    services.calibrations.currentOrStored(),
  ]);
  const recalled = await recall(services, incident, {
    sessionPastAnswers,
    attached: [],
    calibration,
  });
  const { incidents, past_answers, procedure } = services.guard.recalled(recalledHits(recalled, services.config));
  return {
    domain: { name: incident.domain.name, rule: incident.domain.rule },
    incidents,
    past_answers,
    procedure,
    warnings: recalled.missing.map(recallWarning),
  };
}

/** The records that are about the failure of the query, and what was answered to it. */
export function onlyAlike(result: MemorySearchResult): MemorySearchResult {
  const { incidents, past_answers, procedure } = result;
  return {
    ...result,
    incidents: incidents.filter(({ relevant }) => relevant),
    past_answers: past_answers.filter(({ relevant }) => relevant),
    procedure: procedure?.relevant ? procedure : null,
  };
}

/**
 * The incident that a triage of the query would create. The first line is its headline, the others are its logs: without error
 * lines, the record of a failure is rarely recognised.
 */
export async function incidentOfQuery(
  services: InvestigationServices,
  { query, domain, sessionId }: QueryInput,
): Promise<Incident> {
  const [title = "", ...others] = query.trim().split(/\r?\n/);
  const logs = others.join("\n").trim();
  const { request } = services.guard.request({ title, session_id: sessionId, ...(logs === "" ? {} : { logs }) });
  const catalog = await domainCatalog(services);
  const incident = createIncident(request, { catalog, now: services.now(), newId: services.newId });
  if (domain === undefined) return incident;
  const choice = { name: domain, rule: "given by the caller", decidedBy: "caller", limitsSearch: true } as const;
  return inDomain(catalog, incident, rerouted(incident.domain, choice));
}

/** Empty while the database is unavailable. */
async function sessionPastAnswersOf(
  { database }: InvestigationServices,
  sessionId: string | undefined,
): Promise<SessionPastAnswers> {
  if (sessionId === undefined) return [];
  const ids = await settle(sessionPastAnswers(database, sessionId));
  return ids.ok ? ids.value : [];
}
