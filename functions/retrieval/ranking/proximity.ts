// Owns how much of a query's wording stands together in a text: "out of memory" is more than its three words. Pure.

import { tokenize } from "../text/tokenize.ts";
import { idfOf, type TermWeight } from "./bm25.ts";

/** Places behind a word at which the next one may stand. */
const REACH = 3;

/** Neighbours in a query, with what the pair weighs: as much as the commoner of the two says. */
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

/** The share of the pairs' weight that stands together in the text, in the same order; 0 to 1. */
export function proximity(pairs: Pairs, text: string): number {
  const terms = tokenize(text);
  const found = new Set<string>();
  let together = 0;
  terms.forEach((first, i) => {
    const seconds = pairs.get(first);
    if (!seconds) return;
    for (let place = i + 1; place <= i + REACH; place++) {
      const second = terms[place];
      const weight = second === undefined ? undefined : seconds.get(second);
      const pair = `${first} ${second}`;
      if (weight === undefined || found.has(pair)) continue;
      found.add(pair);
      together += weight;
    }
  });
  let all = 0;
  for (const seconds of pairs.values()) for (const weight of seconds.values()) all += weight;
  return all === 0 ? 0 : together / all;
}
