// Match between a title and a query, in both directions: the share of the title that the query covers, and the share of
// the query that the title covers. Pure functions.

import { countsOf, tokenizeWords } from "../text/tokenize.ts";
import { idfOf, type TermWeight, type WeightedTerms } from "./bm25.ts";

/** Similarity of two words that only share a prefix: config and configuration. */
const PREFIX_SIMILARITY = 0.8;
const MIN_PREFIX_LENGTH = 4;
/** Minimum prefix, as a share of the longer word, when neither is a prefix of the other: inconsistent, inconsistency. */
const MIN_SHARED_PREFIX = 0.6;

export interface TitleMatch {
  /** Share of the title's words that the query has, by their rarity among the titles, 0 to 1. */
  readonly ofTitle: number;
  /** Share of the query's weight that the title covers, 0 to 1. */
  readonly ofQuery: number;
}

export interface TitleMatcher {
  match(title: string): TitleMatch;
  /** coverage of the title² × √(coverage of the query), 0 to 1: a title that matches in one word only scores low. */
  strengthOf(title: string): number;
  /** Whether the query contains the name word for word. A name of one word never counts: it matches by chance. */
  isQuoted(name: string): boolean;
}

/** @param titles of all candidates: a word that many of them share weighs little */
export function createTitleMatcher(
  query: string,
  terms: WeightedTerms,
  { titles, statistics }: { readonly titles: readonly string[]; readonly statistics: Record<string, TermWeight> },
): TitleMatcher {
  const queryWords = new QueryWords(terms);
  const queryText = ` ${tokenizeWords(query).join(" ")} `;
  const rarity = rarityAmong(titles);
  let queryWeight = 0;
  for (const [term, weight] of terms) queryWeight += weight * idfOf(term, statistics);
  const match = (title: string): TitleMatch => {
    let titleWeight = 0;
    let coveredWeight = 0;
    const similarityByTerm = new Map<string, number>();
    for (const word of new Set(tokenizeWords(title))) {
      const match = queryWords.match(word);
      titleWeight += rarity(word);
      if (match === undefined) continue;
      coveredWeight += match.similarity * rarity(word);
      similarityByTerm.set(match.term, Math.max(match.similarity, similarityByTerm.get(match.term) ?? 0));
    }
    let matchedWeight = 0;
    for (const [term, similarity] of similarityByTerm)
      matchedWeight += similarity * (terms.get(term) ?? 0) * idfOf(term, statistics);
    if (titleWeight === 0 || queryWeight === 0) return { ofTitle: 0, ofQuery: 0 };
    return { ofTitle: coveredWeight / titleWeight, ofQuery: Math.min(1, matchedWeight / queryWeight) };
  };
  return {
    match,
    strengthOf(title) {
      const { ofTitle, ofQuery } = match(title);
      return ofTitle ** 2 * Math.sqrt(ofQuery);
    },
    isQuoted(name) {
      const words = tokenizeWords(name);
      return words.length > 1 && queryText.includes(` ${words.join(" ")} `);
    },
  };
}

/** ln(1 + (n − df + 0.5) / (df + 0.5)), the idf of BM25, over the candidates' titles. */
function rarityAmong(titles: readonly string[]): (word: string) => number {
  const counts = countsOf(titles.flatMap((title) => [...new Set(tokenizeWords(title))]));
  return (word) => {
    const df = counts.get(word) ?? 0;
    return Math.log(1 + (titles.length - df + 0.5) / (df + 0.5));
  };
}

interface Match {
  readonly term: string;
  /** 1, or less when only a prefix is equal. */
  readonly similarity: number;
}

class QueryWords {
  readonly #terms: WeightedTerms;
  readonly #byPrefix = new Map<string, string[]>();

  constructor(terms: WeightedTerms) {
    this.#terms = terms;
    for (const term of terms.keys()) {
      if (!PLAIN.test(term)) continue;
      const prefix = term.slice(0, MIN_PREFIX_LENGTH);
      this.#byPrefix.set(prefix, [...(this.#byPrefix.get(prefix) ?? []), term]);
    }
  }

  match(word: string): Match | undefined {
    if (this.#terms.has(word)) return { term: word, similarity: 1 };
    if (!PLAIN.test(word)) return undefined;
    const candidates = this.#byPrefix.get(word.slice(0, MIN_PREFIX_LENGTH));
    const term = candidates?.find((candidate) => sharesPrefix(word, candidate));
    return term === undefined ? undefined : { term, similarity: PREFIX_SIMILARITY };
  }
}

const PLAIN = /^[a-z]{4,}$/;

function sharesPrefix(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < shorter && a[shared] === b[shared]) shared++;
  return shared === shorter || shared >= MIN_SHARED_PREFIX * Math.max(a.length, b.length);
}
