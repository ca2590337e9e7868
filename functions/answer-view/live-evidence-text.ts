// Sentences about what was checked and observed in the running system, for every rendering. Pure functions.

import type { CheckResult } from "../../lib/checks/check.ts";
import type { LiveEvidence, ObservedExpression, OtherAlert, RecentChange } from "../schemas/live-evidence.ts";
import type { TriageResult } from "../schemas/triage-result.ts";
import { percentOf } from "./percent.ts";

export interface LiveEvidenceText {
  /** Checks with a decided result, confirmed ones first. */
  readonly decided: readonly CheckText[];
  /** Checks without one. */
  readonly undecided: readonly CheckText[];
  readonly changes: readonly string[];
  /** State, facts and newest events of the object. */
  readonly object: readonly string[];
  /** Of a storm: where it began, before the others. */
  readonly otherAlerts: readonly string[];
  /** Null without an expression. */
  readonly expression: string | null;
}

export interface CheckText {
  readonly result: CheckResult;
  /** "Confirmed", "Ruled out", "Inconclusive" or "Not run". */
  readonly verdict: string;
  readonly text: string;
}

const VERDICTS: Readonly<Record<CheckResult["verdict"], string>> = {
  confirmed: "Confirmed",
  refuted: "Ruled out",
  inconclusive: "Inconclusive",
  not_run: "Not run",
};
const MAX_EVENTS = 3;

export function liveEvidenceText({ checks, live }: Pick<TriageResult, "checks" | "live">): LiveEvidenceText {
  const texts = checks.map(checkText);
  const isDecided = ({ result: { verdict } }: CheckText) => verdict === "confirmed" || verdict === "refuted";
  return {
    decided: texts.filter(isDecided),
    undecided: texts.filter((text) => !isDecided(text)),
    changes: changeTexts(live),
    object: objectTexts(live),
    otherAlerts: [...originTexts(live), ...live.other_alerts.map(otherAlertText)],
    expression: live.expression && expressionText(live.expression),
  };
}

function checkText(result: CheckResult): CheckText {
  const { verdict, name, statement, value, rule, source, server, checked_at, as_of, cause } = result;
  const ruledOut = cause === null ? result.runbook : withoutStop(firstSentence(cause));
  const subject = verdict === "refuted" ? `${ruledOut}: ` : "";
  const facts = [
    ...(value === null ? [] : [value]),
    ...(rule === null ? [] : [rule]),
    [
      `check ${name}`,
      ...(source === null ? [] : [server === null ? source : `${source} at ${server}`]),
      ...(as_of === null ? [] : [`about ${as_of.slice(0, 10)} ${clock(as_of)}, the start of the incident`]),
      ...(checked_at === null || as_of !== null ? [] : [clock(checked_at)]),
    ].join(", "),
  ];
  return { result, verdict: VERDICTS[verdict], text: `${subject}${withoutStop(statement)} (${facts.join("; ")}).` };
}

function changeTexts({ changes }: LiveEvidence): string[] {
  if (changes.recent.length > 0) return changes.recent.map(changeText);
  return changes.reported ? ["No change of this service was reported in the two hours before."] : [];
}

function changeText(change: RecentChange): string {
  return `${beforeText(change.minutes_before)}: ${changeName(change)}`;
}

/** `deployment checkout 4.2 (production, by dana)` */
export function changeName({ kind, service, environment, title, version, by, url }: RecentChange): string {
  const what = title === "" ? [service, ...(version === null ? [] : [version])].join(" ") : title;
  const details = [
    ...(title === "" || title.includes(service) ? [] : [service]),
    ...(environment === null ? [] : [environment]),
    ...(by === null ? [] : [`by ${by}`]),
    ...(url === null ? [] : [url]),
  ];
  return `${kind} ${what}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
}

function beforeText(minutes: number): string {
  const rounded = Math.round(Math.abs(minutes));
  const side = minutes < 0 ? "after" : "before";
  return rounded === 1 ? `1 minute ${side}` : `${rounded} minutes ${side}`;
}

function objectTexts({ object }: LiveEvidence): string[] {
  if (object === null) return [];
  const { kind, name, namespace, state, owner, facts, events } = object;
  const place = namespace === null ? "" : ` in ${namespace}`;
  return [
    `${kind} ${name}${place}: ${state}${owner === null ? "" : ` (${owner})`}`,
    ...facts,
    ...events.slice(0, MAX_EVENTS).map(({ reason, message, count }) => {
      const times = count > 1 ? ` (${count} times)` : "";
      return `Event ${reason}${times}: ${message}`;
    }),
  ];
}

function originTexts({ origin }: LiveEvidence): string[] {
  return origin === null ? [] : [originText(origin)];
}

/** "Probably began at the host node-5 (71 %): 9 alerts on 6 objects since 03:02:10 UTC". */
export function originText({
  level,
  object,
  probability,
  alerts,
  objects,
  since,
}: NonNullable<LiveEvidence["origin"]>): string {
  return `Probably began at the ${level} ${object} (${percentOf(probability)}): ${alerts} alerts on ${objects} objects since ${clock(since)}`;
}

function otherAlertText({ alertname, target, severity, starts_at, shared_labels }: OtherAlert): string {
  const shared = Object.entries(shared_labels).map(([name, value]) => `${name}=${value}`);
  const on = target === null ? "" : ` on ${target}`;
  return `${alertname}${on}, ${severity}, since ${clock(starts_at)} (same ${shared.join(", ")})`;
}

function expressionText(expression: ObservedExpression): string | null {
  const movement = movementText(expression);
  return movement && `${expression.query}: ${movement}`;
}

/** First and last value of the series that moved most, without its query; null without values. */
export function movementText({ series, source }: ObservedExpression): string | null {
  const spans = series.flatMap(({ points }) => {
    const values = points.flatMap(([, value]) => (value === null ? [] : [value]));
    const [first] = values;
    const last = values.at(-1);
    return first === undefined || last === undefined ? [] : [{ first, last, top: Math.max(...values) }];
  });
  const [widest] = spans.toSorted((a, b) => Math.abs(b.last - b.first) - Math.abs(a.last - a.first));
  if (widest === undefined) return null;
  const { first, last, top } = widest;
  const peak = top > Math.max(first, last) ? `, at most ${shortNumber(top)}` : "";
  return `from ${shortNumber(first)} to ${shortNumber(last)}${peak} (${source})`;
}

/** Such as `36.6K`, `0.031`. */
export function shortNumber(value: number, digits = 3): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: digits }).format(value);
}

/** `03:00:01 UTC` of an ISO 8601 time. */
function clock(time: string): string {
  return `${/T(\d\d:\d\d:\d\d)/.exec(time)?.[1] ?? time} UTC`;
}

/** The name of a cause, which its explanation follows. */
export function firstSentence(text: string): string {
  // The stop of `Node.js` ends nothing.
  return /^(?:[^.]|\.(?=\S)){1,200}\.(?=\s)/.exec(text)?.[0] ?? text;
}

function withoutStop(text: string): string {
  return text.replace(/[.\s]{1,9}$/, "");
}
