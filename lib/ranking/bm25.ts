// Okapi BM25 of one text from its term counts (k1 = 1.2, b = 0.75). The database computes it over whole collections.

import { countsOf } from "../text/tokenize.ts";

export const K1 = 1.2;
export const B = 0.75;

/** Weight of a term in the searched collection. */
export interface TermWeight {
  readonly idf: number;
}

/** Weights of a query's terms, by term. */
export type WeightedTerms = ReadonlyMap<string, number>;

/** A term that occurs n times weighs 1 + ln n: alerts repeat their summary in the description. */
export function weightTerms(terms: readonly string[]): WeightedTerms {
  return new Map([...countsOf(terms)].map(([term, count]) => [term, 1 + Math.log(count)]));
}

/** Inverse document frequency of a term; 1 without statistics. */
export function idfOf(term: string, statistics: Readonly<Record<string, TermWeight>>): number {
  return (Object.hasOwn(statistics, term) ? statistics[term]?.idf : undefined) ?? 1;
}

/**
 * Σ over the query's terms of weight · idf · f · (k1 + 1) / (f + k1 · (1 − b + b · relativeLength)), where f is the
 * frequency of the term in the text.
 * @param relativeLength the text's length in terms, divided by the average length; 1 to ignore the length
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
