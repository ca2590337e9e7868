// The core phrases of injections in a text without blanks and punctuation: "i.g.n.o.r.e", "ignorePreviousInstructions", "1gn0r3",
// and phrases that are broken over lines. Pure functions, linear in the text.

import { createKeywordAutomaton } from "../text/keyword-automaton.ts";
import type { InjectionCategory } from "./injection-category.ts";

export interface CompactMatch {
  readonly category: InjectionCategory;
  readonly matched: string;
  /** Indexes of the first and the last line. */
  readonly first: number;
  readonly last: number;
}

/** Lines over which one phrase may be broken. */
export const MAX_LINES = 3;
/** The letters that digits and signs look like. `l` is read as `i`, since `1` may be either. */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  ...{ "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g" },
  ...{ "@": "a", $: "s", "!": "i", l: "i" },
};

const FILLER =
  "(?:all|any|every|of|the|your|my|our|these|those|this|that|its|and|or|previous|prior|above|earlier|system|safety)*";
const VERB = "(?:ignore|disregard|forget|bypass|override|donotfollow|dontfollow|stopfollowing|donotobey)";
const CORE: readonly (readonly [InjectionCategory, string])[] = [
  [
    "ignore_instructions",
    `${VERB}${FILLER}(?:previous|prior|above|earlier|preceding|your|system|original|initial)${FILLER}(?:instructions?|prompts?|directives|guidelines|guidance|rules(?=$|you|and|above))`,
  ],
  ["ignore_instructions", "(?:ignore|disregard|forget|bypass)(?:all|of)*yourrules"],
  ["ignore_instructions", "forget(?:everything|all)(?:that)?(?:youweretold|above|before)"],
  [
    "ignore_instructions",
    `${VERB}(?:all|any|every|of|the)*(?:instructions|rules)(?:above|youweregiven|yougot|beforethis)`,
  ],
  ["ignore_instructions", "(?:ignore|bypass|disregard)(?:all|any|of|the|your)*safety(?:guidelines|rules|instructions)"],
  [
    "prompt_leaking",
    "(?:reveal|print|show|output|repeat|dump|leak|display)(?:me)?(?:all|of)*your(?:full|entire|whole|hidden|secret|initial|original|internal)*(?:systemprompt|systemmessage|hiddeninstructions|initialinstructions|originalinstructions|initialprompt|prompt)",
  ],
  ["jailbreak", "doanythingnow|youarenowdan(?=$|and|do|free|an)"],
];
const PATTERNS = CORE.map(([category, source]) => ({
  category,
  pattern: new RegExp(source.replaceAll("l", "i"), "g"),
}));

const VERB_SEEN = 1;
const OBJECT_SEEN = 2;
const YOUR_SEEN = 4;
const PHRASE_SEEN = 8;
/** Words of which each phrase contains one of each kind. */
const WORDS: readonly (readonly [bits: number, words: string])[] = [
  [VERB_SEEN, "ignore disregard forget bypass override donotfollow dontfollow stopfollowing donotobey"],
  [OBJECT_SEEN, "instruction prompt directive guideline guidance rules systemmessage youweretold everything forgetall"],
  [YOUR_SEEN, "your"],
  [PHRASE_SEEN, "doanythingnow youarenowdan"],
];
const AUTOMATON = createKeywordAutomaton(
  WORDS.flatMap(([bits, words]) => words.split(" ").map((word) => [word.replaceAll("l", "i"), bits] as const)),
);
const SKIPPED = 255;
const CLASSES = compactClasses();

/** Classes of characters as `compactForm` reads them. */
function compactClasses(): Uint8Array {
  const classes = new Uint8Array(0x10000).fill(SKIPPED);
  for (const character of "abcdefghijklmnopqrstuvwxyz0123456789@$!") {
    const read = LOOKS_LIKE[character] ?? character;
    const value = AUTOMATON.classes[read.charCodeAt(0)] ?? 0;
    classes[character.charCodeAt(0)] = value;
    classes[character.toUpperCase().charCodeAt(0)] = value;
  }
  return classes;
}

/** Whether the lines contain the words of a phrase at all. */
function mayHoldPhrase(lines: readonly string[]): boolean {
  const { next, output } = AUTOMATON;
  let state = 0;
  let bits = 0;
  for (const line of lines) {
    for (let i = 0; i < line.length; i++) {
      const value = CLASSES[line.charCodeAt(i)] ?? SKIPPED;
      if (value === SKIPPED) continue;
      state = next[state + value] ?? 0;
      bits |= output[state] ?? 0;
    }
  }
  return (bits & PHRASE_SEEN) !== 0 || ((bits & OBJECT_SEEN) !== 0 && (bits & (VERB_SEEN | YOUR_SEEN)) !== 0);
}

/** @param lines of a text, without their ends, as a model reads them */
export function findCompactPhrases(lines: readonly string[]): CompactMatch[] {
  if (!mayHoldPhrase(lines)) return [];
  const starts: number[] = [];
  let compact = "";
  for (const line of lines) {
    starts.push(compact.length);
    compact += compactForm(line);
  }
  const matches: CompactMatch[] = [];
  for (const { category, pattern } of PATTERNS) {
    let line = 0;
    const advance = (to: number) => {
      while (line < starts.length - 1 && (starts[line + 1] ?? 0) <= to) line += 1;
      return line;
    };
    for (const { 0: matched, index } of compact.matchAll(pattern)) {
      const first = advance(index);
      const last = advance(index + matched.length - 1);
      if (last - first < MAX_LINES) matches.push({ category, matched, first, last });
    }
  }
  return matches;
}

function compactForm(line: string): string {
  return line
    .toLowerCase()
    .replace(/[^a-z\d@$!]+/g, "")
    .replace(/[013-57-9@$!l]/g, (sign) => LOOKS_LIKE[sign] ?? sign);
}
