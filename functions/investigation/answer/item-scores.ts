// How much the statements of a report speak for each item of a topic's list: a cause, or a mitigation. Pure functions.

import { wordVectors } from "../../../lib/embedding/shipped-vectors.ts";
import { tokenize } from "../../../lib/text/tokenize.ts";

/** A part of the report that may speak for an item. */
export interface ReportStatement {
  readonly text: string;
  /** Importance, 0 to 1. */
  readonly weight: number;
}

export interface ListedItems {
  /** Of the topic. Its words apply to every item and favour none. */
  readonly title: string;
  readonly items: readonly string[];
  /** Items of other sections of the topic. They show which words say nothing about an item. */
  readonly others: readonly string[];
}

export interface ItemScore {
  /** 1 is a word that stands in this item alone, in a statement of weight 1. */
  readonly score: number;
  /** Index of the statement that says the most for the item; undefined if none does. */
  readonly best: number | undefined;
}

/** Added for each word of the longest code span of an item that stands in the report word for word. */
const QUOTE_WEIGHT = 0.25;
/** Names of the same failure, or of some of its kinds: "(NOQUORUM, READONLY)". */
const ALTERNATIVES = /\([^)]{0,200}\)/g;
/** How far an item must be ahead of all others to be put first. Fitted to bench/causes/train, as QUOTE_WEIGHT. */
const MARGIN = 0.25;

/**
 * The item that the report speaks for, by its index; undefined if it speaks for none more than for the others. Σ weight · rarity² over
 * the terms that an item shares with the report: one rare word outweighs several common ones.
 */
export function decidedItem(scores: readonly ItemScore[]): number | undefined {
  const highest = Math.max(0, ...scores.map(({ score }) => score));
  const best = scores.findIndex(({ score }) => score === highest);
  const next = Math.max(0, ...scores.filter((_, i) => i !== best).map(({ score }) => score));
  return best !== -1 && highest - next >= MARGIN ? best : undefined;
}

export function scoreItems({ title, items, others }: ListedItems, statements: readonly ReportStatement[]): ItemScore[] {
  const common = new Set(tokenize(title.replace(ALTERNATIVES, "")));
  const termsOf = (text: string) => tokenize(text).filter((term) => !common.has(term));
  const itemTerms = items.map((item) => new Set(termsOf(item)));
  const rarity = rarityAmong([...itemTerms, ...others.map((text) => new Set(termsOf(text)))]);
  const read = statements.map(({ text, weight }) => {
    const terms = tokenize(text);
    return { terms: new Set(terms), weight, text: ` ${terms.join(" ")} ` };
  });
  return items.map((item, i) => {
    const byStatement = read.map(() => 0);
    let score = QUOTE_WEIGHT * quotedWords(item, read);
    for (const term of itemTerms[i] ?? []) {
      const gains = read.map(({ terms, weight }) => (terms.has(term) ? weight * rarity(term) ** 2 : 0));
      gains.forEach((gain, n) => {
        byStatement[n] = (byStatement[n] ?? 0) + gain;
      });
      score += Math.max(0, ...gains);
    }
    const highest = Math.max(0, ...byStatement);
    return { score, best: highest > 0 ? byStatement.indexOf(highest) : undefined };
  });
}

const CODE_SPAN = /`([^`]+)`/g;
const LEFT_OUT = /<[^>]{0,80}>|\.{3}|…/g;

/** The number of words of the longest code span that one statement holds. */
function quotedWords(item: string, statements: readonly { readonly text: string }[]): number {
  const spans = [...item.matchAll(CODE_SPAN)].map(([, code = ""]) => tokenize(code.replace(LEFT_OUT, " ")));
  const quoted = spans.filter(
    (span) => span.length > 0 && statements.some(({ text }) => text.includes(` ${span.join(" ")} `)),
  );
  return Math.max(0, ...quoted.map(({ length }) => length));
}

/**
 * ln(1 + (n − df + 0.5) / (df + 0.5)) among these texts, divided by that of a term that stands in one of them, times how much the
 * term says anywhere: 0 to 1.
 */
function rarityAmong(texts: readonly ReadonlySet<string>[]): (term: string) => number {
  const counts = new Map<string, number>();
  for (const terms of texts) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const idfOf = (count: number) => Math.log(1 + (texts.length - count + 0.5) / (count + 0.5));
  const highest = idfOf(1);
  const rarities = new Map<string, number>();
  return (term) => {
    let rarity = rarities.get(term);
    if (rarity === undefined) {
      rarity = (idfOf(Math.max(1, counts.get(term) ?? 0)) / highest) * meaningOf(term);
      rarities.set(term, rarity);
    }
    return rarity;
  };
}

/** A number of one or two digits is seldom a code. */
const SHORT_NUMBER = /^\d{1,2}$/;
const SHORT_NUMBER_MEANING = 0.3;
/** From this length of its vector on, a word is rare: one in ten is longer. A common word has a shorter one. */
const RARE_WORD_LENGTH = 1;

/** How much a term says in any text, 0 to 1: "time" stands in one cause of a runbook by chance. */
function meaningOf(term: string): number {
  if (SHORT_NUMBER.test(term)) return SHORT_NUMBER_MEANING;
  return Math.min(1, (wordVectors.lengthOf(term) ?? RARE_WORD_LENGTH) / RARE_WORD_LENGTH);
}
