// The past incidents of an answer with their fixes. Pure functions.

import type { components } from "../../../../../../client/client.js";
import { firstFixed } from "../../../../../../functions/answer-view/past-incident-text.ts";
import type { IncidentDetail } from "../../answer/model/incident.ts";

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

/** Those of its answer, and those that were recorded since; each action once. */
export function fixesOf({ triage, fixes }: Pick<IncidentDetail, "triage" | "fixes">): Fix[] {
  const shown = triage === null ? [] : shownPastIncidents(triage).flatMap(activeFixes);
  // The proof of those that were recorded is the present one.
  return [...new Map([...shown, ...fixes].map((fix) => [fix.text, fix])).values()];
}

/** The fix that the answer shows; undefined without one. */
export function shownFix(triage: Triage | null): Fix | undefined {
  const text = triage === null ? undefined : firstFixed(triage.answer)?.fix.text;
  const fixes = triage === null ? [] : shownPastIncidents(triage).flatMap(activeFixes);
  return fixes.find((fix) => fix.text === text);
}
