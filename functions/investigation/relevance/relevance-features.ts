// Features of the relevance model: what a recalled text and a report have in common, and how far the text is ahead of the
// other recalled texts. docs/internals/relevance.md has the measured effect. Pure functions.

import { weightTerms } from "../../../lib/ranking/bm25.ts";
import { createTitleMatcher, type TitleMatcher } from "../../../lib/ranking/title-match.ts";
import { tokenizeWords } from "../../../lib/text/tokenize.ts";
import { relevanceOfCosineDistance } from "../../adapters/vector-store.ts";
import { bestSentence, type CandidateText, type RelevanceCandidate, readCandidate } from "./candidate-text.ts";
import { messageMatch } from "./quoted-messages.ts";
import { standardScore } from "./relevance.ts";
import { coverage, type ReportTerms, squash } from "./report-terms.ts";

/** Values by name. The docstrings of the functions below define them. */
export type RelevanceFeatures = Readonly<Record<string, number>>;

/** Shorter names stand in a text by chance. Characters. */
const MIN_NAME_LENGTH = 8;
/** In place of the nearness of a text whose vector was not compared. */
const UNCOMPARED = -1;
/** The next best texts that a text is compared with. */
const COMPARED_TEXTS = 4;
/** Error lines in which a quoted message is looked for: the first of at least this weight. */
const COMPARED_LINES = 4;
const NAMING_WEIGHT = 0.5;

/** Features of each candidate, in their order. @param candidates best first */
export function relevanceFeatures(
  report: ReportTerms,
  candidates: readonly RelevanceCandidate[],
): readonly RelevanceFeatures[] {
  const texts = candidates.map((candidate) => readCandidate(candidate, report));
  const titles = createTitleFeatures(report, candidates);
  const own = texts.map((text) => ({
    ...searchFeatures(text),
    ...nameFeatures(report, text),
    ...coverageFeatures(report, text),
    ...titles(text),
    ...lineFeatures(report, text),
  }));
  return own.map((features, rank) => ({ ...features, ...comparisons(own, rank) }));
}

type OwnFeatures = ReturnType<typeof searchFeatures> &
  ReturnType<typeof coverageFeatures> &
  ReturnType<ReturnType<typeof createTitleFeatures>> &
  ReturnType<typeof lineFeatures>;

/**
 * The values of the ranking: score of the best hit, type, domain, BM25 of the whole text, nearness of the vectors. A few
 * words recognise a type, so it counts only where the report also hints at the text's domain: laptops restart, too.
 */
function searchFeatures({ candidate, length }: CandidateText) {
  const [best] = candidate.hits;
  const contributions = best?.contributions ?? {};
  const domain = contributions.domain?.value ?? 0;
  const distances = candidate.hits.flatMap(({ distance }) => (distance === undefined ? [] : [distance]));
  return {
    score: (best?.score ?? 0) - (contributions.attached?.value ?? 0),
    type: contributions.type && domain > 0 ? 1 : 0,
    domain,
    document: contributions.document?.value ?? 0,
    proximity: contributions.proximity?.value ?? 0,
    nearness: distances.length === 0 ? UNCOMPARED : relevanceOfCosineDistance(Math.min(...distances)),
    length,
  };
}

/** Whether the text is the one that the alert is called after: its title, file name or a heading is the alert's name. */
function nameFeatures({ alertName, text }: ReportTerms, { names }: CandidateText) {
  const reportText = squash(text);
  const isNamed = alertName !== undefined && names.includes(alertName);
  const isInText = names.some((name) => name.length >= MIN_NAME_LENGTH && reportText.includes(name));
  return {
    named_by_alert: Number(isNamed),
    named_otherwise: Number(alertName !== undefined && !isNamed && !isInText),
    named_in_text: Number(isInText),
  };
}

/** Shares of the headline's weight that the text holds: as words, as neighbouring words, in one sentence, in its lead. */
function coverageFeatures(report: ReportTerms, { terms, lead, pairs, sentences }: CandidateText) {
  const { sequence, headline, heaviest } = report;
  const wanted = sequence.slice(0, -1).map((term, i) => `${term} ${sequence[i + 1]}`);
  return {
    coverage: coverage(headline, terms),
    heaviest_coverage: coverage(heaviest, terms),
    lead_coverage: coverage(headline, lead),
    word_pairs: wanted.length === 0 ? 0 : wanted.filter((pair) => pairs.has(pair)).length / wanted.length,
    sentence: bestSentence(headline, sentences).f,
  };
}

/**
 * `title_coverage`: share of the title that the headline has. `title_of_report`: share of the headline that the title has.
 * `title_missing`: the rarest word of the title that the report lacks. `name_title…`: the same for a title that is a name.
 */
function createTitleFeatures(report: ReportTerms, candidates: readonly RelevanceCandidate[]) {
  const { text, sequence, lines, statistics, termsOf, words } = report;
  const titles = candidates.map(({ title }) => title);
  const matcher = createTitleMatcher(text, weightTerms(sequence), { titles, statistics });
  const allTerms = weightTerms([...sequence, ...lines.flatMap((line) => termsOf(line.text))]);
  const allText = [text, ...lines.map((line) => line.text)].join("\n");
  const withLines: TitleMatcher = createTitleMatcher(allText, allTerms, { titles, statistics });
  const counts = new Map<string, number>();
  for (const title of titles)
    for (const word of new Set(tokenizeWords(title))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarity = (word: string) => Math.log(1 + (titles.length + 0.5) / ((counts.get(word) ?? 0) + 0.5));
  return ({ candidate, titleWords, hasNameAsTitle }: CandidateText) => {
    const { ofTitle, ofQuery } = matcher.match(candidate.title);
    const missing = Math.max(0, ...titleWords.filter((word) => !words.has(word)).map(rarity));
    const title_missing = titleWords.length === 0 ? 0 : missing / Math.max(...titleWords.map(rarity));
    return {
      title_coverage: ofTitle,
      title_of_report: ofQuery,
      title_missing,
      name_title: Number(hasNameAsTitle),
      name_title_coverage: hasNameAsTitle ? ofTitle : 0,
      name_title_missing: hasNameAsTitle ? title_missing : 0,
      report_title: withLines.match(candidate.title).ofTitle,
    };
  };
}

/**
 * The same shares for the error lines, each times the line's importance; 0 without lines. `message`: how much of a message that
 * the text quotes stands in one of the first lines that name a failure.
 */
function lineFeatures({ lines, all }: ReportTerms, { terms, sentences, messages }: CandidateText) {
  const matches = lines.map(({ weight, terms: ofLine }) => ({
    weight,
    share: coverage(ofLine, terms),
    ...bestSentence(ofLine, sentences),
  }));
  const shown = lines.filter(({ weight }) => weight >= NAMING_WEIGHT).slice(0, COMPARED_LINES);
  const total = matches.reduce((sum, { weight }) => sum + weight, 0);
  return {
    line_sentence: Math.max(0, ...matches.map(({ weight, f }) => weight * f)),
    line_recall: Math.max(0, ...matches.map(({ weight, recall }) => weight * recall)),
    line_coverage: total === 0 ? 0 : matches.reduce((sum, { weight, share }) => sum + weight * share, 0) / total,
    report_coverage: coverage(all, terms),
    message: Math.max(0, ...shown.flatMap((line) => messages.map((message) => messageMatch(line, message)))),
  };
}

/** `…_ahead`: minus the best of the others. `…_spread`: distance from the mean of all, in standard deviations. */
function comparisons(own: readonly OwnFeatures[], rank: number) {
  const others = own.filter((_, i) => i !== rank);
  const self = own[rank];
  const ahead = (of: (features: OwnFeatures) => number) =>
    self === undefined ? 0 : of(self) - Math.max(0, ...others.map(of));
  const next = others.slice(0, COMPARED_TEXTS);
  const nextScore = next.length === 0 ? 0 : next.reduce((sum, { score }) => sum + score, 0) / next.length;
  const farthest = Math.min(1, ...own.map(({ nearness }) => nearness).filter((nearness) => nearness !== UNCOMPARED));
  const spread = (of: (features: OwnFeatures) => number) =>
    self === undefined ? 0 : standardScore(own.map(of), of(self));
  return {
    rank,
    ahead: (self?.score ?? 0) - nextScore,
    document_ahead: ahead(({ document }) => document),
    coverage_ahead: ahead((features) => features.coverage),
    report_ahead: ahead((features) => features.report_coverage),
    message_ahead: ahead(({ message }) => message),
    line_sentence_ahead: ahead((features) => features.line_sentence),
    coverage_spread: spread((features) => features.coverage),
    title_spread: spread((features) => features.title_coverage),
    sentence_spread: spread(({ sentence }) => sentence),
    vector_spread: spread(({ nearness }) => (nearness === UNCOMPARED ? farthest : nearness)),
  };
}
