// Creates an Incident from a request, and determines its domain and type from labels and words. Pure functions.

import { classifyIncident } from "../knowledge/domains/classify-incident.ts";
import type { DomainCatalog } from "../knowledge/domains/domain-catalog.ts";
import { type ReportText, routeDomain } from "../knowledge/domains/route-domain.ts";
import { type Classification, type DomainRoute, GENERAL_DOMAIN, UNKNOWN_INCIDENT_TYPE } from "../schemas/domain.ts";
import { type Incident, type Severity, searchText } from "../schemas/incident.ts";

export interface TriageRequest {
  readonly title?: string | undefined;
  readonly question?: string | undefined;
  readonly target?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly logs?: string | undefined;
  /** A URL or name of a runbook; a stored runbook of this name is recalled first. */
  readonly runbook?: string | undefined;
  /** The caller's id. */
  readonly reportedBy?: string | undefined;
  readonly incident_type?: string | undefined;
  readonly session_id?: string | undefined;
}

/** The rule of a type that the caller set. */
export const GIVEN_BY_CALLER = "given by the caller";

const DEFAULT_SEVERITY: Severity = "medium";

/** @throws RangeError when the request has neither title nor question, which the routes refuse */
export function createIncident(
  request: TriageRequest,
  { catalog, now, newId }: { readonly catalog: DomainCatalog; readonly now: Date; readonly newId: () => string },
): Incident {
  const title = request.title ?? request.question;
  if (title === undefined) throw new RangeError("An incident needs a title or a question.");
  const type =
    request.incident_type === undefined ? UNCLASSIFIED : { name: request.incident_type, rule: GIVEN_BY_CALLER };
  const incident: Incident = {
    id: newId(),
    createdAt: now,
    title,
    question: request.question ?? null,
    searchQuery: null,
    target: request.target ?? null,
    severity: request.severity ?? DEFAULT_SEVERITY,
    labels: request.labels ?? {},
    logs: request.logs ?? null,
    runbook: request.runbook ?? null,
    reportedBy: request.reportedBy ?? null,
    sessionId: request.session_id ?? newId(),
    domain: UNROUTED,
    type,
  };
  return routeIncident(catalog, incident);
}

/** The incident with domain and type as its labels and words say. A type that the caller gave stays. */
export function routeIncident(catalog: DomainCatalog, incident: Incident): Incident {
  const text = reportText(incident);
  const domain = routeDomain(catalog, text);
  return inDomain(catalog, incident, domain);
}

/** The incident in a domain that something else chose, with a type of that domain. */
export function inDomain(catalog: DomainCatalog, incident: Incident, domain: DomainRoute): Incident {
  const isGiven = incident.type.rule === GIVEN_BY_CALLER;
  const type = isGiven ? incident.type : classifyIncident(catalog, domain, reportText(incident));
  return { ...incident, domain, type };
}

function reportText(incident: Incident): ReportText {
  const { target, labels, logs } = incident;
  return {
    labels,
    headline: searchText(incident),
    details: [target ?? "", ...Object.entries(labels).map((pair) => pair.join("=")), logs ?? ""].join("\n"),
  };
}

const UNROUTED: DomainRoute = {
  name: GENERAL_DOMAIN,
  rule: "not routed yet",
  decidedBy: "none",
  limitsSearch: false,
  preferred: {},
};
const UNCLASSIFIED: Classification = { name: UNKNOWN_INCIDENT_TYPE, rule: "not classified yet" };
