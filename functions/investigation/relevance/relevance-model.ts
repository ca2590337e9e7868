// The relevance model: a logistic regression over the features, with weights for each kind of report.
// `npm run bench -- train-relevance` writes the weights. Pure functions.

import { isMatchedByName, SHOWING_WEIGHT } from "../../answer-view/name-match.ts";
import { type Calibration, DEFAULT_CALIBRATION } from "../../schemas/calibration.ts";
import type { RelevanceCandidate } from "./candidate-text.ts";
import type { IncidentModel } from "./incident-model.ts";
import incidentWeights from "./incident-weights.json" with { type: "json" };
import { atMost, calibrated, type Relevance } from "./relevance.ts";
import { type RelevanceFeatures, relevanceFeatures } from "./relevance-features.ts";
import { type RelevanceWeights, relevanceOf } from "./relevance-weights.ts";
import type { ReportTerms } from "./report-terms.ts";
import runbookWeights from "./runbook-weights.json" with { type: "json" };

/** Weights by what a report holds: the features of each kind mean different things. */
export interface RelevanceModel {
  /** For a report that holds the name of an alert, with or without error lines. */
  readonly with_name: RelevanceWeights;
  /** For another report with error lines. */
  readonly with_lines: RelevanceWeights;
  /** For all others. */
  readonly words_only: RelevanceWeights;
}

export type ReportKind = keyof RelevanceModel;

export interface RelevanceModels {
  /** Name of the embedding model that they were trained with. */
  readonly embedder: string;
  readonly runbooks: RelevanceModel;
  readonly incidents: IncidentModel;
}

/** The models that ship. */
export const RELEVANCE_MODELS: RelevanceModels = {
  embedder: runbookWeights.embedder,
  runbooks: runbookWeights,
  incidents: incidentWeights,
};

/** Identifies the models. Log-odds of different models are not comparable, so each has a calibration of its own. */
export const RELEVANCE_MODEL_FINGERPRINT = `${runbookWeights.fingerprint}-${incidentWeights.fingerprint}`;

/**
 * The relevance of each text, in their order. If no error line shows what failed, the report is judged with its lines and
 * without them, and the higher probability counts: an unrelated line says nothing against a text.
 * @param candidates best first
 */
export function assessRelevance(
  model: RelevanceModel,
  report: ReportTerms,
  candidates: readonly RelevanceCandidate[],
  calibration: Calibration = DEFAULT_CALIBRATION,
): Relevance[] {
  const showsFailure = report.lines.some(({ weight }) => weight >= SHOWING_WEIGHT);
  const assess = (view: ReportTerms) => {
    const weights = model[kindOfReport(view)];
    return relevanceFeatures(view, candidates).map((features, i) => {
      const relevance = relevanceOf(weights, features);
      if (view.lines.length === 0) return boundedByMatch(relevance, features);
      return showsFailure ? boundedByName(relevance, candidates[i]) : relevance;
    });
  };
  const ofHeadline = report.lines.length === 0 || showsFailure ? [] : assess(report.withoutLines());
  return assess(report).map((relevance, i) => calibrated(higherOf(relevance, ofHeadline[i]), calibration));
}

/** Log-odds of a text that has only single words in common with a headline, at most: below `POSSIBLE_THRESHOLD`. */
const MAX_LOG_ODDS_OF_WORDS = -1;
const MIN_TITLE_SHARE = 0.05;

/**
 * Bounds the log-odds of a text that shares no two neighbouring words, no word of its title, no name and no type with the
 * headline. Among few runbooks the best is far ahead of the others, whatever it is about.
 */
function boundedByMatch(relevance: Relevance, features: RelevanceFeatures): Relevance {
  const { word_pairs = 0, title_of_report = 0, type = 0, named_by_alert = 0, named_in_text = 0 } = features;
  const isMatched = word_pairs + type + named_by_alert + named_in_text > 0 || title_of_report >= MIN_TITLE_SHARE;
  return isMatched ? relevance : atMost(relevance, MAX_LOG_ODDS_OF_WORDS, "words_only");
}

/** Log-odds of a namesake, at most: even, and below `ANSWER_THRESHOLD`. */
const MAX_LOG_ODDS_OF_NAME = 0;

/**
 * Bounds the log-odds of a runbook that ships, has the alert's name, and says nothing of a line that shows what failed. Its name is
 * that of a symptom which many products have. A team calls its own runbook after its own alert.
 */
function boundedByName(relevance: Relevance, candidate: RelevanceCandidate | undefined): Relevance {
  const isNamesake = candidate?.texts[0]?.metadata.built_in === true && isMatchedByName(relevance.contributions);
  return isNamesake ? atMost(relevance, MAX_LOG_ODDS_OF_NAME, "name_alone") : relevance;
}

function higherOf(relevance: Relevance, other: Relevance | undefined): Relevance {
  return other && other.logOdds > relevance.logOdds ? other : relevance;
}

export function kindOfReport({ lines, alertName }: Pick<ReportTerms, "lines" | "alertName">): ReportKind {
  if (alertName !== undefined) return "with_name";
  return lines.length > 0 ? "with_lines" : "words_only";
}
