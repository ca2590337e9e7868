// Makes the relevance weights of past incidents from examples.

import type { IncidentModel, IncidentReportKind } from "../../functions/investigation/relevance/incident-model.ts";
import { type IncidentCondition, type IncidentExamples, isCauseGroup } from "./ask-incident.ts";
import { type Example, fitWeights } from "./fit.ts";

/** Features of a report with a headline only. */
const HEADLINE_FEATURES = [
  ...["words", "words_squared", "headline_in_record", "mechanisms", "fix_mechanisms", "no_mechanism"],
  ...["same_type", "other_type", "same_alert", "other_alert", "same_kind", "other_kind", "labels"],
  ...["nearness", "similarity", "similarity_ahead", "rank"],
];
/** Further features of a report with a log. */
const LOG_FEATURES = [
  ...["lines", "lines_ahead", "same_lines", "log_words", "log_words_squared", "log_words_ahead"],
  ...["words_ahead", "headline", "mechanisms_squared", "mechanisms_ahead", "codes", "other_exit"],
];
/** Past incidents of each report that are examples: lower ones are not shown. */
const INCIDENTS = 40;
/**
 * Weight of each condition. Evidence of another tool or system has so little in common with the record that its examples, at
 * full weight, would make the model doubt what it can know. In practice most failures are new, so a wrong fix weighs more: a
 * headline alone says least.
 */
const CONDITION_WEIGHTS: Readonly<Record<IncidentReportKind, Partial<Record<IncidentCondition, number>>>> = {
  with_log: { other_view: 0.5, other_system: 0.3, removed: 2, look_alike: 2 },
  headline_only: { removed: 4, look_alike: 4 },
};
/** Weight of the technologies' families: they are more examples, of fewer systems. */
const TECHNOLOGY_WEIGHT = 0.6;

export function trainIncidentModel(groups: readonly IncidentExamples[]): IncidentModel {
  const weightsFor = (kind: IncidentReportKind, features: readonly string[]) =>
    fitWeights(
      groups.flatMap(({ group, reports }) =>
        reports
          .filter((report) => report.kind === kind)
          .flatMap(({ candidates, condition }): Example[] => {
            const weight = (CONDITION_WEIGHTS[kind][condition] ?? 1) * (isCauseGroup(group) ? 1 : TECHNOLOGY_WEIGHT);
            return candidates.slice(0, INCIDENTS).map((candidate) => ({ ...candidate, weight }));
          }),
      ),
      features,
    );
  return {
    with_log: weightsFor("with_log", [...HEADLINE_FEATURES, ...LOG_FEATURES]),
    headline_only: weightsFor("headline_only", HEADLINE_FEATURES),
  };
}
