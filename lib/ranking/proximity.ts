// Proximity of query terms in a text: "out of memory" means more than its three words apart. Pure functions.

import { tokenize } from "../text/tokenize.ts";
import { idfOf, type TermWeight } from "./bm25.ts";

/** Maximum distance between the two terms of a pair, in terms. */
const MAX_DISTANCE = 3;

/** Neighbouring terms of a query: first term, second term, weight. The weight is the smaller idf of the two. */
export type Pairs = ReadonlyMap<string, ReadonlyMap<string, number>>;

export function pairsOf(terms: readonly string[], statistics: Readonly<Record<string, TermWeight>>): Pairs {
  const pairs = new Map<string, Map<string, number>>();
  terms.forEach((first, i) => {
    const second = terms[i + 1];
    if (second === undefined || second === first) return;
    const seconds = pairs.get(first) ?? new Map<string, number>();
    seconds.set(second, Math.min(idfOf(first, statistics), idfOf(second, statistics)));
    pairs.set(first, seconds);
  });
  return pairs;
}

/** Share of the pairs' weight whose terms occur close together and in order in the text, 0 to 1. */
export function proximity(pairs: Pairs, text: string): number {
  const terms = tokenize(text);
  const matched = new Set<string>();
  let matchedWeight = 0;
  terms.forEach((first, i) => {
    const seconds = pairs.get(first);
    if (!seconds) return;
    for (let place = i + 1; place <= i + MAX_DISTANCE; place++) {
      const second = terms[place];
      const weight = second === undefined ? undefined : seconds.get(second);
      const pair = `${first} ${second}`;
      if (weight === undefined || matched.has(pair)) continue;
      matched.add(pair);
      matchedWeight += weight;
    }
  });
  let totalWeight = 0;
  for (const seconds of pairs.values()) for (const weight of seconds.values()) totalWeight += weight;
  return totalWeight === 0 ? 0 : matchedWeight / totalWeight;
}
