// The past incidents of an answer with their fixes. Pure functions.

import type { components } from "../../../../../../client/client.js";
import { durationOf } from "../../../../format/time.ts";

type Triage = components["schemas"]["Triage"];
export type PastIncident = Triage["recalled"]["incidents"][number];
export type Fix = PastIncident["fixes"][number];

/** Those that are about the failure, the same ones as in the answer, the most probable first. */
export function shownPastIncidents(triage: Triage): PastIncident[] {
  return triage.recalled.incidents.filter(({ relevant }) => relevant).toSorted((a, b) => b.probability - a.probability);
}

export function activeFixes({ fixes }: PastIncident): Fix[] {
  return fixes.filter(({ retired, worked }) => retired === null && worked > 0);
}

/** The fix that the answer shows; undefined without one. */
export function shownFix(triage: Triage | null): Fix | undefined {
  const text = triage?.answer.worked_before.find(({ fix }) => fix !== null)?.fix?.text;
  const fixes = triage === null ? [] : shownPastIncidents(triage).flatMap(activeFixes);
  return fixes.find((fix) => fix.text === text);
}

export function failedFixes({ fixes }: PastIncident): Fix[] {
  return fixes.filter(({ worked, tried }) => worked === 0 && tried > 0);
}

export function formerFixes({ fixes }: PastIncident): Fix[] {
  return fixes.filter(({ retired, worked }) => retired !== null && worked > 0);
}

/** Such as `came back 3 days later`; null if it did not. */
export function cameBack({ came_back_at, last_worked_at }: Fix): string | null {
  if (came_back_at === null || last_worked_at === null) return null;
  return `came back ${durationOf(Math.max(0, Date.parse(came_back_at) - Date.parse(last_worked_at)))} later`;
}
