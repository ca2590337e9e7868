// The incident: created once and never changed.

import type { ReadEvidence } from "../../lib/logs/evidence.ts";
import { withoutMarkers } from "../../lib/redaction/redaction-marker.ts";
import type { Classification, DomainRoute } from "./domain.ts";
import { type Severity, UNKNOWN_INCIDENT_TYPE } from "./incident-values.ts";

export { SEVERITIES, type Severity } from "./incident-values.ts";

export interface Incident {
  /** UUID, created with the incident. */
  readonly id: string;
  readonly createdAt: Date;
  /** The alert's title, or the question when there is no title. */
  readonly title: string;
  readonly question: string | null;
  /** A rewritten search query; null when the question's own words are used. */
  readonly searchQuery: string | null;
  /** The service, host or object affected. */
  readonly target: string | null;
  readonly severity: Severity;
  readonly labels: Readonly<Record<string, string>>;
  readonly logs: string | null;
  /** Read from the headline and the logs once, when the incident is created or loaded. */
  readonly evidence: ReadEvidence;
  /** The runbook that the reporter attached, as a URL or a name. */
  readonly runbook: string | null;
  /** The expression of the alerting rule, in PromQL, as the sender wrote it; null without one. */
  readonly expression: string | null;
  /** The caller: a token's id, or a fixed name such as "service"; null when unknown. */
  readonly reportedBy: string | null;
  readonly sessionId: string;
  readonly domain: DomainRoute;
  readonly type: Classification;
}

export interface Resolution {
  readonly text: string;
  readonly by: string | null;
  readonly at: Date;
}

/** Whether it is a question only, without target, labels and logs. */
export function isBareQuestion({ title, question, target, labels, logs }: Incident): boolean {
  return title === question && target === null && logs === null && Object.keys(labels).length === 0;
}

/** The words of the keyword search: `"{incident_type} {searchText}"`, with the type only when it is known. */
export function recallQuery(incident: Incident): string {
  const { name } = incident.type;
  const text = searchText(incident);
  return name === UNKNOWN_INCIDENT_TYPE ? text : `${name.replaceAll("_", " ")} ${text}`;
}

/**
 * The report in one line, without markers: the alert's name, title and question, or the query that replaced the question.
 */
export function searchText({
  title,
  question,
  searchQuery,
  labels,
}: Pick<Incident, "title" | "question" | "searchQuery" | "labels">): string {
  const { alertname } = labels;
  const words = [
    alertname !== undefined && !title.includes(alertname) ? alertname : null,
    title === question && searchQuery !== null ? null : title,
    searchQuery ?? (title === question ? null : question),
  ];
  return withoutMarkers(words.filter((part) => part !== null).join(" "));
}

/** Texts that show names by their structure: `pod="checkout-0"`, `target="checkout"`. */
export function nameHints({ labels, target }: Pick<Incident, "labels" | "target">): string[] {
  const pairs = Object.entries({ ...labels, ...(target === null ? {} : { target }) });
  return pairs.map(([key, value]) => `${key}="${value}"`);
}

/** Cuts to at most `length` UTF-16 units without splitting a character in two. */
export function truncate(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length - 1);
  const whole = /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
  return `${whole.trimEnd()}…`;
}
