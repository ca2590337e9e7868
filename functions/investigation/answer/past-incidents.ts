// Past incidents with their fixes, as statements of an answer. Pure functions.

import type { Config } from "../../config.ts";
import type { PastFix } from "../../schemas/answer.ts";
import type { Incident, Resolution } from "../../schemas/incident.ts";
import { type Recall, type RecalledIncident, reaches } from "../recall/recall-result.ts";
import { isFixed, isRepeatOf } from "./candidates.ts";
import { statementKey } from "./distinct-statements.ts";

export type Thresholds = Pick<Config, "ANSWER_THRESHOLD" | "POSSIBLE_THRESHOLD">;

const MAX_PAST_INCIDENTS = 5;

/**
 * The relevant past incidents: the same failure with a fix first, then other fixes, then incidents without one.
 * @param precedents ids of documents that a model named; they come next after the same failure
 */
export function workedBefore(
  incident: Incident,
  recall: Recall,
  { thresholds, precedents = [] }: { readonly thresholds: Thresholds; readonly precedents?: readonly string[] },
): PastFix[] {
  const isSame = (each: RecalledIncident) => isSameFailure(each, thresholds);
  const rank = (each: RecalledIncident) =>
    Number(isSame(each)) * 8 +
    Number(isSame(each) && isRepeatOf(incident, recall, each)) * 4 +
    Number(precedents.includes(each.hit.document.id)) * 2 +
    Number(isFixed(each));
  const relevant = recall.incidents.filter((each) => reaches(each, thresholds.POSSIBLE_THRESHOLD));
  const shown = relevant.toSorted((a, b) => rank(b) - rank(a)).slice(0, MAX_PAST_INCIDENTS);
  const fixes = new Set<string>();
  return shown.map((each) => {
    const { resolution } = each.hit.observation;
    const key = resolution && statementKey(resolution.text);
    const isRepeatedFix = key !== null && fixes.has(key);
    if (key !== null) fixes.add(key);
    return {
      text: describePastIncident(each, isRepeatedFix),
      citations: [each.hit.document.id],
      supported: true,
      same_failure: isSame(each),
    };
  });
}

/** Whether a fixed incident is probably the same failure. */
export function isSameFailure(each: RecalledIncident, { ANSWER_THRESHOLD }: Thresholds): boolean {
  return isFixed(each) && reaches(each, ANSWER_THRESHOLD);
}

/** The title, target and day of a past incident. */
export function nameOf({ hit }: RecalledIncident): string {
  const { title, target, lastSeenAt } = hit.observation;
  return `"${title}"${target === null ? "" : ` on ${target}`} (${day(lastSeenAt)})`;
}

/** Date, occurrences, fix with its author, retired fixes, and score. A fix that was shown before is not repeated. */
function describePastIncident({ hit }: RecalledIncident, isRepeatedFix: boolean): string {
  const { title, target, occurrences, firstSeenAt, lastSeenAt, resolution, fixes } = hit.observation;
  const where = target === null ? "" : ` on ${target}`;
  const often = occurrences > 1 ? `, ${occurrences} times since ${day(firstSeenAt)}` : "";
  const how =
    resolution === null
      ? "No fix was recorded."
      : isRepeatedFix
        ? `Fixed the same way (${authorAndDay(resolution)}).`
        : `Fixed by: ${describeFix(resolution)}`;
  const former = fixes
    .filter(({ retired, worked }) => retired !== null && worked > 0)
    .map(
      (fix) =>
        ` Superseded: ${describeFix({ text: fix.text, by: fix.lastWorkedBy, at: fix.lastWorkedAt ?? fix.lastAt })}`,
    )
    .join("");
  return `${day(lastSeenAt)} "${title}"${where}${often}. ${how}${former} [score ${hit.score.toFixed(2)}]`;
}

function describeFix(fix: Resolution): string {
  return `${fix.text} (${authorAndDay(fix)})`;
}

function authorAndDay({ by, at }: Resolution): string {
  return `${by ? `${by}, ` : ""}${day(at)}`;
}

function day(time: Date): string {
  return time.toISOString().slice(0, 10);
}
