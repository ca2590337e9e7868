// Compiles the phrases of mechanisms into patterns, indexed by their rarest word. The notation is in mechanism.ts.

import { tokenizeWords } from "../text/tokenize.ts";
import { type Mechanism, type Phrases, WORD_LISTS } from "./mechanism.ts";

/** One place of a pattern: any of these words, or of these sequences of words. */
export interface Slot {
  readonly words: ReadonlySet<string>;
  readonly sequences: readonly (readonly string[])[];
  /** Other words allowed in front of it. */
  readonly gap: number;
}

export interface Pattern {
  readonly mechanism: string;
  readonly strength: number;
  readonly slots: readonly Slot[];
  /** The slot by whose words the pattern is found. */
  readonly anchor: number;
  readonly hasGap: boolean;
}

/** The patterns by each first word of an alternative of their anchor. */
export type PhraseIndex = ReadonlyMap<string, readonly Pattern[]>;

type Tokenizer = (word: string) => readonly string[];

const GAP = 4;
const STRENGTHS: Readonly<Record<keyof Phrases, number>> = { sure: 1, likely: 0.75, hint: 0.5 };
const SEPARATOR = /[,\n]/;

interface ParsedPhrase {
  readonly mechanism: string;
  readonly strength: number;
  readonly slots: readonly Slot[];
}

export function indexPhrases(mechanisms: readonly Mechanism[]): PhraseIndex {
  const tokensOf = createTokenizer();
  const parsed = mechanisms.flatMap((mechanism) => parsePhrases(mechanism, tokensOf));
  const frequency = new Map<string, number>();
  for (const { slots } of parsed) {
    for (const slot of slots) for (const word of firstWords(slot)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const index = new Map<string, Pattern[]>();
  for (const phrase of parsed) {
    const anchor = rarestSlot(phrase.slots, frequency);
    const pattern = { ...phrase, anchor, hasGap: phrase.slots.some(({ gap }) => gap > 0) };
    for (const word of firstWords(phrase.slots[anchor])) {
      const patterns = index.get(word);
      if (patterns) patterns.push(pattern);
      else index.set(word, [pattern]);
    }
  }
  return index;
}

/** Words repeat across the phrases: each is tokenized once. */
function createTokenizer(): Tokenizer {
  const cache = new Map<string, readonly string[]>();
  return (word) => {
    const tokens = cache.get(word) ?? tokenizeWords(word);
    cache.set(word, tokens);
    return tokens;
  };
}

function parsePhrases({ name, phrases }: Mechanism, tokensOf: Tokenizer): ParsedPhrase[] {
  return Object.entries(STRENGTHS).flatMap(([tier, strength]) =>
    (phrases[tier as keyof Phrases] ?? "")
      .split(SEPARATOR)
      .flatMap((phrase) => parseOrders(phrase, tokensOf))
      .filter((slots) => slots.length > 0)
      .map((slots) => ({ mechanism: name, strength, slots })),
  );
}

/** One sequence of slots, or with `&` one for each order. */
function parseOrders(phrase: string, tokensOf: Tokenizer): Slot[][] {
  const [left, right] = phrase.split("&");
  if (right === undefined) return [parseSlots(phrase, tokensOf)];
  return [parseSlots(`${left} * ${right}`, tokensOf), parseSlots(`${right} * ${left}`, tokensOf)];
}

function parseSlots(phrase: string, tokensOf: Tokenizer): Slot[] {
  const slots: Slot[] = [];
  let gap = 0;
  for (const part of phrase.trim().split(/\s+/)) {
    if (part === "*") {
      gap = GAP;
      continue;
    }
    const slot = parseSlot(part, slots.length === 0 ? 0 : gap, tokensOf);
    // Words that the tokenizer drops leave no slot.
    if (!slot) continue;
    slots.push(slot);
    gap = 0;
  }
  return slots;
}

function parseSlot(part: string, gap: number, tokensOf: Tokenizer): Slot | null {
  const alternatives = part.replace(/\{(\w+)\}/g, (_, list: string) => WORD_LISTS[list] ?? list).split("|");
  const words = new Set<string>();
  const sequences: (readonly string[])[] = [];
  for (const alternative of alternatives) {
    const tokens = tokensOf(alternative);
    const [first] = tokens;
    if (first === undefined) continue;
    if (tokens.length === 1) words.add(first);
    else sequences.push(tokens);
  }
  return words.size + sequences.length === 0 ? null : { words, sequences, gap };
}

function firstWords(slot: Slot | undefined): Set<string> {
  return new Set([...(slot?.words ?? []), ...(slot?.sequences ?? []).flatMap((sequence) => sequence.slice(0, 1))]);
}

function rarestSlot(slots: readonly Slot[], frequency: ReadonlyMap<string, number>): number {
  let rarest = 0;
  let lowest = Number.POSITIVE_INFINITY;
  slots.forEach((slot, i) => {
    const highest = Math.max(...[...firstWords(slot)].map((word) => frequency.get(word) ?? 0));
    if (highest >= lowest) return;
    lowest = highest;
    rarest = i;
  });
  return rarest;
}
