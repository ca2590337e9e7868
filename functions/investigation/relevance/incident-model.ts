// The model of past incidents: the probability that a record is of the reported failure. A logistic regression, with
// weights for reports with a log and for headlines. `npm run bench -- train-relevance` writes the weights. Pure
// functions.

import type { Calibration } from "../../schemas/calibration.ts";
import type { FailureText } from "./failure-text.ts";
import { type ComparedRecord, incidentFeatures, type Rarity } from "./incident-features.ts";
import { calibrated, type Relevance } from "./relevance.ts";
import { type RelevanceWeights, relevanceOf } from "./relevance-weights.ts";

export interface IncidentModel {
  readonly with_log: RelevanceWeights;
  readonly headline_only: RelevanceWeights;
}

export type IncidentReportKind = keyof IncidentModel;

export function kindOfIncidentReport({ logWords }: Pick<FailureText, "logWords">): IncidentReportKind {
  return logWords.size > 0 ? "with_log" : "headline_only";
}

/** The relevance of each record, in their order. @param records most similar first */
export function assessRecords(
  model: IncidentModel,
  report: FailureText,
  {
    records,
    rarity,
    calibration,
  }: { readonly records: readonly ComparedRecord[]; readonly rarity: Rarity; readonly calibration: Calibration },
): Relevance[] {
  const weights = model[kindOfIncidentReport(report)];
  return incidentFeatures(report, records, rarity).map((features) =>
    calibrated(relevanceOf(weights, features), calibration),
  );
}
