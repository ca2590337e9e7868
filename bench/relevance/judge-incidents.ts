// Judges the relevance of past incidents: each technology with weights that were trained on the others. Pure functions.

import { type IncidentModel, kindOfPair } from "../../functions/investigation/relevance/incident-model.ts";
import type { Relevance } from "../../functions/investigation/relevance/relevance.ts";
import { relevanceOf } from "../../functions/investigation/relevance/relevance-weights.ts";
import type { AskedIncident, IncidentExamples } from "./ask-incident.ts";
import type { Judged } from "./figures.ts";
import { comparableFeatures, trainIncidentModel } from "./train-incidents.ts";

/** As configured by default. */
export const ANSWER_THRESHOLD = 0.55;
/** Of a past incident: see `sameFailureFrom`. */
const SAME_FAILURE = 0.7;
const POSSIBLE_THRESHOLD = 0.3;
/** Log-odds. */
const FAR_AHEAD = 2;

/** Conditions in which the cause is not on record. */
const NOT_ON_RECORD: ReadonlySet<string> = new Set(["removed", "look_alike", "healthy"]);

export interface JudgedIncident extends Judged {
  readonly group: string;
  readonly report: AskedIncident;
  /** Whether the record of the same system is the most probable; whether one of the first six has the cause. */
  readonly isOwnFirst: boolean;
  readonly isInFirstSix: boolean;
  /** Incidents that the answer shows: those that reach `POSSIBLE_THRESHOLD`, at most five. */
  readonly shownRight: number;
  readonly shownWrong: number;
}

/** Past incidents that an answer shows at most. */
const MAX_SHOWN = 5;
const FIRST = 6;

/** The answers if past incidents alone decided: `cause` from `SAME_FAILURE` on, `possible` from `POSSIBLE_THRESHOLD` on. */
export function judgeIncidents(groups: readonly IncidentExamples[]): JudgedIncident[] {
  return groups.flatMap(({ group, reports }) => {
    const model = trainIncidentModel(groups.filter((each) => each.group !== group));
    return reports.map((report) => {
      const candidates = report.candidates.map((each) => ({
        ...each,
        features: comparableFeatures(group, each.features),
      }));
      return { group, ...judgeReport({ ...report, candidates }, model) };
    });
  });
}

export function judgeReport(report: AskedIncident, model: IncidentModel): Omit<JudgedIncident, "group"> {
  const assessed = report.candidates
    .map(({ features, isRight, source }) => {
      const relevance = relevanceOf(model[kindOfPair(report.kind, features)], features);
      return { isRight, isOwn: source === report.own, relevance, probability: relevance.probability };
    })
    .toSorted((a, b) => b.probability - a.probability);
  const likely = assessed.filter(({ probability }) => probability >= POSSIBLE_THRESHOLD).slice(0, MAX_SHOWN);
  const shown = isFarAhead(assessed.map(({ relevance }) => relevance)) ? likely.slice(0, 1) : likely;
  const [best] = assessed;
  const confidence = best?.probability ?? 0;
  const outcome = confidence >= SAME_FAILURE ? "cause" : shown.length > 0 ? "possible" : "unknown";
  const isBestRight = best?.isRight ?? false;
  return {
    report,
    condition: NOT_ON_RECORD.has(report.condition) ? "removed" : "stored",
    outcome,
    confidence,
    isBestRight,
    isFirstRight: report.candidates[0]?.isRight ?? false,
    isOwnFirst: best?.isOwn ?? false,
    isInFirstSix: assessed.slice(0, FIRST).some(({ isRight }) => isRight),
    isRight: outcome === "cause" ? isBestRight : outcome === "possible" && shown.some(({ isRight }) => isRight),
    shownRight: shown.filter(({ isRight }) => isRight).length,
    shownWrong: shown.filter(({ isRight }) => !isRight).length,
  };
}

/** As an answer decides: a fix far ahead of the others is shown alone. */
function isFarAhead([best, next]: readonly Relevance[]): boolean {
  if (best === undefined || best.probability < SAME_FAILURE) return false;
  return next === undefined || best.logOdds - next.logOdds >= FAR_AHEAD;
}
