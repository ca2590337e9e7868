// Creates an Incident from a request, and determines its domain and type from labels and words. Pure functions.

import { isSymptomHeadline } from "../../lib/logs/find-headline.ts";
import { messageOf } from "../../lib/logs/message-of.ts";
import { withOriginalLines } from "../../lib/logs/original-lines.ts";
import { quotedErrors } from "../../lib/logs/quoted-errors.ts";
import { readEvidence } from "../../lib/logs/read-evidence.ts";
import { searchLines } from "../../lib/logs/search-lines.ts";
import { withoutMarkers } from "../../lib/redaction/redaction-marker.ts";
import { classifyIncident, type TypeText } from "../knowledge/domains/classify-incident.ts";
import type { DomainCatalog } from "../knowledge/domains/domain-catalog.ts";
import { type ReportText, rerouted, routeFirst, routeLate } from "../knowledge/domains/route-domain.ts";
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
  /** The expression of the alerting rule, in PromQL. */
  readonly expression?: string | undefined;
  /** The caller's id. */
  readonly reportedBy?: string | undefined;
  readonly incident_type?: string | undefined;
  readonly session_id?: string | undefined;
}

/** The rule of a type that the caller set. */
export const GIVEN_BY_CALLER = "given by the caller";

/** Error lines of this weight show a failure. */
const SHOWING_WEIGHT = 0.35;
/** Error lines of this weight name a cause. */
const DECISIVE_WEIGHT = 0.55;

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
  const incident = withEvidence({
    id: newId(),
    createdAt: now,
    title,
    question: request.question ?? null,
    searchQuery: null,
    target: request.target ?? null,
    severity: request.severity ?? DEFAULT_SEVERITY,
    labels: request.labels ?? {},
    logs: request.logs ?? quotedErrors(title),
    runbook: request.runbook ?? null,
    expression: request.expression ?? null,
    reportedBy: request.reportedBy ?? null,
    sessionId: request.session_id ?? newId(),
    domain: UNROUTED,
    type,
  });
  return routeIncident(catalog, incident);
}

/** The incident with the evidence that its headline and logs hold. */
export function withEvidence(incident: Omit<Incident, "evidence">): Incident {
  const { logs, target, labels } = incident;
  const headline = searchText(incident);
  return { ...incident, evidence: withOriginalLines(readEvidence({ headline, logs, target, labels }), logs ?? "") };
}

/**
 * The incident with domain and type as its labels, its runbook and its words say. A type that the caller gave stays.
 * @param runbook the domain of the stored runbook that the report names
 */
export function routeIncident(
  catalog: DomainCatalog,
  incident: Incident,
  runbook?: Pick<DomainRoute, "name" | "rule">,
): Incident {
  return inDomain(catalog, incident, domainRouteOf(catalog, incident, runbook));
}

/** The incident in a domain that something else chose, with a type of that domain. */
export function inDomain(catalog: DomainCatalog, incident: Incident, domain: DomainRoute): Incident {
  const isGiven = incident.type.rule === GIVEN_BY_CALLER;
  const type = isGiven ? incident.type : classifyIncident(catalog, domain, typeText(incident));
  return { ...incident, domain, type };
}

/** Late label rules and hints decide only where nothing else does. */
function domainRouteOf(
  catalog: DomainCatalog,
  incident: Incident,
  runbook?: Pick<DomainRoute, "name" | "rule">,
): DomainRoute {
  const text = reportText(incident, errorLineTexts(incident).join("\n"));
  const route = routeByLog(catalog, incident, text);
  const isNamed = runbook !== undefined && route.decidedBy !== "label";
  const choice = isNamed ? rerouted(route, { ...runbook, decidedBy: "runbook", limitsSearch: false }) : route;
  return routeLate(catalog, text, choice);
}

/** The error lines choose the domain. The whole log does only if they do not: it also names what else runs there. */
function routeByLog(catalog: DomainCatalog, incident: Incident, errorLines: ReportText): DomainRoute {
  const byLines = routeFirst(catalog, errorLines);
  if (incident.logs === null) return byLines;
  if (byLines.decidedBy === "words")
    return { ...byLines, isFirm: byLines.isFirm && isShown(catalog, incident, byLines) };
  if (byLines.decidedBy !== "none") return byLines;
  const byLog = routeFirst(catalog, reportText(incident, incident.logs));
  // What else runs there is no reason to open a domain that is only for its own reports.
  if (catalog.onlyWhenDecided.has(byLog.name)) return byLines;
  return { ...byLog, isFirm: byLog.decidedBy === "none" && byLines.isFirm };
}

/** Whether the lines that show the failure choose the same domain. Lighter lines are quoted for want of better ones. */
function isShown(catalog: DomainCatalog, incident: Incident, { name }: DomainRoute): boolean {
  const { lines } = incident.evidence;
  const showing = lines.filter(({ weight }) => weight >= SHOWING_WEIGHT);
  if (showing.length === lines.length) return true;
  return routeFirst(catalog, reportText(incident, showing.map(({ text }) => text).join("\n"))).name === name;
}

/** The text that the type is read from. The cause in the error lines beats a symptom in the title. */
function typeText(incident: Incident): TypeText {
  const text = reportText(incident, searchLines(incident.evidence).join("\n"));
  const decisive = incident.evidence.lines.filter(({ weight }) => weight >= DECISIVE_WEIGHT);
  return {
    ...text,
    decisiveLines: isSymptomHeadline(text.headline) ? decisive.map((line) => messageOf(line.text)) : [],
  };
}

function errorLineTexts({ evidence }: Incident): string[] {
  return evidence.lines.map(({ text }) => text);
}

function reportText(incident: Incident, log: string): ReportText {
  const { target, labels } = incident;
  return {
    labels,
    headline: searchText(incident),
    details: withoutMarkers([target ?? "", ...Object.entries(labels).map((pair) => pair.join("=")), log].join("\n")),
  };
}

const UNROUTED: DomainRoute = {
  name: GENERAL_DOMAIN,
  rule: "not routed yet",
  decidedBy: "none",
  limitsSearch: false,
  preferred: {},
  excluded: [],
  isFirm: false,
};
const UNCLASSIFIED: Classification = { name: UNKNOWN_INCIDENT_TYPE, rule: "not classified yet" };
