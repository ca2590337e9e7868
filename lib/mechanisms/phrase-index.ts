// Compiles the phrases of mechanisms into patterns, indexed by their rarest word. The notation is in mechanism.ts.

import { tokenizeWords } from "../text/tokenize.ts";
import { type Mechanism, type Phrases, WORD_LISTS } from "./mechanism.ts";

/** Any of these words, or of these sequences of words. */
export interface Alternatives {
  readonly words: ReadonlySet<string>;
  readonly sequences: readonly (readonly string[])[];
  /** The first and the last words of all. */
  readonly starts: ReadonlySet<string>;
  readonly ends: ReadonlySet<string>;
}

/** One place of a pattern. */
export interface Slot extends Alternatives {
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

/** Reads one part of a phrase, such as `disk|file-system`; null if the tokenizer drops all its words. */
type PartReader = (part: string) => Alternatives | null;

const GAP = 4;
const STRENGTHS: Readonly<Record<keyof Phrases, number>> = { sure: 1, likely: 0.75, hint: 0.5 };
const SEPARATOR = /[,\n]/;

interface ParsedPhrase {
  readonly mechanism: string;
  readonly strength: number;
  readonly slots: readonly Slot[];
}

export function indexPhrases(mechanisms: readonly Mechanism[]): PhraseIndex {
  const readPart = createPartReader();
  const parsed = mechanisms.flatMap((mechanism) => parsePhrases(mechanism, readPart));
  const frequency = new Map<string, number>();
  for (const { slots } of parsed) {
    for (const slot of slots) for (const word of slot.starts) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const index = new Map<string, Pattern[]>();
  for (const phrase of parsed) {
    const anchor = rarestSlot(phrase.slots, frequency);
    const pattern = { ...phrase, anchor, hasGap: phrase.slots.some(({ gap }) => gap > 0) };
    for (const word of phrase.slots[anchor]?.starts ?? []) {
      const patterns = index.get(word);
      if (patterns) patterns.push(pattern);
      else index.set(word, [pattern]);
    }
  }
  return index;
}

/** Parts and words repeat across the phrases: each is read once. */
function createPartReader(): PartReader {
  const parts = new Map<string, Alternatives | null>();
  const words = new Map<string, readonly string[]>();
  const tokensOf = (word: string) => {
    const tokens = words.get(word) ?? tokenizeWords(word);
    words.set(word, tokens);
    return tokens;
  };
  return (part) => {
    const cached = parts.get(part);
    if (cached !== undefined) return cached;
    const alternatives = parsePart(part, tokensOf);
    parts.set(part, alternatives);
    return alternatives;
  };
}

function parsePhrases({ name, phrases }: Mechanism, readPart: PartReader): ParsedPhrase[] {
  return Object.entries(STRENGTHS).flatMap(([tier, strength]) =>
    (phrases[tier as keyof Phrases] ?? "")
      .split(SEPARATOR)
      .flatMap((phrase) => parseOrders(phrase, readPart))
      .filter((slots) => slots.length > 0)
      .map((slots) => ({ mechanism: name, strength, slots })),
  );
}

/** One sequence of slots, or with `&` one for each order. */
function parseOrders(phrase: string, readPart: PartReader): Slot[][] {
  const [left, right] = phrase.split("&");
  if (right === undefined) return [parseSlots(phrase, readPart)];
  return [parseSlots(`${left} * ${right}`, readPart), parseSlots(`${right} * ${left}`, readPart)];
}

function parseSlots(phrase: string, readPart: PartReader): Slot[] {
  const slots: Slot[] = [];
  let gap = 0;
  for (const part of phrase.trim().split(/\s+/)) {
    if (part === "*") {
      gap = GAP;
      continue;
    }
    const alternatives = readPart(part);
    // Words that the tokenizer drops leave no slot.
    if (!alternatives) continue;
    slots.push({ ...alternatives, gap: slots.length === 0 ? 0 : gap });
    gap = 0;
  }
  return slots;
}

function parsePart(part: string, tokensOf: (word: string) => readonly string[]): Alternatives | null {
  const words = new Set<string>();
  const sequences: (readonly string[])[] = [];
  const starts = new Set<string>();
  const ends = new Set<string>();
  for (const alternative of part.replace(/\{(\w+)\}/g, (_, list: string) => WORD_LISTS[list] ?? list).split("|")) {
    const tokens = tokensOf(alternative);
    const [first, last] = [tokens[0], tokens.at(-1)];
    if (first === undefined || last === undefined) continue;
    if (tokens.length === 1) words.add(first);
    else sequences.push(tokens);
    starts.add(first);
    ends.add(last);
  }
  return starts.size === 0 ? null : { words, sequences, starts, ends };
}

function rarestSlot(slots: readonly Slot[], frequency: ReadonlyMap<string, number>): number {
  let rarest = 0;
  let lowest = Number.POSITIVE_INFINITY;
  slots.forEach((slot, i) => {
    const highest = Math.max(...[...slot.starts].map((word) => frequency.get(word) ?? 0));
    if (highest >= lowest) return;
    lowest = highest;
    rarest = i;
  });
  return rarest;
}
