// Owns how far a title says what was asked, in both directions: how much of the title the query covers, and how much of
// the query the title does. Pure.

import { countsOf, tokenizeWords } from "../text/tokenize.ts";
import { idfOf, type TermWeight, type WeightedTerms } from "./bm25.ts";

/** What a word counts that only shares its beginning with a query's: config and configuration. */
const SAME_BEGINNING = 0.8;
const MIN_PREFIX_LENGTH = 4;
/** Of the longer word, where neither is the beginning of the other: inconsistent and inconsistency. */
const LEAST_SHARED = 0.6;

export interface TitleMatcher {
  /** coverage² × √(share of the query), 0 to 1: near-complete titles tell, and a title of one chance word does not. */
  strengthOf(title: string): number;
  /** Whether the query says the title word for word; a title of one word is too easily said by chance. */
  isSaid(name: string): boolean;
}

/** @param titles of all that are compared: a word that many of them have tells little */
export function createTitleMatcher(
  query: string,
  terms: WeightedTerms,
  { titles, statistics }: { readonly titles: readonly string[]; readonly statistics: Record<string, TermWeight> },
): TitleMatcher {
  const asked = new AskedWords(terms);
  const said = ` ${tokenizeWords(query).join(" ")} `;
  const rarity = rarityAmong(titles);
  let all = 0;
  for (const [term, weight] of terms) all += weight * idfOf(term, statistics);
  return {
    strengthOf(title) {
      let whole = 0;
      let covered = 0;
      const used = new Map<string, number>();
      for (const word of new Set(tokenizeWords(title))) {
        const match = asked.match(word);
        whole += rarity(word);
        if (match === undefined) continue;
        covered += match.likeness * rarity(word);
        used.set(match.term, Math.max(match.likeness, used.get(match.term) ?? 0));
      }
      let share = 0;
      for (const [term, likeness] of used) share += likeness * (terms.get(term) ?? 0) * idfOf(term, statistics);
      return whole === 0 || all === 0 ? 0 : (covered / whole) ** 2 * Math.sqrt(Math.min(1, share / all));
    },
    isSaid(name) {
      const words = tokenizeWords(name);
      return words.length > 1 && said.includes(` ${words.join(" ")} `);
    },
  };
}

/** ln(1 + (n − df + 0.5) / (df + 0.5)), the idf of BM25, among the titles at hand. */
function rarityAmong(titles: readonly string[]): (word: string) => number {
  const counts = countsOf(titles.flatMap((title) => [...new Set(tokenizeWords(title))]));
  return (word) => {
    const df = counts.get(word) ?? 0;
    return Math.log(1 + (titles.length - df + 0.5) / (df + 0.5));
  };
}

interface Match {
  readonly term: string;
  /** 1, or less where only the beginning is the same. */
  readonly likeness: number;
}

class AskedWords {
  readonly #terms: WeightedTerms;
  readonly #byBeginning = new Map<string, string[]>();

  constructor(terms: WeightedTerms) {
    this.#terms = terms;
    for (const term of terms.keys()) {
      if (!PLAIN.test(term)) continue;
      const beginning = term.slice(0, MIN_PREFIX_LENGTH);
      this.#byBeginning.set(beginning, [...(this.#byBeginning.get(beginning) ?? []), term]);
    }
  }

  match(word: string): Match | undefined {
    if (this.#terms.has(word)) return { term: word, likeness: 1 };
    if (!PLAIN.test(word)) return undefined;
    const alike = this.#byBeginning.get(word.slice(0, MIN_PREFIX_LENGTH))?.find((term) => beginsAlike(word, term));
    return alike === undefined ? undefined : { term: alike, likeness: SAME_BEGINNING };
  }
}

const PLAIN = /^[a-z]{4,}$/;

function beginsAlike(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < shorter && a[shared] === b[shared]) shared++;
  return shared === shorter || shared >= LEAST_SHARED * Math.max(a.length, b.length);
}
