// Reads the failure mechanisms of a text.

import { tokenizeWords } from "../text/tokenize.ts";
import { MECHANISMS } from "./mechanisms.ts";
import { indexPhrases, type Pattern, type PhraseIndex, type Slot } from "./phrase-index.ts";

let phraseIndex: PhraseIndex | undefined;

/** Plain words for each mechanism, by name. */
export const MECHANISM_LABELS: ReadonlyMap<string, string> = new Map(
  MECHANISMS.map(({ name, label }) => [name, label]),
);

/** No phrase spans two clauses. */
const CLAUSE_END = /\n|[.!?;]\s+/;
/** "can't", "couldn't", which the tokenizer would cut into "couldn" and a dropped letter. */
const SHORT_NOT = /\bcan['’]t\b|n['’]t\b/gi;
/** The tokenizer drops single letters. */
const IO = /\bI\/O\b/gi;

const NUMBER = /^\d/;
/** Numbers do not count as words of a gap, up to this many words in all. */
const MAX_SKIPPED = 10;

const NO_LENGTHS: readonly number[] = [];
const ONE_WORD: readonly number[] = [1];

const NEGATIONS = wordSet("no not 0 without never none neither");
/** In a gap they separate unlike statements. */
const GAP_BARRIERS = wordSet("no not without never cannot");
/** Words between a negation and what it negates: "no new deadlocks", "no signs of". */
const BETWEEN = wordSet("new more recent further other active sign evidence such any current single longer");
/** Words between a phrase and its count: "deadlocks detected: 0". */
const BEFORE_COUNT = wordSet("count total detected found error status state event occurred last number");
const NONE = wordSet("none false");
/** "errors: 0", which reads as "errors 0 none"; not "segfault at 0". */
const ZERO_VALUE = /[:=]["']?\s{0,4}0(?![\w./:%-])/g;
const SUCCESS = wordSet("succeeded success successful successfully recovered");
const NO_SUCCESS = wordSet("no not never without fail cannot unable last");
/** How far from a phrase a word of success weakens it. */
const SUCCESS_REACH = 6;
const WEAKENED = 0.4;

interface Match {
  readonly mechanism: string;
  readonly strength: number;
  readonly start: number;
  readonly end: number;
  readonly hasGap: boolean;
}

/**
 * The mechanisms of a text by name, with a strength, 0 to 1: that of the surest phrase. A negated phrase does not count, and
 * one beside a success counts less ("timed out, retry succeeded"). Linear in the length of the text.
 */
export function readMechanisms(text: string): ReadonlyMap<string, number> {
  const strengths = new Map<string, number>();
  for (const clause of text
    .replace(SHORT_NOT, " not")
    .replace(IO, "io")
    .replace(ZERO_VALUE, " 0 none ")
    .split(CLAUSE_END)) {
    const tokens = tokenizeWords(clause);
    for (const match of withoutContained(matchesIn(tokens))) {
      const strength = match.strength * certainty(tokens, match);
      if (strength > (strengths.get(match.mechanism) ?? 0)) strengths.set(match.mechanism, strength);
    }
  }
  return strengths;
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").flatMap((word) => tokenizeWords(word)));
}

function matchesIn(tokens: readonly string[]): Match[] {
  // Most requests read no mechanisms: the first that does builds the index.
  phraseIndex ??= indexPhrases(MECHANISMS);
  const index = phraseIndex;
  const matches: Match[] = [];
  tokens.forEach((token, i) => {
    for (const pattern of index.get(token) ?? []) {
      const match = matchAt(tokens, i, pattern);
      if (match) matches.push(match);
    }
  });
  return matches;
}

/** Matches the anchor at a position, then the slots before and after it. */
function matchAt(tokens: readonly string[], position: number, pattern: Pattern): Match | null {
  const { slots, anchor, mechanism, strength, hasGap } = pattern;
  if (isRuledOut(tokens, position, slots, anchor)) return null;
  for (const length of lengthsAt(tokens, position, slots[anchor])) {
    const start = matchLeft(tokens, position, slots, anchor);
    const end = start < 0 ? -1 : matchRight(tokens, position + length, slots, anchor + 1);
    if (end >= 0) return { mechanism, strength, start, end, hasGap };
  }
  return null;
}

/** Most patterns fail at the word beside the anchor: a quick look before the search. */
function isRuledOut(tokens: readonly string[], position: number, slots: readonly Slot[], anchor: number): boolean {
  const before = slots[anchor - 1];
  if (before && slots[anchor]?.gap === 0 && !before.ends.has(tokens[position - 1] ?? "")) return true;
  const after = slots[anchor + 1];
  const isOneWord = slots[anchor]?.sequences.length === 0;
  return after?.gap === 0 && isOneWord && !after.starts.has(tokens[position + 1] ?? "");
}

/** The end of the match of the slots from `next` on, or -1. */
function matchRight(tokens: readonly string[], from: number, slots: readonly Slot[], next: number): number {
  const slot = slots[next];
  if (!slot) return from;
  let words = 0;
  for (let i = from; i < tokens.length && words <= slot.gap && i <= from + MAX_SKIPPED; i++) {
    for (const length of slot.starts.has(tokens[i] ?? "") ? lengthsAt(tokens, i, slot) : NO_LENGTHS) {
      const end = matchRight(tokens, i + length, slots, next + 1);
      if (end >= 0) return end;
    }
    if (slot.gap === 0 || isBarrier(tokens[i])) return -1;
    words += wordCount(tokens[i]);
  }
  return -1;
}

/** The start of the match of the slots before `index`, whose own match starts at `start`, or -1. */
function matchLeft(tokens: readonly string[], start: number, slots: readonly Slot[], index: number): number {
  const slot = slots[index - 1];
  if (!slot) return start;
  const gap = slots[index]?.gap ?? 0;
  let words = 0;
  for (let i = start - 1; i >= 0 && words <= gap && i >= start - 1 - MAX_SKIPPED; i--) {
    for (const length of slot.ends.has(tokens[i] ?? "") ? lengthsEndingAt(tokens, i, slot) : NO_LENGTHS) {
      const first = matchLeft(tokens, i - length + 1, slots, index - 1);
      if (first >= 0) return first;
    }
    if (gap === 0 || isBarrier(tokens[i])) return -1;
    words += wordCount(tokens[i]);
  }
  return -1;
}

function isBarrier(token = ""): boolean {
  return GAP_BARRIERS.has(token);
}

/** Numbers do not fill a gap. */
function wordCount(token = ""): number {
  return NUMBER.test(token) ? 0 : 1;
}

function lengthsAt(tokens: readonly string[], position: number, slot: Slot | undefined): readonly number[] {
  if (!slot) return NO_LENGTHS;
  const single = slot.words.has(tokens[position] ?? "") ? ONE_WORD : NO_LENGTHS;
  if (slot.sequences.length === 0) return single;
  const sequences = slot.sequences.filter((words) => isAt(tokens, position, words));
  return sequences.length === 0 ? single : [...sequences.map(({ length }) => length), ...single];
}

function lengthsEndingAt(tokens: readonly string[], last: number, slot: Slot): readonly number[] {
  const single = slot.words.has(tokens[last] ?? "") ? ONE_WORD : NO_LENGTHS;
  if (slot.sequences.length === 0) return single;
  const sequences = slot.sequences.filter((words) => isAt(tokens, last - words.length + 1, words));
  return sequences.length === 0 ? single : [...sequences.map(({ length }) => length), ...single];
}

function isAt(tokens: readonly string[], position: number, words: readonly string[]): boolean {
  for (let i = 0; i < words.length; i++) if (tokens[position + i] !== words[i]) return false;
  return true;
}

/** Drops a match within a longer one without gaps: "connection timed out" is no plain "timed out". */
function withoutContained(matches: Match[]): Match[] {
  const sorted = matches.sort((a, b) => a.start - b.start || b.end - a.end);
  let outer: Match | undefined;
  return sorted.filter((match) => {
    const isContained =
      outer !== undefined && match.end <= outer.end && match.end - match.start < outer.end - outer.start;
    if (!match.hasGap && !isContained && match.end > (outer?.end ?? 0)) outer = match;
    return !isContained;
  });
}

/** 0 for a negated match, less than 1 for one beside a success. */
function certainty(tokens: readonly string[], match: Match): number {
  if (isNegated(tokens, match.start) || isCountedNone(tokens, match.end)) return 0;
  const from = Math.max(0, match.start - SUCCESS_REACH);
  for (let i = from; i < Math.min(tokens.length, match.end + SUCCESS_REACH); i++) {
    const isWithin = i >= match.start && i < match.end;
    if (!isWithin && isSuccess(tokens, i)) return WEAKENED;
  }
  return 1;
}

function isNegated(tokens: readonly string[], start: number): boolean {
  const before = tokens[start - 1] ?? "";
  // "503 0 retry-after": the 0 is a figure of its own.
  if (before === "0" && NUMBER.test(tokens[start - 2] ?? "")) return false;
  return NEGATIONS.has(before) || (BETWEEN.has(before) && NEGATIONS.has(tokens[start - 2] ?? ""));
}

/** "deadlocks: 0", "MemoryPressure False". */
function isCountedNone(tokens: readonly string[], end: number): boolean {
  if (NUMBER.test(tokens[end - 1] ?? "")) return false;
  const place = BEFORE_COUNT.has(tokens[end] ?? "") ? end + 1 : end;
  const isLastZero = tokens[place] === "0" && NONE.has(tokens[place + 1] ?? "none");
  return isLastZero || NONE.has(tokens[place] ?? "");
}

function isSuccess(tokens: readonly string[], i: number): boolean {
  if (!SUCCESS.has(tokens[i] ?? "")) return false;
  const isDenied = NO_SUCCESS.has(tokens[i - 1] ?? "") || NO_SUCCESS.has(tokens[i - 2] ?? "");
  return !isDenied && !NONE.has(tokens[i + 1] ?? "");
}
