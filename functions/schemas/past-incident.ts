// A past incident as answers and searches show it: likeness, recurrences, and fixes with their proof. Pure functions.

import type { PastIncident, ShownFix } from "./answer.ts";
import type { FixEntry } from "./fix.ts";
import { truncate } from "./incident.ts";

type RecordedFixes = Readonly<{
  resolution: string | null;
  resolved_by: string | null;
  resolved_at: string | null;
  fixes: readonly FixEntry[];
}>;

/** The fields of a hit that describe its record. */
export type PastRecord = RecordedFixes &
  Readonly<{
    probability: number;
    alike: readonly string[];
    differs: readonly string[];
    target: string | null;
    targets: readonly string[];
    occurrences: number;
    first_seen_at: string;
    last_seen_at: string;
  }>;

const MAX_TARGETS = 5;
const MAX_ALSO_HELPED = 3;
const MAX_RETIRED = 3;
const MAX_DID_NOT_HELP = 3;
const ACTION_LENGTH = 150;

/**
 * Sums up records of one failure with one fix.
 * @param record the one whose likeness is shown
 * @param others their recurrences and proofs are added
 * @param fingerprint of the report; null without one
 */
export function pastIncidentOf(
  record: PastRecord,
  { others = [], fingerprint }: { readonly others?: readonly PastRecord[]; readonly fingerprint: string | null },
): PastIncident {
  const records = [record, ...others];
  const fixes = records.flatMap((each) => shownFix(each, fingerprint) ?? []);
  return {
    probability: Math.max(...records.map(({ probability }) => probability)),
    alike: [...record.alike],
    differs: [...record.differs],
    recurrence: recurrenceOf(records),
    fix: fixes.length === 0 ? null : fixes.reduce(withProofOf),
    also_helped: records.flatMap((each) => otherActiveFixes(each, fingerprint)).slice(0, MAX_ALSO_HELPED),
    retired: records.flatMap(retiredFixes).slice(0, MAX_RETIRED),
    did_not_help: records.flatMap(failedActions).slice(0, MAX_DID_NOT_HELP),
    did_not_hold: fixesThatDidNotHold(records),
  };
}

/** The active fix with the fingerprint of the report, else the record's newest active one. */
export function shownFix(record: RecordedFixes, fingerprint: string | null): ShownFix | null {
  const { resolution, resolved_by, resolved_at } = record;
  const fix = activeFix(record, fingerprint);
  if (fix) {
    const { text, conditions, tried, worked, last_worked_at, imported_from, came_back_at } = fix;
    const [by, at] = [fix.last_worked_by || null, fix.first_at];
    return { text, by, at, conditions, tried, worked, last_worked_at, imported_from, came_back_at };
  }
  if (resolution === null || resolved_at === null) return null;
  // The copy in the search index has no proof.
  const unproven = { conditions: null, tried: 1, worked: 1, imported_from: null, came_back_at: null };
  return { text: resolution, by: resolved_by || null, at: resolved_at, last_worked_at: resolved_at, ...unproven };
}

function activeFix({ fixes, resolution }: RecordedFixes, fingerprint: string | null): FixEntry | undefined {
  const active = fixes.filter(isActive);
  return (
    active.find((each) => each.fingerprint === fingerprint) ??
    active.find(({ text }) => text === resolution) ??
    active[0]
  );
}

/** A fix is replaced only by its author or an admin. Those that other people recorded are active beside it. */
function otherActiveFixes(record: RecordedFixes, fingerprint: string | null): PastIncident["also_helped"] {
  const shown = activeFix(record, fingerprint);
  return record.fixes
    .filter((each) => isActive(each) && each.id !== shown?.id && each.fingerprint === shown?.fingerprint)
    .map(({ text, last_worked_by, tried, worked }) => ({
      text: actionOf(text),
      by: last_worked_by || null,
      tried,
      worked,
    }));
}

function isActive({ retired, worked }: FixEntry): boolean {
  return retired === null && worked > 0;
}

/** Actions that were tried and never helped. */
export function failedActions({ fixes }: Pick<RecordedFixes, "fixes">): PastIncident["did_not_help"] {
  return fixes
    .filter(({ worked, tried }) => worked === 0 && tried > 0)
    .map(({ text, tried }) => ({ text: actionOf(text), times: tried }));
}

/** The newest fixes in a row after which the failure came back. */
export function fixesThatDidNotHold(records: readonly Pick<RecordedFixes, "fixes">[]): number {
  const fixes = records
    .flatMap((each) => each.fixes)
    .filter(({ worked }) => worked > 0)
    .toSorted((a, b) => Date.parse(b.last_worked_at ?? b.first_at) - Date.parse(a.last_worked_at ?? a.first_at));
  const firstThatHeld = fixes.findIndex(({ came_back_at }) => came_back_at === null);
  return firstThatHeld === -1 ? fixes.length : firstThatHeld;
}

/** A fix that was corrected before it helped anybody is no former fix. */
function retiredFixes({ fixes }: RecordedFixes): PastIncident["retired"] {
  return fixes.flatMap(({ text, retired, worked }) =>
    retired === null || worked === 0 ? [] : [{ text: actionOf(text), reason: retired.reason, at: retired.at }],
  );
}

/** The services of a record, newest first. */
function targetsOf({ target, targets }: Pick<PastRecord, "target" | "targets">): string[] {
  return [...new Set([...targets, ...(target === null ? [] : [target])])];
}

function recurrenceOf(records: readonly PastRecord[]): PastIncident["recurrence"] {
  const targets = [...new Set(records.flatMap(targetsOf))];
  const first = records.map(({ first_seen_at }) => first_seen_at);
  const last = records.map(({ last_seen_at }) => last_seen_at);
  return {
    count: records.reduce((sum, { occurrences }) => sum + occurrences, 0),
    first_at: first.reduce((a, b) => (Date.parse(b) < Date.parse(a) ? b : a)),
    last_at: last.reduce((a, b) => (Date.parse(b) > Date.parse(a) ? b : a)),
    targets: targets.slice(0, MAX_TARGETS),
    more_targets: Math.max(0, targets.length - MAX_TARGETS),
  };
}

/** The same action on two records. The try that worked last says by whom, and whether the failure came back. */
function withProofOf(a: ShownFix, b: ShownFix): ShownFix {
  const newer = Date.parse(b.last_worked_at ?? b.at) > Date.parse(a.last_worked_at ?? a.at) ? b : a;
  const { by, last_worked_at, imported_from, came_back_at } = newer;
  return {
    text: a.text,
    by,
    at: Date.parse(b.at) < Date.parse(a.at) ? b.at : a.at,
    conditions: a.conditions ?? b.conditions,
    tried: a.tried + b.tried,
    worked: a.worked + b.worked,
    last_worked_at,
    imported_from,
    came_back_at,
  };
}

/** An action on one line, without its full stop. */
function actionOf(text: string): string {
  return truncate(oneLine(text).replace(/\.$/, ""), ACTION_LENGTH);
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
