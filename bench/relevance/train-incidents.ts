// Makes the relevance weights of past incidents from examples.

import { type IncidentModel, kindOfPair } from "../../functions/investigation/relevance/incident-model.ts";
import type { RelevanceFeatures } from "../../functions/investigation/relevance/relevance-features.ts";
import type { Ablatable } from "./ablate.ts";
import { type IncidentCondition, type IncidentExamples, isCauseGroup, isReportGroup } from "./ask-incident.ts";
import { type Example, fitWeights } from "./fit.ts";

/** Features of a record that has an error line of the report. */
const LINE_FEATURES = [...["contrast", "lines_differ", "log_words", "similarity_ahead", "other_alert"]];
/** Features of a report with a log. */
const LOG_FEATURES = [
  ...["words_squared", "mechanisms", "other_type", "nearness", "rank", "log_words_squared", "log_words_ahead"],
  "lines_differ",
];
/** Features of a report with a headline only. */
const HEADLINE_FEATURES = [
  ...["words_squared", "headline_alike", "headline_said", "headline_ahead", "headline_behind", "headline_of_target"],
  ...["same_target", "other_target", "mechanisms_differ", "no_mechanism", "same_alert", "labels", "rank"],
];
/** Past incidents of each report that are examples: lower ones are not shown. */
const INCIDENTS = 40;
/**
 * Weight of each condition. Evidence of another tool or system has so little in common with the record that its examples, at
 * full weight, would make the model doubt what it can know. In practice most failures are new, so a wrong fix weighs more: a
 * headline alone says least.
 */
const CONDITION_WEIGHTS: Readonly<Record<keyof IncidentModel, Partial<Record<IncidentCondition, number>>>> = {
  common_line: { removed: 2, look_alike: 2 },
  with_log: { other_view: 0.5, other_system: 0.3, removed: 2, look_alike: 2 },
  headline_only: { removed: 2, look_alike: 2 },
};
/** Weight of a wrong record: most records are of other failures, and a headline says least. */
const WRONG_WEIGHTS: Readonly<Record<keyof IncidentModel, number>> = {
  common_line: 1,
  with_log: 2,
  headline_only: 1,
};
/** Weight of the technologies' families: they are more examples, of fewer systems. */
const TECHNOLOGY_WEIGHT = 0.6;
/** They repeat their lines letter by letter. */
const TECHNOLOGY_LINE_WEIGHT = 0.3;
/** Second reports of real failures are few, and what people send. */
const SECOND_WEIGHT = 3;

/** What each set of weights may use. */
export const INCIDENT_FEATURES: Readonly<Record<keyof IncidentModel, readonly string[]>> = {
  common_line: LINE_FEATURES,
  with_log: LOG_FEATURES,
  headline_only: HEADLINE_FEATURES,
};

export function trainIncidentModel(groups: readonly IncidentExamples[]): IncidentModel {
  const weightsFor = (kind: keyof IncidentModel) =>
    fitWeights(incidentExamplesOf(kind, groups), INCIDENT_FEATURES[kind]);
  return {
    common_line: weightsFor("common_line"),
    with_log: weightsFor("with_log"),
    headline_only: weightsFor("headline_only"),
  };
}

/** Technologies and corpora stand side by side, so that each fold has some of each. */
const FOLDS = 4;

/** The sets of weights of past incidents, with groups of reports as folds. */
export function ablatableIncidents(groups: readonly IncidentExamples[]): Ablatable[] {
  const folds = Array.from({ length: FOLDS }, (_, fold) => groups.filter((_group, i) => i % FOLDS === fold));
  return (Object.keys(INCIDENT_FEATURES) as (keyof IncidentModel)[]).map((kind) => ({
    kind,
    features: INCIDENT_FEATURES[kind],
    folds: folds.map((fold) => incidentExamplesOf(kind, fold)),
    train: fitWeights,
  }));
}

/** The pairs of a report and a record that a set of weights is fitted to. */
function incidentExamplesOf(kind: keyof IncidentModel, groups: readonly IncidentExamples[]): Example[] {
  return groups.flatMap(({ group, reports }) =>
    reports.flatMap((report) =>
      report.candidates
        .slice(0, INCIDENTS)
        .filter((candidate) => kindOfPair(report.kind, candidate.features) === kind)
        .map(({ features, isRight }): Example => {
          const weight = weightOf(kind, report.condition, group) * (isRight ? 1 : WRONG_WEIGHTS[kind]);
          return { features: comparableFeatures(group, features), isRight, weight };
        }),
    ),
  );
}

/** The services of generated families are invented: whether two are the same says nothing there. */
export function comparableFeatures(group: string, features: RelevanceFeatures): RelevanceFeatures {
  if (isReportGroup(group)) return features;
  return { ...features, same_target: 0, other_target: 0, headline_of_target: 0 };
}

function weightOf(kind: keyof IncidentModel, condition: IncidentCondition, group: string): number {
  const ofCondition = CONDITION_WEIGHTS[kind][condition] ?? 1;
  if (isCauseGroup(group)) return ofCondition;
  if (isReportGroup(group)) return ofCondition * SECOND_WEIGHT;
  return ofCondition * (kind === "common_line" ? TECHNOLOGY_LINE_WEIGHT : TECHNOLOGY_WEIGHT);
}
