// Owns Okapi BM25 over one text whose terms are counted, as the database computes it over all (k1 = 1.2, b = 0.75).

import { countsOf } from "../text/tokenize.ts";

export const K1 = 1.2;
export const B = 0.75;

/** What a term says in the searched collection. */
export interface TermWeight {
  readonly idf: number;
}

/** Terms of a query with their weights. */
export type WeightedTerms = ReadonlyMap<string, number>;

/** A term that is said n times weighs 1 + ln n: alerts say the same in summary and description. */
export function weightTerms(terms: readonly string[]): WeightedTerms {
  return new Map([...countsOf(terms)].map(([term, count]) => [term, 1 + Math.log(count)]));
}

/** idf of a term; without statistics all terms say the same. */
export function idfOf(term: string, statistics: Readonly<Record<string, TermWeight>>): number {
  return (Object.hasOwn(statistics, term) ? statistics[term]?.idf : undefined) ?? 1;
}

/**
 * Σ over the query's terms of weight · idf · f · (k1 + 1) / (f + k1 · (1 − b + b · length)), where f is how often the text
 * holds the term.
 * @param relativeLength the text's length over the average of its like, in terms; 1 where length tells nothing
 */
export function bm25(
  query: WeightedTerms,
  frequencyOf: (term: string) => number,
  { relativeLength, statistics }: { readonly relativeLength: number; readonly statistics: Record<string, TermWeight> },
): number {
  let score = 0;
  for (const [term, weight] of query) {
    const frequency = frequencyOf(term);
    if (frequency === 0) continue;
    const norm = K1 * (1 - B + B * relativeLength);
    score += (weight * idfOf(term, statistics) * frequency * (K1 + 1)) / (frequency + norm);
  }
  return score;
}
