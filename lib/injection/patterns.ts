// All patterns of injections in English, and in a form that reads across lines.

import { createSetFinder } from "../text/keyword-automaton.ts";
import { requiredWords } from "../text/required-words.ts";
import { AGENT_ORDERS } from "./agent-orders.ts";
import { ANSWER_ORDERS } from "./answer-orders.ts";
import { STRUCTURE_PATTERNS } from "./forged-structure.ts";
import { INJECTION_PATTERNS, type InjectionPattern } from "./injection-patterns.ts";
import { ORDER_PATTERNS } from "./order-patterns.ts";

const PATTERNS = [...INJECTION_PATTERNS, ...STRUCTURE_PATTERNS, ...ORDER_PATTERNS, ...AGENT_ORDERS, ...ANSWER_ORDERS];
/** Patterns that need the text with its capitals. */
export const CASE_SENSITIVE = PATTERNS.filter(({ caseSensitive }) => caseSensitive);
/** Patterns for folded text in lower case. */
const IN_A_LINE = PATTERNS.filter(({ caseSensitive }) => !caseSensitive);
/** The patterns that can match a folded text in lower case: each needs some words. */
export function patternsFor(lower: string): readonly InjectionPattern[] {
  const sets = findSets(lower);
  return IN_A_LINE.filter((_, i) => NEEDS[i]?.every((set) => sets[set] === 1));
}

const SETS = new Map<string, readonly string[]>();
/** Indexes of the sets of words that each pattern needs; equal sets are one. */
const NEEDS = IN_A_LINE.map(({ pattern }) =>
  requiredWords(pattern.source).map((words) => {
    const key = words.join();
    SETS.set(key, words);
    return [...SETS.keys()].indexOf(key);
  }),
);
const findSets = createSetFinder([...SETS.values()]);

const acrossLinesOf = new Map<InjectionPattern, RegExp>();

/** The form of a pattern for folded lines that line breaks join; it finds all matches. */
export function acrossLines(pattern: InjectionPattern): RegExp {
  const joined = acrossLinesOf.get(pattern) ?? joinLines(pattern.pattern);
  acrossLinesOf.set(pattern, joined);
  joined.lastIndex = 0;
  return joined;
}

/** The pattern with a line break wherever it takes a blank, and `^` and `$` at each line. */
function joinLines({ source, flags }: RegExp): RegExp {
  let isInClass = false;
  const wrapped = source.replace(/\\.|[[\] ]/g, (part) => {
    if (part === "[" || part === "]") {
      isInClass = part === "[";
      return part;
    }
    return part === " " ? (isInClass ? " \\n" : "[ \\n]") : part;
  });
  return new RegExp(wrapped, [...new Set(`${flags}gms`)].join(""));
}
