// The words for a past incident, shared by all renderings. Pure functions.

import type { Answer, PastFix, PastIncident, ShownFix } from "../schemas/answer.ts";
import { importedFrom } from "../schemas/imported-from.ts";
import { truncate } from "../schemas/incident.ts";
import { oneLine, type PastRecord, pastIncidentOf } from "../schemas/past-incident.ts";
import { FIXED_BEFORE } from "./outcome-name.ts";
import { percentOf } from "./percent.ts";

/** The report that a past incident is shown to. */
export interface ShownTo {
  readonly target: string | null;
  readonly at: Date;
  /** Whether the report is the same failure. */
  readonly isSame: boolean;
}

export interface TextPart {
  readonly text: string;
  readonly role: "plain" | "fix" | "retired";
}

export type FixedIncident = PastFix & { readonly fix: ShownFix };

export type DescribedHit = PastIncident & { readonly text: string };

const MAX_NAMED_TARGETS = 3;
const TITLE_LENGTH = 150;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIXED_BY = "Fixed by: ";
const REPLACED = "Replaced: ";

/**
 * One line: the last fixes if they did not hold, the last day, title, recurrences, fix with its proof, whether it held, other fixes, failed actions, former fixes and probability.
 * @param isRepeatedFix whether an earlier line of the answer has the same fix
 */
export function pastIncidentText(
  past: PastIncident,
  {
    title,
    isRepeatedFix = false,
    report = null,
  }: { readonly title: string; readonly isRepeatedFix?: boolean; readonly report?: ShownTo | null },
): string {
  const { fix, retired, probability } = past;
  return [
    ...didNotHoldSentence(past),
    `${headOf(past, title)}.`,
    fix === null ? "No fix recorded." : fixSentence(fix, isRepeatedFix),
    ...(fix === null ? [] : heldSentence(fix, past, report)),
    ...alsoHelpedSentence(past),
    ...didNotHelpSentence(past),
    ...retired.map(({ text, reason }) => `${REPLACED}${text} (${reason}).`),
    `${percentOf(probability)} likely the same failure.`,
  ].join(" ");
}

/** Whether the answer starts with the fix of a past incident that is the same failure. */
export function startsWithFix({ worked_before: [first] }: Pick<Answer, "worked_before">): boolean {
  return first?.same_failure ?? false;
}

/** `imported from PagerDuty`, `worked 3 of 4 times` and the conditions. Nothing for a first success here. */
export function proofOf({
  tried,
  worked,
  conditions,
  imported_from,
}: Pick<ShownFix, "tried" | "worked" | "conditions" | "imported_from">): string[] {
  return [
    ...(imported_from === null ? [] : [importedFrom(oneLine(imported_from))]),
    ...(tried > 1 ? [`worked ${worked} of ${tried} times`] : []),
    ...(conditions === null ? [] : [`conditions: ${oneLine(conditions)}`]),
  ];
}

/**
 * A service that the text of a fix names in place of the reported one: who copies its command changes another service. Null if it
 * names none.
 * @param target of the report
 */
export function otherServiceIn(
  { fix, recurrence }: Pick<PastIncident, "fix" | "recurrence">,
  target: string | null,
): string | null {
  const words = new Set(fix?.text.split(/[^\w.-]+|\.(?!\w)/));
  if (target === null || words.has(target)) return null;
  return recurrence.targets.find((name) => name !== target && words.has(name)) ?? null;
}

/** The first past incident of an answer with a fix: what a page and a message show of them all. */
export function firstFixed({ worked_before }: Pick<Answer, "worked_before">): FixedIncident | undefined {
  return worked_before.find((past): past is FixedIncident => past.fix !== null);
}

/** `Fixed before, 88 % the same failure`; `Fixed before` where the answer takes it for the same one. */
export function fixedBefore({ probability, same_failure }: Pick<PastFix, "probability" | "same_failure">): string {
  return same_failure ? FIXED_BEFORE : `${FIXED_BEFORE}, ${percentOf(probability)} the same failure`;
}

/** `came back 3 days later`; nothing if it did not. */
export function cameBack({
  came_back_at,
  last_worked_at,
}: Pick<ShownFix, "came_back_at" | "last_worked_at">): string[] {
  if (came_back_at === null || last_worked_at === null) return [];
  return [`came back ${spanOf(Date.parse(came_back_at) - Date.parse(last_worked_at))} later`];
}

/** One fix that did not hold says so by itself. */
const MIN_FIXES_THAT_DID_NOT_HOLD = 2;

/** `The last 2 fixes did not hold: look elsewhere.` */
export function didNotHoldSentence({ did_not_hold }: Pick<PastIncident, "did_not_hold">): string[] {
  if (did_not_hold < MIN_FIXES_THAT_DID_NOT_HOLD) return [];
  return [`The last ${did_not_hold} fixes did not hold: look elsewhere.`];
}

/** Successes after which a fix needs no runbook beside it. */
const PROVEN = 3;

/** Whether a fix has helped three times and the failure did not come back. */
export function isProven(fix: Pick<ShownFix, "worked" | "came_back_at"> | null): boolean {
  return fix !== null && fix.worked >= PROVEN && fix.came_back_at === null;
}

/** `Also helped: a larger host (dana; worked 3 of 4 times), a restart.` */
function alsoHelpedSentence({ also_helped }: Pick<PastIncident, "also_helped">): string[] {
  if (also_helped.length === 0) return [];
  const fixes = also_helped.map(({ text, by, tried, worked }) => {
    const details = [
      ...(by === null ? [] : [oneLine(by)]),
      ...proofOf({ tried, worked, conditions: null, imported_from: null }),
    ];
    return details.length === 0 ? text : `${text} (${details.join("; ")})`;
  });
  return [`Also helped: ${fixes.join(", ")}.`];
}

/** `Did not help: restarting (twice), a larger disk.` */
export function didNotHelpSentence({ did_not_help }: Pick<PastIncident, "did_not_help">): string[] {
  if (did_not_help.length === 0) return [];
  const actions = did_not_help.map(({ text, times }) => (times === 1 ? text : `${text} (${timesOf(times)})`));
  return [`Did not help: ${actions.join(", ")}.`];
}

/** `Alike: exit 137; the alert KubePodCrashLooping.` and `Differs: exit code 137, then 1.`, each if there is something. */
export function likenessLines({
  alike,
  differs,
}: {
  readonly alike: readonly string[];
  readonly differs: readonly string[];
}): string[] {
  return [
    ...(alike.length > 0 ? [`Alike: ${alike.map(oneLine).join("; ")}.`] : []),
    ...(differs.length > 0 ? [`Differs: ${differs.map(oneLine).join("; ")}.`] : []),
  ];
}

/** The text of a past fix in parts, so that renderings can shorten the fix and strike former ones through. */
export function textParts({ text, fix, retired }: Pick<DescribedHit, "text" | "fix" | "retired">): TextPart[] {
  const marked = [
    ...(fix === null ? [] : [{ mark: FIXED_BY, action: oneLine(fix.text), role: "fix" as const }]),
    ...retired.map((each) => ({ mark: REPLACED, action: each.text, role: "retired" as const })),
  ];
  const parts: TextPart[] = [];
  let end = 0;
  for (const { mark, action, role } of marked) {
    const at = text.indexOf(mark + action, end);
    if (at === -1 || action === "") continue;
    const start = at + mark.length;
    parts.push({ text: text.slice(end, start), role: "plain" }, { text: action, role });
    end = start + action.length;
  }
  return [...parts, { text: text.slice(end), role: "plain" }];
}

/** As `textParts`, but the fix with its proof first, and then the record. */
export function fixFirst(past: Parameters<typeof textParts>[0] & Pick<PastIncident, "did_not_hold">): TextPart[] {
  const parts = textParts(past);
  const [before, fix, ...after] = parts;
  const warning = didNotHoldSentence(past)
    .map((sentence) => `${sentence} `)
    .join("");
  if (before === undefined || fix?.role !== "fix" || !before.text.startsWith(warning)) return parts;
  const record = ` ${before.text.slice(warning.length, -FIXED_BY.length).trim()}`;
  return [{ text: warning, role: "plain" }, fix, ...after, { text: record, role: "plain" }];
}

/** A hit of a search as an answer shows it. */
export function describeHit(hit: PastRecord & { readonly title: string }): DescribedHit {
  const past = pastIncidentOf(hit, { fingerprint: null });
  return { ...past, text: pastIncidentText(past, { title: hit.title }) };
}

/** The text of the parts, with former fixes struck through. */
export function withStruck(parts: readonly TextPart[], strike: (text: string) => string): string {
  return parts.map(({ text, role }) => (role === "retired" ? strike(text) : text)).join("");
}

function headOf({ recurrence }: PastIncident, title: string): string {
  const name = `"${truncate(oneLine(title), TITLE_LENGTH)}"`;
  const { count, first_at, last_at } = recurrence;
  const often = count > 1 ? `, ${count} times since ${dayOf(first_at)}` : "";
  return `${dayOf(last_at)} ${name}${often}${placesOf(recurrence)}`;
}

/** ` on checkout, ledger and 2 more` */
function placesOf({ targets, more_targets }: PastIncident["recurrence"]): string {
  const total = targets.length + more_targets;
  if (total === 0) return "";
  const named = total <= MAX_NAMED_TARGETS ? targets : targets.slice(0, MAX_NAMED_TARGETS - 1);
  const names = total > named.length ? [...named, `${total - named.length} more`] : named;
  const before = names.slice(0, -1).join(", ");
  return ` on ${before === "" ? "" : `${before} and `}${names.at(-1) ?? ""}`;
}

function fixSentence(fix: ShownFix, isRepeatedFix: boolean): string {
  const { text, by, at, last_worked_at } = fix;
  const person = by === null ? "" : `${oneLine(by)}, `;
  const details = [`${person}${dayOf(last_worked_at ?? at)}`, ...proofOf(fix)].join("; ");
  return `${isRepeatedFix ? "Fixed the same way" : FIXED_BY + oneLine(text)} (${details}).`;
}

function heldSentence(fix: ShownFix, past: PastIncident, report: ShownTo | null): string[] {
  const [back] = cameBack(fix);
  if (back !== undefined) return [`It ${back}.`];
  const ms = heldFor(fix, past, report) ?? 0;
  if (report?.isSame) return ms > 0 ? [`It held for ${spanOf(ms)}, until this report.`] : [];
  return ms >= HOUR_MS ? [`It has held for ${spanOf(ms)}.`] : [];
}

/**
 * Milliseconds from the last success to a report of the same service; null where unknown, or where the fix may have worked on other
 * services only: it ended not every report, and those were on several.
 */
function heldFor(
  fix: ShownFix,
  { recurrence }: Pick<PastIncident, "recurrence">,
  report: ShownTo | null,
): number | null {
  const { targets, more_targets, count } = recurrence;
  const helpedOnAll = targets.length + more_targets === 1 || fix.worked === count;
  if (report?.target == null || fix.last_worked_at === null || !helpedOnAll || !targets.includes(report.target))
    return null;
  return report.at.getTime() - Date.parse(fix.last_worked_at);
}

/** Whether a report is of the failure that the fix of a past incident had ended. Within an hour, it may be the same question again. */
export function endsFix({ fix, recurrence }: Pick<PastIncident, "fix" | "recurrence">, report: ShownTo): boolean {
  if (fix === null || fix.came_back_at !== null || !report.isSame) return false;
  return (heldFor(fix, { recurrence }, report) ?? 0) >= HOUR_MS;
}

/** `3 days`, `1 hour`, `less than an hour` */
function spanOf(ms: number): string {
  if (ms < HOUR_MS) return "less than an hour";
  const [count, unit] = ms < DAY_MS ? [Math.floor(ms / HOUR_MS), "hour"] : [Math.floor(ms / DAY_MS), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function timesOf(count: number): string {
  return count === 2 ? "twice" : `${count} times`;
}

/** The day of an ISO 8601 time; empty for any other text. */
function dayOf(time: string): string {
  return /^\d{4}-\d\d-\d\d/.exec(time)?.[0] ?? "";
}
