// Owns the incident: built once at intake, never changed, and the form in which it is remembered.

import type { Classification } from "../domains/classify.ts";
import { type DomainName, UNKNOWN_INCIDENT_TYPE } from "../domains/domain.ts";
import type { DomainRoute } from "../domains/route.ts";
import type { SearchDocument } from "./search-document.ts";

export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Incident {
  /** UUID, made at intake. */
  readonly id: string;
  readonly createdAt: Date;
  /** The alert's title, or the question where only that was given. */
  readonly title: string;
  readonly question: string | null;
  /** What is searched for in place of the question; null where its own words are. */
  readonly searchQuery: string | null;
  /** The service, host or object affected. */
  readonly target: string | null;
  readonly severity: Severity;
  readonly labels: Readonly<Record<string, string>>;
  readonly logs: string | null;
  readonly sessionId: string;
  readonly domain: DomainRoute;
  readonly type: Classification;
}

/** Characters of the analysis that are remembered. */
const ANALYSIS_LENGTH = 1_500;
/** Characters of a resolution that travel in the index's metadata, for when Postgres cannot be asked. */
const RESOLUTION_PREVIEW_LENGTH = 500;

export interface Resolution {
  readonly text: string;
  readonly by: string | null;
  readonly at: Date;
}

export type RememberedIncident = Pick<Incident, "id" | "createdAt" | "title" | "target" | "severity"> & {
  readonly incidentType: string;
};

export function incidentCollection(domain: DomainName): string {
  return `incidents-${domain}`;
}

/** The record by which an incident is found again: one a incident, replaced when there is a resolution. */
export function incidentDocument(
  incident: RememberedIncident,
  analysis: string,
  resolution: Resolution | null,
): SearchDocument {
  const facts = [
    `Type: ${incident.incidentType}`,
    ...(incident.target !== null ? [`Target: ${incident.target}`] : []),
    `Severity: ${incident.severity}`,
  ].join("\n");
  const parts = [facts, truncate(analysis, ANALYSIS_LENGTH)];
  if (resolution) parts.push(`Resolution: ${resolution.text}`);
  return {
    id: incident.id,
    source: null,
    chunkIndex: null,
    title: incident.title,
    headingPath: [],
    body: parts.filter((part) => part !== "").join("\n\n"),
    metadata: {
      incident_id: incident.id,
      title: incident.title,
      target: incident.target ?? "",
      severity: incident.severity,
      incident_type: incident.incidentType,
      tools_used: "",
      stored_at: incident.createdAt.toISOString(),
      resolved: resolution !== null,
      ...(resolution
        ? {
            resolution: truncate(resolution.text, RESOLUTION_PREVIEW_LENGTH),
            resolved_by: resolution.by ?? "",
            resolved_at: resolution.at.toISOString(),
          }
        : {}),
    },
    writtenAt: incident.createdAt,
  };
}

/** The words that both searches look for: `"{incident_type} {title}"`, the type only where there is one. */
export function recallQuery({ title, question, searchQuery, type }: Incident): string {
  const words = [
    type.name === UNKNOWN_INCIDENT_TYPE ? null : type.name.replaceAll("_", " "),
    title === question && searchQuery !== null ? null : title,
    searchQuery ?? (title === question ? null : question),
  ];
  return words.filter((part) => part !== null).join(" ");
}

/** Cuts to at most `length` UTF-16 units without splitting a character in two. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const whole = /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
  return `${whole.trimEnd()}…`;
}
