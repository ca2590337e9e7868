// Compiles the phrases of mechanisms into patterns, indexed by their rarest word. The notation is in mechanisms.ts.

import { countsOf, tokenizeWords } from "../text/tokenize.ts";
import { type Mechanism, WORD_LISTS } from "./mechanisms.ts";

/** Sequences of words of which one has to match, by their first and their last word. */
interface Alternatives {
  readonly byFirst: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly byLast: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** One place of a pattern. */
interface Slot extends Alternatives {
  /** Other words allowed in front of it. */
  readonly gap: number;
}

export interface Pattern {
  readonly mechanism: string;
  readonly strength: number;
  readonly slots: readonly Slot[];
  /** The slot by whose words the pattern is found. */
  readonly anchor: number;
}

/** The patterns by each first word of an alternative of their anchor. */
export type PhraseIndex = ReadonlyMap<string, readonly Pattern[]>;

const GAP = 4;

export function indexPhrases(mechanisms: readonly Mechanism[]): PhraseIndex {
  // Words and parts repeat across the phrases: each is read once.
  const tokensOf = memoize(tokenizeWords);
  const readPart = memoize((part) => parsePart(part, tokensOf));
  const phrases = mechanisms.flatMap(({ name: mechanism, sure = [], likely = [], hint = [] }) => {
    const tiers = [
      { strength: 1, texts: sure },
      { strength: 0.75, texts: likely },
      { strength: 0.5, texts: hint },
    ];
    return tiers.flatMap(({ strength, texts }) =>
      texts
        .flatMap(ordersOf)
        .map((text) => ({ mechanism, strength, slots: parseSlots(text, readPart) }))
        .filter(({ slots }) => slots.length > 0),
    );
  });
  const frequency = countsOf(phrases.flatMap(({ slots }) => slots.flatMap(({ byFirst }) => [...byFirst.keys()])));
  const index = new Map<string, Pattern[]>();
  for (const phrase of phrases) {
    const highest = phrase.slots.map(({ byFirst }) =>
      Math.max(...[...byFirst.keys()].map((word) => frequency.get(word) ?? 0)),
    );
    const anchor = highest.indexOf(Math.min(...highest));
    for (const word of phrase.slots[anchor]?.byFirst.keys() ?? []) {
      const patterns = index.get(word) ?? [];
      patterns.push({ ...phrase, anchor });
      index.set(word, patterns);
    }
  }
  return index;
}

/** `a & b` is `a * b` or `b * a`. */
function ordersOf(phrase: string): string[] {
  const [left, right] = phrase.split("&");
  return right === undefined ? [phrase] : [`${left} * ${right}`, `${right} * ${left}`];
}

function parseSlots(phrase: string, readPart: (part: string) => Alternatives): Slot[] {
  const slots: Slot[] = [];
  let gap = 0;
  for (const text of phrase.trim().split(/\s+/)) {
    if (text === "*") {
      gap = GAP;
      continue;
    }
    const part = readPart(text);
    // The tokenizer drops all words of some parts.
    if (part.byFirst.size === 0) continue;
    slots.push({ ...part, gap: slots.length === 0 ? 0 : gap });
    gap = 0;
  }
  return slots;
}

function parsePart(part: string, tokensOf: (word: string) => readonly string[]): Alternatives {
  const alternatives = part
    .replace(/\{(\w+)\}/g, (_, list: string) => WORD_LISTS[list] ?? list)
    .split("|")
    .map(tokensOf)
    .filter(({ length }) => length > 0);
  // The first that matches is taken: "http 1.1" before "http".
  const ordered = [
    ...alternatives.filter(({ length }) => length > 1),
    ...alternatives.filter(({ length }) => length === 1),
  ];
  return {
    byFirst: Map.groupBy(ordered, (words) => words[0] ?? ""),
    byLast: Map.groupBy(ordered, (words) => words.at(-1) ?? ""),
  };
}

function memoize<T>(read: (text: string) => T): (text: string) => T {
  const values = new Map<string, T>();
  return (text) => {
    const value = values.get(text) ?? read(text);
    values.set(text, value);
    return value;
  };
}
