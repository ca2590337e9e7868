// Past incidents with their fixes, as statements of an answer. Pure functions.

import { endsFix, pastIncidentText, type ShownTo } from "../../answer-view/past-incident-text.ts";
import type { Config } from "../../config.ts";
import { fingerprintOfReport } from "../../memory/observed-report.ts";
import type { PastFix, PastIncident } from "../../schemas/answer.ts";
import type { Incident } from "../../schemas/incident.ts";
import { fixesThatDidNotHold, type PastRecord, pastIncidentOf, shownFix } from "../../schemas/past-incident.ts";
import { incidentHit } from "../evidence/recalled-hits.ts";
import { type Recall, type RecalledIncident, reaches, sameFailureFrom } from "../recall/recall-result.ts";
import { logOddsOf } from "../relevance/relevance.ts";
import { isFixed, isRepeatOf } from "./candidates.ts";
import { statementKey } from "./distinct-statements.ts";

export type Thresholds = Pick<Config, "ANSWER_THRESHOLD" | "POSSIBLE_THRESHOLD">;

const MAX_PAST_INCIDENTS = 5;
/** Log-odds by which the best fix must lead to be shown alone. */
const FAR_AHEAD = 2;

/**
 * The relevant past incidents: the same failure with a fix first, then other fixes, then incidents without one. A fix that is
 * far ahead is shown alone. Records of the same failure with the same fix are one line.
 * @param precedents ids of documents that a model named; they come next after the same failure
 */
export function workedBefore(
  incident: Incident,
  recall: Recall,
  { thresholds, precedents = [] }: { readonly thresholds: Thresholds; readonly precedents?: readonly string[] },
): PastFix[] {
  const isSame = (each: RecalledIncident) => isProbablySame(each, thresholds);
  const isRepeat = (each: RecalledIncident) => isSame(each) && isRepeatOf(incident, recall, each);
  const rank = (each: RecalledIncident) =>
    Number(isSame(each)) * 8 +
    Number(isRepeat(each)) * 4 +
    Number(precedents.includes(each.hit.document.id)) * 2 +
    Number(isFixed(each));
  const ranked = recall.incidents.filter((each) => isShown(each, thresholds)).toSorted((a, b) => rank(b) - rank(a));
  const single = farAhead(ranked, thresholds);
  const hasOtherRepeat = ranked.some((each) => each !== single && isRepeat(each));
  const shown = single && !hasOtherRepeat ? [single] : ranked;
  return linesOf(shown.map((each) => entryOf(each, incident, thresholds))).map((line) => describe(line, incident));
}

/** Whether a fixed incident is probably the same failure. */
function isProbablySame(each: RecalledIncident, thresholds: Thresholds): boolean {
  return isFixed(each) && reaches(each, sameFailureFrom(thresholds));
}

/** The title, target and day of a past incident. */
export function nameOf({ hit }: RecalledIncident): string {
  const { title, target, lastSeenAt } = hit.observation;
  return `"${title}"${target === null ? "" : ` on ${target}`} (${lastSeenAt.toISOString().slice(0, 10)})`;
}

/** Without a fix, only the same failure is of use. */
function isShown(each: RecalledIncident, thresholds: Thresholds): boolean {
  return reaches(each, isFixed(each) ? thresholds.POSSIBLE_THRESHOLD : sameFailureFrom(thresholds));
}

/** The most probable incident if it is the same failure, has a fix, and leads by far. */
function farAhead(incidents: readonly RecalledIncident[], thresholds: Thresholds): RecalledIncident | undefined {
  const [best, next] = incidents.toSorted((a, b) => b.relevance.probability - a.relevance.probability);
  if (best === undefined || next === undefined || !isProbablySame(best, thresholds)) return undefined;
  const lead = logOddsOf(best.relevance.probability) - logOddsOf(next.relevance.probability);
  return lead >= FAR_AHEAD ? best : undefined;
}

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly record: PastRecord;
  readonly isSame: boolean;
  /** The words of its fix; null without one. */
  readonly fixKey: string | null;
}

interface Line {
  readonly entries: readonly [Entry, ...Entry[]];
  /** Whether an earlier line has the same fix. */
  readonly isRepeatedFix: boolean;
}

function entryOf(each: RecalledIncident, incident: Incident, thresholds: Thresholds): Entry {
  const record = incidentHit(each, thresholds);
  const fix = shownFix(record, fingerprintOfReport(incident));
  return {
    id: each.hit.document.id,
    title: record.title,
    record,
    isSame: isProbablySame(each, thresholds),
    fixKey: fix && statementKey(fix.text),
  };
}

/** One line for each record, and one for all records of the same failure with the same fix. */
function linesOf(entries: readonly Entry[]): Line[] {
  const lines: Line[] = [];
  for (const entry of entries) {
    const { fixKey } = entry;
    const isSameFix = ({ entries: [first] }: Line) => fixKey !== null && first.fixKey === fixKey;
    const at = lines.findIndex((line) => isSameFix(line) && line.entries[0].isSame && entry.isSame);
    const line = lines[at];
    if (line) lines[at] = { ...line, entries: [...line.entries, entry] };
    else lines.push({ entries: [entry], isRepeatedFix: lines.some(isSameFix) });
  }
  return lines.slice(0, MAX_PAST_INCIDENTS);
}

function describe({ entries, isRepeatedFix }: Line, incident: Incident): PastFix {
  const [{ title, isSame, record }, ...others] = entries;
  const fingerprint = fingerprintOfReport(incident);
  const report = { target: incident.target, at: incident.createdAt, isSame };
  const stored = pastIncidentOf(record, { others: others.map((each) => each.record), fingerprint });
  const past = { ...stored, did_not_hold: notHeldUntil(report, stored, entries) };
  return {
    text: pastIncidentText(past, { title, isRepeatedFix, report }),
    citations: entries.map(({ id }) => id),
    supported: true,
    same_failure: isSame,
    ...past,
  };
}

/** Fixes in a row that did not hold, with the one that this report shows to have ended. */
function notHeldUntil(report: ShownTo, past: PastIncident, entries: Line["entries"]): number {
  if (!endsFix(past, report)) return past.did_not_hold;
  const came_back_at = report.at.toISOString();
  return fixesThatDidNotHold(
    entries.map(({ record }) => ({
      fixes: record.fixes.map((fix) => (fix.text === past.fix?.text ? { ...fix, came_back_at } : fix)),
    })),
  );
}
