// Creates an Incident from a request, and determines its domain and type from labels and words.

import { classifyIncident } from "../knowledge/domains/classify-incident.ts";
import { routeDomain } from "../knowledge/domains/route-domain.ts";
import type { Incident, Severity } from "../schemas/incident.ts";

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
export function createIncident(request: TriageRequest, now: Date, newId: () => string): Incident {
  const title = request.title ?? request.question;
  if (title === undefined) throw new RangeError("An incident needs a title or a question.");
  const labels = request.labels ?? {};
  const headline = [request.title, request.question].filter((text) => text !== undefined).join("\n");
  const details = [
    request.target ?? "",
    ...Object.entries(labels).map((pair) => pair.join("=")),
    request.logs ?? "",
  ].join("\n");
  const domain = routeDomain(labels, headline, details);
  return {
    id: newId(),
    createdAt: now,
    title,
    question: request.question ?? null,
    searchQuery: null,
    target: request.target ?? null,
    severity: request.severity ?? DEFAULT_SEVERITY,
    labels,
    logs: request.logs ?? null,
    runbook: request.runbook ?? null,
    reportedBy: request.reportedBy ?? null,
    sessionId: request.session_id ?? newId(),
    domain,
    type:
      request.incident_type === undefined
        ? classifyIncident(domain.name, headline, details)
        : { name: request.incident_type, rule: GIVEN_BY_CALLER },
  };
}
