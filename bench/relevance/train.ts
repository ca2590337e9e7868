// Makes relevance weights from examples.

import type { RelevanceModel, ReportKind } from "../../functions/investigation/relevance/relevance-model.ts";
import type { Asked, Examples } from "./examples.ts";
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
  ...["line_sentence", "line_sentence_ahead", "line_coverage", "line_recall"],
  ...["report_coverage", "report_ahead", "report_title"],
];
/** What a text lacks, and how far down it stands, speak against it. */
const AGAINST: ReadonlySet<string> = new Set(["rank", "named_otherwise", "title_missing", "name_title_missing"]);
/** They say something about a text and not whether it matches. */
const NEUTRAL: ReadonlySet<string> = new Set(["length", "name_title"]);
const signOf: SignOf = (name) => (NEUTRAL.has(name) ? 0 : AGAINST.has(name) ? -1 : 1);

/** They are 0 without the name of an alert. */
const ALERT_NAME_FEATURES: ReadonlySet<string> = new Set(["named_by_alert", "named_otherwise"]);
/** Texts of each report that are examples: lower ones are never the answer. */
const TEXTS = 4;
/** Examples of each corpus weigh as much together as this many, whatever its size; a smaller corpus weighs less. */
const CORPUS_WEIGHT = 400;
/**
 * Weight of a report whose runbook is removed. Its siblings are nearer than anything that a report without a runbook meets
 * in practice. 1 doubts too much, 0.4 claims a cause in one of seven removed cases.
 */
const REMOVED_WEIGHT = 0.6;
/** As CORPUS_WEIGHT, for alerts that were asked as attached logs: written evidence is nearer to what people attach. */
const LOGS_WEIGHT = 100;
const LOGS_FORM = "logs";

export function trainModel(corpora: readonly Examples[]): RelevanceModel {
  const weightsFor = (kind: ReportKind, features: readonly string[]) => {
    const ofKind = corpora.map((corpus) => corpus.asked.filter((each) => each.kind === kind));
    return fitSigned(ofKind.flatMap(examplesOf), features, signOf);
  };
  return {
    with_lines: weightsFor("with_lines", [...HEADLINE_FEATURES, ...LINE_FEATURES]),
    with_name: weightsFor("with_name", HEADLINE_FEATURES),
    words_only: weightsFor(
      "words_only",
      HEADLINE_FEATURES.filter((name) => !ALERT_NAME_FEATURES.has(name)),
    ),
  };
}

function examplesOf(reports: readonly Asked[]): Example[] {
  const [logs, written] = [reports.filter(isLogs), reports.filter((report) => !isLogs(report))];
  const isEvidence = written.every(({ report }) => report.form === "evidence");
  return [...weighted(logs, LOGS_WEIGHT), ...weighted(written, isEvidence ? Number.POSITIVE_INFINITY : CORPUS_WEIGHT)];
}

function isLogs({ report }: Asked): boolean {
  return report.form === LOGS_FORM;
}

function weighted(reports: readonly Asked[], total: number): Example[] {
  const examples = reports.flatMap(({ candidates, condition }) =>
    candidates.slice(0, TEXTS).map((candidate) => ({ ...candidate, condition })),
  );
  const share = Math.min(1, total / examples.length);
  return examples.map(({ features, isRight, condition }) => ({
    features,
    isRight,
    weight: condition === "removed" ? share * REMOVED_WEIGHT : share,
  }));
}
