// Makes relevance weights from examples.

import type { RelevanceModel } from "../../../functions/investigation/relevance/relevance-model.ts";
import type { Asked, Examples } from "./examples.ts";
import { type Example, fitWeights } from "./fit.ts";

/** Features of a report with a headline only. */
const HEADLINE_FEATURES = [
  ...["score", "rank", "ahead", "type", "domain", "document_ahead"],
  ...["named_by_alert", "named_otherwise", "named_in_text"],
  ...["coverage", "coverage_ahead", "coverage_spread", "heaviest_coverage", "lead_coverage", "word_pairs", "proximity"],
  ...["title_coverage", "title_of_report", "title_missing", "title_spread"],
  ...["name_title", "name_title_coverage", "name_title_missing"],
  ...["sentence", "sentence_spread", "vector_spread", "length"],
];
/** Further features of a report with error lines. */
const LINE_FEATURES = [
  ...["line_sentence", "line_sentence_ahead", "line_coverage", "line_recall"],
  ...["report_coverage", "report_ahead", "report_title"],
];
/** Texts of each report that are examples: lower ones are never the answer. */
const TEXTS = 4;
/** Examples of each corpus weigh as much together as this many, whatever its size; a smaller corpus weighs less. */
const CORPUS_WEIGHT = 400;
/** Most reports do not hold the name of an alert, so those forms of a question weigh less. */
const FORM_WEIGHTS: Readonly<Record<string, number>> = { words: 0.6, label: 0.2, title: 0.2 };

export function trainModel(corpora: readonly Examples[]): RelevanceModel {
  const weightsFor = (hasLines: boolean, features: readonly string[]) =>
    fitWeights(
      corpora.flatMap((corpus) => examplesOf(corpus.asked.filter((each) => each.hasLines === hasLines))),
      features,
    );
  return {
    with_lines: weightsFor(true, [...HEADLINE_FEATURES, ...LINE_FEATURES]),
    without_lines: weightsFor(false, HEADLINE_FEATURES),
  };
}

function examplesOf(reports: readonly Asked[]): Example[] {
  const examples = reports.flatMap(({ report, candidates }) =>
    candidates
      .slice(0, TEXTS)
      .map(({ features, isRight }) => ({ features, isRight, weight: FORM_WEIGHTS[report.form] ?? 1 })),
  );
  const total = examples.reduce((sum, { weight }) => sum + weight, 0);
  const share = Math.min(1, CORPUS_WEIGHT / total);
  return examples.map((example) => ({ ...example, weight: example.weight * share }));
}
