// The recalled texts that can be an answer: runbooks, notes and postmortems, and past incidents with a fix. Pure functions.

import { fingerprint } from "../../memory/fingerprint.ts";
import type { Incident } from "../../schemas/incident.ts";
import { kindOf, type Recall, type RecalledIncident, type RecalledRunbook } from "../recall/recall-result.ts";

export type Candidate =
  | { readonly kind: "runbook"; readonly recalled: RecalledRunbook }
  | { readonly kind: "incident"; readonly recalled: RecalledIncident };

/** A curated runbook comes before another candidate whose probability is higher by at most this. */
const RUNBOOK_TOLERANCE = 0.1;
/** More than a probability and the tolerance: a person chose the attached runbook. */
const ATTACHED_BONUS = 2;

/** The candidates, best first. At equal standing, runbooks come first, and the order of the recall holds. */
export function rankCandidates(recall: Recall): Candidate[] {
  const candidates: readonly Candidate[] = [
    ...recall.runbooks.filter(explains).map((recalled) => ({ kind: "runbook", recalled }) as const),
    ...recall.incidents.filter(isFixed).map((recalled) => ({ kind: "incident", recalled }) as const),
  ];
  return candidates.toSorted((a, b) => standingOf(b) - standingOf(a));
}

function standingOf({ kind, recalled }: Candidate): number {
  const { probability } = recalled.relevance;
  if (kind === "incident" || kindOf(recalled) !== "runbook") return probability;
  return probability + RUNBOOK_TOLERANCE + (isAttached(recalled) ? ATTACHED_BONUS : 0);
}

function isAttached({ hits }: RecalledRunbook): boolean {
  return hits.some(({ contributions }) => contributions.attached !== undefined);
}

/** False for a log: it shows a failure without its cause. */
export function explains(runbook: RecalledRunbook): boolean {
  return kindOf(runbook) !== "log";
}

export function isFixed({ hit }: RecalledIncident): boolean {
  return hit.observation.resolution !== null;
}

/** Whether the incident has the fingerprint of an earlier one. */
export function isRepeatOf(incident: Incident, { repeatOf }: Recall, { hit }: RecalledIncident): boolean {
  const { observation } = hit;
  return observation.id === repeatOf?.id || observation.fingerprint === fingerprint(incident);
}
