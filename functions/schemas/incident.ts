// Owns the incident: built once at intake, never changed.

import type { Classification, DomainRoute } from "./domain.ts";
import { UNKNOWN_INCIDENT_TYPE } from "./domain.ts";

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
  /** The runbook that the reporter attached, as a URL or a name. */
  readonly runbook: string | null;
  /** The caller: a token's id, or a fixed name such as "service"; null where nobody knows. */
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

/** Nothing but words: no report of a monitor, of which more is known. */
export function isBareQuestion({ title, question, target, labels, logs }: Incident): boolean {
  return title === question && target === null && logs === null && Object.keys(labels).length === 0;
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
