// Makes the relevance weights of past incidents from examples.

import type { RelevanceModel } from "../../../functions/investigation/relevance/relevance-model.ts";
import { type Example, fitWeights } from "./fit.ts";
import type { IncidentExamples } from "./incident-examples.ts";

/** Features of a report with a headline only. Titles are vague, so little of them counts. */
const HEADLINE_FEATURES = [
  ...["score", "rank", "ahead", "type", "nearness", "vector_spread"],
  ...["coverage", "coverage_ahead", "coverage_spread", "heaviest_coverage", "word_pairs"],
  ...["title_coverage", "title_of_report", "sentence", "sentence_spread"],
];
/** Further features of a report with error lines. */
const LINE_FEATURES = [
  ...["line_sentence", "line_sentence_ahead", "line_coverage", "line_recall"],
  ...["report_coverage", "report_ahead"],
];
/** Past incidents of each report that are examples: lower ones are not shown. */
const INCIDENTS = 8;

export function trainIncidentModel(groups: readonly IncidentExamples[]): RelevanceModel {
  const weightsFor = (hasLines: boolean, features: readonly string[]) => {
    const reports = groups.flatMap((group) => group.reports.filter(({ kind }) => (kind === "with_lines") === hasLines));
    return fitWeights(
      reports.flatMap(({ candidates }): Example[] =>
        candidates
          .slice(0, INCIDENTS)
          .map(({ features: values, isRight }) => ({ features: values, isRight, weight: 1 })),
      ),
      features,
    );
  };
  const headline = weightsFor(false, HEADLINE_FEATURES);
  return {
    with_lines: weightsFor(true, [...HEADLINE_FEATURES, ...LINE_FEATURES]),
    // A past incident has no name of its own, so the name of an alert changes nothing.
    with_name: headline,
    words_only: headline,
  };
}
