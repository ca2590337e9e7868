// Why a text was recalled: the parts of its probability, the largest first. Pure functions.

import type { RunbookHit } from "../../../../../../functions/schemas/triage-result.ts";

export interface MatchPart {
  /** In plain words. */
  readonly name: string;
  /** Contribution to the log-odds: positive ones speak for the text. */
  readonly value: number;
}

const NAMES: Readonly<Record<string, string>> = {
  bias: "starting value",
  score: "score of the search",
  rank: "place in the search",
  ahead: "distance from the next texts",
  type: "type of the incident",
  domain: "domain",
  document_ahead: "whole text, compared with others",
  proximity: "words that stand close together",
  named_by_alert: "named as the alert",
  named_otherwise: "named otherwise than the alert",
  named_in_text: "its name is in the report",
  coverage: "words of the headline",
  heaviest_coverage: "rarest words of the headline",
  lead_coverage: "title and first words",
  word_pairs: "pairs of neighbouring words",
  sentence: "best sentence",
  title_coverage: "words of its title",
  title_of_report: "title of the report",
  title_missing: "words of its title that the report lacks",
  line_sentence: "best sentence for the error lines",
  line_recall: "error lines",
  line_coverage: "words of the error lines",
  report_coverage: "headline and error lines",
  vector_spread: "meaning, by its vector",
  length: "length of the text",
  checks: "results of checks",
  attached: "the report or a person names it",
  reranker: "reranker",
  words_only: "only single words in common",
  repeat: "a repeat to the word",
};

/** Contributions below it say nothing. */
const MIN_VALUE = 0.05;

export function matchParts({ relevance }: Pick<RunbookHit, "relevance">): MatchPart[] {
  return Object.entries(relevance.contributions)
    .map(([feature, value]) => ({ name: NAMES[feature] ?? feature.replaceAll("_", " "), value }))
    .filter(({ value }) => Math.abs(value) >= MIN_VALUE)
    .toSorted((a, b) => Math.abs(b.value) - Math.abs(a.value));
}
