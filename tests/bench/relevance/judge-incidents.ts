// Judges the relevance of past incidents: each technology with weights that were trained on the others. Pure functions.

import type { IncidentModel } from "../../../functions/investigation/relevance/incident-model.ts";
import { relevanceOf } from "../../../functions/investigation/relevance/relevance-weights.ts";
import type { AskedIncident, IncidentExamples } from "./ask-incident.ts";
import type { Judged } from "./figures.ts";
import { trainIncidentModel } from "./train-incidents.ts";

/** As configured by default. */
const ANSWER_THRESHOLD = 0.7;
const POSSIBLE_THRESHOLD = 0.3;

export interface JudgedIncident extends Judged {
  readonly group: string;
  readonly report: AskedIncident;
  /** Incidents that the answer shows: those that reach `POSSIBLE_THRESHOLD`, at most five. */
  readonly shownRight: number;
  readonly shownWrong: number;
}

/** Past incidents that an answer shows at most. */
const MAX_SHOWN = 5;

/** The answers if past incidents alone decided: `cause` from `ANSWER_THRESHOLD` on, `possible` from `POSSIBLE_THRESHOLD` on. */
export function judgeIncidents(groups: readonly IncidentExamples[]): JudgedIncident[] {
  return groups.flatMap(({ group, reports }) => {
    const model = trainIncidentModel(groups.filter((each) => each.group !== group));
    return reports.map((report) => ({ group, ...judgeReport(report, model) }));
  });
}

export function judgeReport(report: AskedIncident, model: IncidentModel): Omit<JudgedIncident, "group"> {
  const assessed = report.candidates
    .map(({ features, isRight }) => ({ isRight, probability: relevanceOf(model[report.kind], features).probability }))
    .toSorted((a, b) => b.probability - a.probability);
  const shown = assessed.filter(({ probability }) => probability >= POSSIBLE_THRESHOLD).slice(0, MAX_SHOWN);
  const [best] = assessed;
  const confidence = best?.probability ?? 0;
  const outcome = confidence >= ANSWER_THRESHOLD ? "cause" : shown.length > 0 ? "possible" : "unknown";
  const isBestRight = best?.isRight ?? false;
  return {
    report,
    condition: report.condition === "removed" || report.condition === "look_alike" ? "removed" : "stored",
    outcome,
    confidence,
    isBestRight,
    isFirstRight: report.candidates[0]?.isRight ?? false,
    isRight: outcome === "cause" ? isBestRight : outcome === "possible" && shown.some(({ isRight }) => isRight),
    shownRight: shown.filter(({ isRight }) => isRight).length,
    shownWrong: shown.filter(({ isRight }) => !isRight).length,
  };
}
