// Makes the relevance weights of past incidents from examples.

import type { RelevanceModel } from "../../../functions/investigation/relevance/relevance-model.ts";
import { type Example, fitWeights } from "./fit.ts";
import type { IncidentExamples } from "./incident-examples.ts";

/**
 * Features of a report with a headline only. Titles are not among them: the look-alikes of the families have similar titles by
 * construction, so titles would count against an incident that recurs under its own title.
 */
const HEADLINE_FEATURES = ["rank", "type", "coverage", "heaviest_coverage", "sentence"];
/** Features of a report with error lines. */
const LINE_FEATURES = [...["rank", "type", "nearness"], ...["line_sentence", "line_coverage", "report_coverage"]];
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
    with_lines: weightsFor(true, LINE_FEATURES),
    // A past incident has no name of its own, so the name of an alert changes nothing.
    with_name: headline,
    words_only: headline,
  };
}
