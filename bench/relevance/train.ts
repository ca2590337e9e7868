// Makes relevance weights from examples.

import type { RelevanceModel, ReportKind } from "../../functions/investigation/relevance/relevance-model.ts";
import type { RelevanceWeights } from "../../functions/investigation/relevance/relevance-weights.ts";
import type { Ablatable } from "./ablate.ts";
import type { Asked, AskedCondition } from "./examples.ts";
import { type Example, fitSigned, type SignOf } from "./fit.ts";

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
  ...["line_sentence", "line_sentence_ahead", "line_coverage", "line_recall", "message", "message_ahead"],
  ...["report_coverage", "report_ahead", "report_title"],
];
/** What a text lacks, and how far down it stands, speak against it. */
const AGAINST: ReadonlySet<string> = new Set(["rank", "named_otherwise", "title_missing", "name_title_missing"]);
/** They say something about a text and not whether it matches. */
const NEUTRAL: ReadonlySet<string> = new Set(["length", "name_title"]);
const signOf: SignOf = (name) => (NEUTRAL.has(name) ? 0 : AGAINST.has(name) ? -1 : 1);

/** Texts of each report that are examples: lower ones are never the answer. */
const TEXTS = 4;
/**
 * Examples of each form of a corpus weigh as much together as this many, whatever its size; a smaller one weighs less.
 * Written questions and evidence are nearer to what people report than alerts are.
 */
const FORM_WEIGHT = 130;
const FORM_WEIGHTS: Readonly<Record<string, number>> = {
  question: 400,
  logs: 250,
  headline: 115,
  evidence: Number.POSITIVE_INFINITY,
};
/**
 * Weights by what is stored. With `removed`, the siblings of the right runbook are left, which are nearer than anything that most
 * reports without a runbook meet. docs/internals/relevance.md has what other weights give.
 */
const CONDITION_WEIGHTS: Readonly<Record<AskedCondition, number>> = { stored: 1, removed: 0.2, foreign: 0.6 };

/** They are 0 without the name of an alert. */
const ALERT_NAME_FEATURES: ReadonlySet<string> = new Set(["named_by_alert", "named_otherwise"]);
const withoutName = (names: readonly string[]) => names.filter((name) => !ALERT_NAME_FEATURES.has(name));

/** What each set of weights may use. */
const RUNBOOK_FEATURES: Readonly<Record<ReportKind, readonly string[]>> = {
  with_name: [...HEADLINE_FEATURES, ...LINE_FEATURES],
  with_lines: withoutName([...HEADLINE_FEATURES, ...LINE_FEATURES]),
  words_only: withoutName(HEADLINE_FEATURES),
};

/** @param corpora the reports of each */
export function trainModel(corpora: readonly (readonly Asked[])[]): RelevanceModel {
  const weightsOf = (kind: ReportKind) =>
    fitRunbooks(
      corpora.flatMap((reports) => examplesOf(kind, reports)),
      RUNBOOK_FEATURES[kind],
    );
  return {
    with_name: weightsOf("with_name"),
    with_lines: weightsOf("with_lines"),
    words_only: weightsOf("words_only"),
  };
}

/** The sets of weights about runbooks, with corpora as folds. */
export function ablatableRunbooks(corpora: readonly (readonly Asked[])[]): Ablatable[] {
  return (Object.keys(RUNBOOK_FEATURES) as ReportKind[]).map((kind) => ({
    kind,
    features: RUNBOOK_FEATURES[kind],
    folds: corpora.map((reports) => examplesOf(kind, reports)),
    train: fitRunbooks,
  }));
}

function fitRunbooks(examples: readonly Example[], features: readonly string[]): RelevanceWeights {
  return fitSigned(examples, features, signOf);
}

function examplesOf(kind: ReportKind, reports: readonly Asked[]): Example[] {
  const ofKind = reports.filter((each) => each.kind === kind);
  return [...Map.groupBy(ofKind, ({ report }) => report.form)].flatMap(([form, ofForm]) => {
    const examples = ofForm.flatMap(({ candidates, condition }) =>
      candidates.slice(0, TEXTS).map((candidate) => ({ ...candidate, condition })),
    );
    const share = Math.min(1, (FORM_WEIGHTS[form] ?? FORM_WEIGHT) / examples.length);
    return examples.map(({ features, isRight, condition }) => ({
      features,
      isRight,
      weight: share * CONDITION_WEIGHTS[condition],
    }));
  });
}
