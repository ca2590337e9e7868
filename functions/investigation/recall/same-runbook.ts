// Past incidents that the report's own runbook answered. Two short reports may have no word in common, such as "exited with
// code 137" and "OOM killed"; that one runbook answers both then says most. Pure functions.

import { readSignature } from "../../retrieval/failure-signature/read-signature.ts";
import { scoreOfProbability } from "../../retrieval/ranking/rank-memory.ts";
import type { Incident } from "../../schemas/incident.ts";
import { atLeast } from "../relevance/relevance.ts";
import { type RecalledIncident, type RecalledRunbook, reaches } from "./recall-result.ts";

/** Set by hand. A runbook covers several causes, so that its record is only possibly of the same failure. */
const SAME_RUNBOOK_PROBABILITY = 0.4;

/** Name of the contribution. */
export const SAME_RUNBOOK = "same_runbook";

export interface RunbookAnswers {
  /** Best first. */
  readonly runbooks: readonly RecalledRunbook[];
  /** Source of the runbook that answered a past incident, by the incident's id. */
  readonly answeredBy: ReadonlyMap<string, string>;
  readonly thresholds: { readonly answer: number; readonly possible: number };
}

/** Words of a log, each counted once, below which it is short: a headline alone, or a few lines. */
const MAX_WORDS = 60;

/** Whether the report has no log, or a short one. */
export function isShortReport(incident: Incident): boolean {
  return readSignature(incident).words.length < MAX_WORDS;
}

/**
 * If no past incident is alike, raises the most similar one that has a fix and the report's own runbook.
 * @param incidents most similar first
 */
export function withSameRunbook(
  incidents: readonly RecalledIncident[],
  { runbooks, answeredBy, thresholds }: RunbookAnswers,
): readonly RecalledIncident[] {
  const [runbook] = runbooks;
  if (runbook === undefined || !reaches(runbook, thresholds.answer)) return incidents;
  if (incidents.some((incident) => reaches(incident, thresholds.possible))) return incidents;
  const chosen = incidents.find(
    ({ hit: { document, observation } }) =>
      observation.resolution !== null && answeredBy.get(document.id) === runbook.source,
  );
  if (chosen === undefined) return incidents;
  const { hit, likeness } = chosen;
  const relevance = atLeast(chosen.relevance, SAME_RUNBOOK_PROBABILITY, SAME_RUNBOOK);
  const raised = {
    hit: { ...hit, score: scoreOfProbability(SAME_RUNBOOK_PROBABILITY, hit.ranking) },
    relevance,
    likeness: { ...likeness, alike: [...likeness.alike, `the runbook that answers both: ${runbook.title}`] },
  };
  return incidents.map((incident) => (incident === chosen ? raised : incident));
}
