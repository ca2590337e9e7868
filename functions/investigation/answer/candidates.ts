// The recalled texts that can be an answer: runbooks, notes and postmortems, and past incidents with a fix. Pure functions.

import { fingerprintOfReport } from "../../memory/observed-report.ts";
import type { Incident } from "../../schemas/incident.ts";
import { isRuledOut, refutationOf, runbookVerdict } from "../evidence/check-verdicts.ts";
import { kindOf, type Recall, type RecalledIncident, type RecalledRunbook } from "../recall/recall-result.ts";

export type Candidate =
  | { readonly kind: "runbook"; readonly recalled: RecalledRunbook }
  | { readonly kind: "incident"; readonly recalled: RecalledIncident };

/** A curated runbook comes before another candidate whose probability is higher by at most this. */
const RUNBOOK_TOLERANCE = 0.15;
/** Notes and postmortems beyond the first sources are no candidates: in any quantity, they do not displace a runbook. */
const MAX_UNCURATED_PLACE = 3;
/** A runbook with a confirmed check comes before another one that is more probable by at most this. */
const CONFIRMED_BONUS = 0.2;
/** More than a probability and the tolerance: a person chose the attached runbook. */
const ATTACHED_BONUS = 2;

/** The candidates, best first, without runbooks that a check rules out. At equal standing, runbooks come first, and the order of the recall holds. */
export function rankCandidates(recall: Recall): Candidate[] {
  const candidates: readonly Candidate[] = [
    ...recall.runbooks
      .filter((runbook, i) => mayExplain(runbook, i) && !isRuledOut(recall, runbook))
      .map((recalled) => ({ kind: "runbook", recalled }) as const),
    ...recall.incidents
      .filter((incident) => isFixed(incident) && !isRefuted(incident, recall))
      .map((recalled) => ({ kind: "incident", recalled }) as const),
  ];
  return candidates.toSorted((a, b) => standingOf(b, recall) - standingOf(a, recall));
}

function standingOf({ kind, recalled }: Candidate, recall: Recall): number {
  const { probability } = recalled.relevance;
  if (kind === "incident" || kindOf(recalled) !== "runbook") return probability;
  const confirmed = runbookVerdict(recall, recalled) === "confirmed" ? CONFIRMED_BONUS : 0;
  return probability + RUNBOOK_TOLERANCE + confirmed + (isAttached(recalled) ? ATTACHED_BONUS : 0);
}

function isAttached({ hits }: RecalledRunbook): boolean {
  return hits.some(({ contributions }) => contributions.attached !== undefined);
}

/** False for a log: it shows a failure without its cause. */
function mayExplain(runbook: RecalledRunbook, place: number): boolean {
  const kind = kindOf(runbook);
  return kind === "runbook" || (kind !== "log" && place < MAX_UNCURATED_PLACE);
}

export function isFixed({ hit }: RecalledIncident): boolean {
  return hit.observation.resolution !== null;
}

/** Whether a check refutes what a past incident was about. */
function isRefuted({ hit: { observation } }: RecalledIncident, { checks }: Recall): boolean {
  return refutationOf(checks, `${observation.title} ${observation.resolution?.text ?? ""}`) !== undefined;
}

/** Whether the incident has the fingerprint of an earlier one. */
export function isRepeatOf(incident: Incident, { repeatOf }: Recall, { hit }: RecalledIncident): boolean {
  const { observation } = hit;
  return observation.id === repeatOf?.id || observation.fingerprint === fingerprintOfReport(incident);
}
