// Finds the hints that a report holds. Words of all domains are looked up in one pass over the text, so the time does not
// grow with the number of domains; patterns run one by one.

import type { HintDefinition } from "./domain-definition.ts";
import { compilePattern, MAX_PATTERN_LINE } from "./hint-pattern.ts";

export interface HintMatch {
  /** Sum of the weights of the matching hints. */
  readonly weight: number;
  /** The heaviest matching hint, 1 to 3. */
  readonly heaviest: number;
  /** The text that each hint matched. */
  readonly matches: readonly string[];
}

/** Returns the matches of a text, by key. Keys without a match are missing. */
export type HintIndex = (text: string) => ReadonlyMap<string, HintMatch>;

interface Hint {
  readonly key: string;
  readonly weight: number;
}

interface Phrase {
  readonly hint: Hint;
  /** The words after the first. */
  readonly rest: readonly string[];
}

const WORD = /[\p{L}\p{N}]+/gu;
const SHOWN_LENGTH = 60;

/** @param hintsByKey hints of each domain or incident type, by name */
export function createHintIndex(
  hintsByKey: Iterable<readonly [key: string, hints: readonly HintDefinition[]]>,
): HintIndex {
  const phrases = new Map<string, Phrase[]>();
  const patterns: { readonly hint: Hint; readonly pattern: RegExp }[] = [];
  for (const [key, hints] of hintsByKey) {
    for (const { words = [], pattern, weight } of hints) {
      const hint = { key, weight };
      for (const phrase of words) addPhrase(phrases, hint, phrase);
      if (pattern !== undefined) patterns.push({ hint, pattern: compilePattern(pattern) });
    }
  }
  return (text) => {
    const matchOf = new Map<Hint, string>();
    for (const [hint, match] of findPhrases(phrases, text)) if (!matchOf.has(hint)) matchOf.set(hint, match);
    const bounded = patterns.length === 0 ? "" : withBoundedLines(text);
    for (const { hint, pattern } of patterns) {
      const match = matchOf.has(hint) ? null : pattern.exec(bounded);
      if (match) matchOf.set(hint, match[0]);
    }
    return sumByKey(matchOf);
  };
}

/** The words of a text in lower case, as phrases are compared. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

function addPhrase(phrases: Map<string, Phrase[]>, hint: Hint, phrase: string): void {
  const [first, ...rest] = wordsOf(phrase);
  if (first === undefined) return;
  const sameStart = phrases.get(first);
  if (sameStart) sameStart.push({ hint, rest });
  else phrases.set(first, [{ hint, rest }]);
}

/** Phrases never cross a line. */
function* findPhrases(phrases: ReadonlyMap<string, readonly Phrase[]>, text: string): Generator<[Hint, string]> {
  if (phrases.size === 0) return;
  for (const line of text.split("\n")) {
    yield* findPhrasesInLine(phrases, line);
    const parts = withSplitNames(line);
    if (parts !== line) yield* findPhrasesInLine(phrases, parts);
  }
}

function* findPhrasesInLine(phrases: ReadonlyMap<string, readonly Phrase[]>, line: string): Generator<[Hint, string]> {
  const words = Array.from(line.matchAll(WORD), (match) => ({
    word: match[0].toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  for (const [i, first] of words.entries()) {
    for (const { hint, rest } of phrases.get(first.word) ?? []) {
      if (!rest.every((word, offset) => words[i + 1 + offset]?.word === word)) continue;
      yield [hint, line.slice(first.start, words[i + rest.length]?.end)];
    }
  }
}

/** Names of alerts and errors hold words: `VaultSealed` becomes `Vault Sealed`. */
function withSplitNames(line: string): string {
  return line.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
}

function withBoundedLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.slice(0, MAX_PATTERN_LINE))
    .join("\n");
}

function sumByKey(matchOf: ReadonlyMap<Hint, string>): ReadonlyMap<string, HintMatch> {
  const sums = new Map<string, HintMatch>();
  for (const [{ key, weight }, match] of matchOf) {
    const sum = sums.get(key) ?? { weight: 0, heaviest: 0, matches: [] };
    // Cuts by code points: Postgres cannot store half a surrogate pair.
    const shown = [...match.trim()].slice(0, SHOWN_LENGTH).join("");
    sums.set(key, {
      weight: sum.weight + weight,
      heaviest: Math.max(sum.heaviest, weight),
      matches: [...sum.matches, shown],
    });
  }
  return sums;
}
