// Reads the failure mechanisms of a text.

import { tokenizeWords } from "../text/tokenize.ts";
import { MECHANISMS } from "./mechanisms.ts";
import { indexPhrases, type Pattern, type PhraseIndex } from "./phrase-index.ts";

let phraseIndex: PhraseIndex | undefined;

/** No phrase spans two clauses. */
const CLAUSE_END = /\n|[.!?;]\s+/;
/** "can't", "couldn't", which the tokenizer would cut into "couldn" and a dropped letter. */
const SHORT_NOT = /\bcan['’]t\b|n['’]t\b/gi;
/** The tokenizer drops single letters. */
const IO = /\bI\/O\b/gi;

const NUMBER = /^\d/;
/** Numbers do not count as words of a gap, up to this many words in all. */
const MAX_SKIPPED = 10;

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
interface Match extends Pattern {
  readonly start: number;
  readonly end: number;
}

/**
 * The mechanisms of a text by name, with a strength, 0 to 1: that of the surest phrase. A negated phrase does not count. Linear in
 * the length of the text.
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
      if (isNegated(tokens, match.start) || isCountedNone(tokens, match.end)) continue;
      strengths.set(match.mechanism, Math.max(match.strength, strengths.get(match.mechanism) ?? 0));
    }
  }
  return strengths;
}

/** Whether a text says for certain what goes wrong, such as "remaining connection slots are reserved". */
export function namesFailure(text: string): boolean {
  return [...readMechanisms(text).values()].some((strength) => strength === 1);
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

/** Matches the slots before the anchor, which begins at a position, then the anchor and the slots after it. */
function matchAt(tokens: readonly string[], position: number, pattern: Pattern): Match | null {
  const before = matchFrom(tokens, position - 1, pattern, pattern.anchor - 1, -1);
  if (before === null) return null;
  const end = matchAlternatives(tokens, position, pattern, pattern.anchor, 1);
  return end === null ? null : { ...pattern, start: before + 1, end };
}

/** The place behind the match of the slots from `next` on, in the direction of `step`, or null. */
function matchFrom(
  tokens: readonly string[],
  from: number,
  pattern: Pattern,
  next: number,
  step: 1 | -1,
): number | null {
  const slot = pattern.slots[next];
  if (!slot) return from;
  const { gap = 0 } = (step === 1 ? slot : pattern.slots[next + 1]) ?? {};
  let words = 0;
  for (let i = from; words <= gap && Math.abs(i - from) <= MAX_SKIPPED; i += step) {
    const token = tokens[i];
    if (token === undefined) return null;
    const behind = matchAlternatives(tokens, i, pattern, next, step);
    if (behind !== null) return behind;
    if (gap === 0 || GAP_BARRIERS.has(token)) return null;
    // Numbers do not fill a gap.
    words += NUMBER.test(token) ? 0 : 1;
  }
  return null;
}

/** As `matchFrom`, for a slot without a gap. */
function matchAlternatives(
  tokens: readonly string[],
  position: number,
  pattern: Pattern,
  next: number,
  step: 1 | -1,
): number | null {
  const slot = pattern.slots[next];
  const alternatives = (step === 1 ? slot?.byFirst : slot?.byLast)?.get(tokens[position] ?? "") ?? [];
  for (const words of alternatives) {
    const first = step === 1 ? position : position - words.length + 1;
    if (!words.every((word, i) => tokens[first + i] === word)) continue;
    const behind = matchFrom(tokens, position + step * words.length, pattern, next + step, step);
    if (behind !== null) return behind;
  }
  return null;
}

/** Drops a match within a longer one without gaps: "connection timed out" is no plain "timed out". */
function withoutContained(matches: Match[]): Match[] {
  const sorted = matches.sort((a, b) => a.start - b.start || b.end - a.end);
  let outer: Match | undefined;
  return sorted.filter((match) => {
    const isContained =
      outer !== undefined && match.end <= outer.end && match.end - match.start < outer.end - outer.start;
    if (!isContained && match.slots.every(({ gap }) => gap === 0) && match.end > (outer?.end ?? 0)) outer = match;
    return !isContained;
  });
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
