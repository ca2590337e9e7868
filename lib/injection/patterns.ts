// All patterns of injections in English, and in a form that reads across lines.

import { AGENT_ORDERS } from "./agent-orders.ts";
import { ANSWER_ORDERS } from "./answer-orders.ts";
import { STRUCTURE_PATTERNS } from "./forged-structure.ts";
import { INJECTION_PATTERNS } from "./injection-patterns.ts";
import { ORDER_PATTERNS } from "./order-patterns.ts";

const PATTERNS = [...INJECTION_PATTERNS, ...STRUCTURE_PATTERNS, ...ORDER_PATTERNS, ...AGENT_ORDERS, ...ANSWER_ORDERS];
/** Patterns that need the text with its capitals. */
export const CASE_SENSITIVE = PATTERNS.filter(({ caseSensitive }) => caseSensitive);
/** Patterns for folded text in lower case. */
export const IN_A_LINE = PATTERNS.filter(({ caseSensitive }) => !caseSensitive);
/** The same for folded lines that line breaks join; these find all matches. */
export const ACROSS_LINES = IN_A_LINE.map(({ category, pattern }) => ({ category, pattern: acrossLines(pattern) }));

/** The pattern with a line break wherever it takes a blank, and `^` and `$` at each line. */
function acrossLines({ source, flags }: RegExp): RegExp {
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
