// Past incidents that may be the same failure though the model finds none alike: they share a whole error line with the report, or
// the runbook that answers both. Two short reports may have no word in common, such as "exited with code 137" and "OOM killed".
// Pure functions.

import { wordsOfTemplate } from "../../../lib/logs/line-template.ts";
import { scoreOfProbability } from "../../../lib/ranking/rank-memory.ts";
import { readSignature } from "../../memory/read-signature.ts";
import { haveOtherExits } from "../../memory/same-failure.ts";
import type { FailureSignature } from "../../schemas/failure-signature.ts";
import type { Incident } from "../../schemas/incident.ts";
import { atLeast } from "../relevance/relevance.ts";
import { type RecalledIncident, type RecalledRunbook, reaches } from "./recall-result.ts";

/** Set by hand: a line and a runbook have several causes. Below `ANSWER_THRESHOLD`, so that a fix is shown as possible. */
const WEAK_PROBABILITY = 0.4;
/** Names of the contributions. */
export const SAME_LINE = "same_line";
export const SAME_RUNBOOK = "same_runbook";

/** Different words of a line that says enough. */
const MIN_LINE_WORDS = 4;
const MIN_LINE_WEIGHT = 0.5;
/** Words of a log, each counted once, below which it is short: a headline alone, or a few lines. */
const MAX_WORDS = 60;

export interface Surroundings {
  readonly incident: Incident;
  /** Best first. */
  readonly runbooks: readonly RecalledRunbook[];
  /** Source of the runbook that answered a past incident, by the incident's id. */
  readonly answeredBy: ReadonlyMap<string, string>;
  /** `POSSIBLE_THRESHOLD`. */
  readonly possible: number;
}

/** Whether the report has no log, or a short one. */
export function isShortReport(incident: Incident): boolean {
  return readSignature(incident).words.length < MAX_WORDS;
}

/**
 * If no past incident with a fix is alike, raises the most similar one that has a fix and an error line or the runbook in common.
 * @param incidents most similar first
 */
export function withWeakLikeness(
  incidents: readonly RecalledIncident[],
  surroundings: Surroundings,
): readonly RecalledIncident[] {
  const fixed = incidents.filter(({ hit }) => hit.observation.resolution !== null);
  if (fixed.some((each) => reaches(each, surroundings.possible))) return incidents;
  const signature = readSignature(surroundings.incident);
  const ofLine = fixed.find(({ hit }) => shareLine(signature, hit.observation.signature));
  if (ofLine) return raised(incidents, ofLine, { name: SAME_LINE, alike: [] });
  const [runbook] = surroundings.runbooks;
  const isAnswer = runbook !== undefined && reaches(runbook, surroundings.possible);
  if (!isAnswer || !isShortReport(surroundings.incident)) return incidents;
  const ofRunbook = fixed.find(({ hit }) => surroundings.answeredBy.get(hit.document.id) === runbook.source);
  if (ofRunbook === undefined) return incidents;
  return raised(incidents, ofRunbook, {
    name: SAME_RUNBOOK,
    alike: [`the runbook that answers both: ${runbook.title}`],
  });
}

/** Whether one line shows the failure in both, in the same words. Another alert or exit code is another failure. */
function shareLine(report: FailureSignature, record: FailureSignature): boolean {
  if (haveOtherExits(report, record)) return false;
  if (report.alert !== null && record.alert !== null && report.alert !== record.alert) return false;
  const lines = new Set(record.templates.filter(isSpecific).map(({ text }) => text));
  return report.templates.some((template) => isSpecific(template) && lines.has(template.text));
}

function isSpecific({ text, weight }: FailureSignature["templates"][number]): boolean {
  return weight >= MIN_LINE_WEIGHT && new Set(wordsOfTemplate(text)).size >= MIN_LINE_WORDS;
}

function raised(
  incidents: readonly RecalledIncident[],
  chosen: RecalledIncident,
  { name, alike }: { readonly name: string; readonly alike: readonly string[] },
): RecalledIncident[] {
  const { hit, likeness, relevance } = chosen;
  const changed = {
    hit: { ...hit, score: scoreOfProbability(WEAK_PROBABILITY, hit.ranking) },
    relevance: atLeast(relevance, WEAK_PROBABILITY, name),
    likeness: { ...likeness, alike: [...likeness.alike, ...alike] },
  };
  return incidents.map((each) => (each === chosen ? changed : each));
}
