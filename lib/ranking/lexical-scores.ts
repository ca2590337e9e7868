// Scores of a few candidate texts for one query, by their words alone: a reranker without a model. Pure functions.

import { countsOf, tokenize } from "../text/tokenize.ts";
import { bm25, idfOf, type TermWeight, weightTerms } from "./bm25.ts";
import { pairsOf, proximity } from "./proximity.ts";
import { createTitleMatcher } from "./title-match.ts";

/** Weights of the parts, each 0 to 1. Set by hand. */
const WEIGHTS = { words: 1, identifiers: 0.5, proximity: 0.5, title: 0.5 } as const;
/** Error codes, exception names, settings and versions: a digit, an inner capital or inner punctuation. */
const IDENTIFIER = /\d|[a-z][A-Z]|[A-Za-z][._-][A-Za-z]/;
const WORD = /[\p{L}\p{N}][\p{L}\p{N}._-]*/gu;
/** Terms of the query that are read. */
const MAX_TERMS = 200;

/**
 * Scores in the order of the texts, on a scale of their own: compare only those of one call. The rarity of a word is that
 * among these texts, so words that all of them share decide nothing. The first line of a text is its title.
 */
export function lexicalScores(query: string, texts: readonly string[]): number[] {
  const terms = tokenize(query).slice(0, MAX_TERMS);
  const documents = texts.map((text) => ({ text, terms: tokenize(text), title: text.split("\n", 1)[0] ?? "" }));
  const statistics = rarityAmong(documents.map((document) => document.terms));
  const weights = weightTerms(terms);
  const identifiers = new Set((query.match(WORD) ?? []).filter((word) => IDENTIFIER.test(word)).map(lowered));
  const titles = createTitleMatcher(query, weights, { titles: documents.map(({ title }) => title), statistics });
  const pairs = pairsOf(terms, statistics);
  const averageLength = documents.reduce((sum, document) => sum + document.terms.length, 0) / (documents.length || 1);
  const words = documents.map((document) => {
    const counts = countsOf(document.terms);
    const relativeLength = averageLength === 0 ? 1 : document.terms.length / averageLength;
    return bm25(weights, (term) => counts.get(term) ?? 0, { relativeLength, statistics });
  });
  const best = Math.max(0, ...words);
  return documents.map(({ text, title }, i) => {
    const parts = {
      words: best === 0 ? 0 : (words[i] ?? 0) / best,
      identifiers: shareOfIdentifiers(identifiers, text, statistics),
      proximity: proximity(pairs, text),
      title: titles.strengthOf(title),
    };
    return Object.entries(WEIGHTS).reduce((sum, [part, weight]) => sum + weight * parts[part as keyof typeof parts], 0);
  });
}

/** Share of the query's identifiers that the text holds letter by letter, by their rarity among the texts. */
function shareOfIdentifiers(
  identifiers: ReadonlySet<string>,
  text: string,
  statistics: Readonly<Record<string, TermWeight>>,
): number {
  const inText = new Set((text.match(WORD) ?? []).map(lowered));
  let total = 0;
  let matched = 0;
  for (const identifier of identifiers) {
    const weight = idfOf(identifier, statistics);
    total += weight;
    if (inText.has(identifier)) matched += weight;
  }
  return total === 0 ? 0 : matched / total;
}

function lowered(word: string): string {
  return word.toLowerCase();
}

/** ln(1 + (n − df + 0.5) / (df + 0.5)), the idf of BM25, over these texts. */
function rarityAmong(texts: readonly (readonly string[])[]): Record<string, TermWeight> {
  const counts = countsOf(texts.flatMap((terms) => [...new Set(terms)]));
  return Object.fromEntries(
    [...counts].map(([term, df]) => [term, { idf: Math.log(1 + (texts.length - df + 0.5) / (df + 0.5)) }]),
  );
}
