// The model of past incidents: the probability that a record is of the reported failure. A logistic regression, with
// weights for records with an error line of the report, and for others by whether the report has a log. `npm run bench -- train-relevance` writes the weights. Pure
// functions.

import type { Calibration } from "../../schemas/calibration.ts";
import type { FailureText } from "./failure-text.ts";
import { type ComparedRecord, incidentFeatures, type Rarity } from "./incident-features.ts";
import { atMost, calibrated, type Relevance } from "./relevance.ts";
import type { RelevanceFeatures } from "./relevance-features.ts";
import { type RelevanceWeights, relevanceOf } from "./relevance-weights.ts";

/** What a report and a record are compared by. */
export interface IncidentModel {
  /** An error line that stands in both, in any prose. */
  readonly common_line: RelevanceWeights;
  /** The report has a log, and no line in common. */
  readonly with_log: RelevanceWeights;
  readonly headline_only: RelevanceWeights;
}

export type IncidentReportKind = "with_log" | "headline_only";

/**
 * Value of the feature `line` from which on a line is common. From 0.2 on, 16 of 285 look-alikes of bench/incidents (train) show a fix
 * in place of 12, and four of them for sure in place of one.
 */
const COMMON_LINE = 0.4;

export function kindOfIncidentReport({ logWords }: Pick<FailureText, "logWords">): IncidentReportKind {
  return logWords.size > 0 ? "with_log" : "headline_only";
}

/** @param features of a record */
export function kindOfPair(kind: IncidentReportKind, { line = 0 }: RelevanceFeatures): keyof IncidentModel {
  return line >= COMMON_LINE ? "common_line" : kind;
}

export interface AssessedRecord {
  readonly relevance: Relevance;
  /** 0 to 1.5: the similarity of the ranking, and half of the headlines' likeness. It orders improbable records. */
  readonly closeness: number;
}

/**
 * What the likeness of headlines adds to the similarity of whole texts, in which a headline is a few words among many. With 0, 48 in
 * place of 54 of 65 reports of Apache Hadoop find their own among the first five (`npm run bench -- hadoop`).
 */
const HEADLINE_SHARE = 0.5;

/** The relevance of each record, in their order. @param records most similar first */
export function assessRecords(
  model: IncidentModel,
  report: FailureText,
  {
    records,
    rarity,
    calibration,
  }: { readonly records: readonly ComparedRecord[]; readonly rarity: Rarity; readonly calibration: Calibration },
): AssessedRecord[] {
  const kind = kindOfIncidentReport(report);
  return incidentFeatures(report, records, rarity).map((features) => {
    const pair = kindOfPair(kind, features);
    const relevance = relevanceOf(model[pair], features);
    const bounded = pair === "headline_only" ? boundedHeadline(relevance, features) : relevance;
    const { similarity = 0, headline_words = 0 } = features;
    return { relevance: calibrated(bounded, calibration), closeness: similarity + HEADLINE_SHARE * headline_words };
  });
}

/**
 * Log-odds of a record of another service that has only a headline in common, at most: possible, and never the same for sure. Of 60
 * held-out short titles, none of which is vague, 8 in place of 2 would be sure without it, and none of 180 look-alikes.
 */
const MAX_LOG_ODDS_ELSEWHERE = -0.2;

/** Log-odds of a record that has hardly more than service and labels in common, at most: they say where it failed, and not what. */
const MAX_LOG_ODDS_OF_PLACE = -1.4;

/**
 * Sum of the likeness of words and of mechanisms from which on a headline says what failed: of "OOMKilled" and "too many clients", a
 * resource ran out (0.04). With 0, 8 in place of 7 of 180 look-alikes of short titles (train) show a fix, and no report of a failure loses its own.
 */
const LEAST_IN_COMMON = 0.2;

/** A vague headline, such as "Users report errors", is the same for any failure, and no statistics show that it is vague. */
function boundedHeadline(relevance: Relevance, features: RelevanceFeatures): Relevance {
  const { same_target = 0, words_squared = 0, mechanisms = 0, same_alert = 0 } = features;
  if (words_squared + mechanisms + same_alert < LEAST_IN_COMMON)
    return atMost(relevance, MAX_LOG_ODDS_OF_PLACE, "place_only");
  return same_target === 1 ? relevance : atMost(relevance, MAX_LOG_ODDS_ELSEWHERE, "headline_elsewhere");
}
