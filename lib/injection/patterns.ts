// All patterns of injections in English, by the categories whose words a text has, and in a form that reads across lines.

import { AGENT_ORDERS } from "./agent-orders.ts";
import { ANSWER_ORDERS } from "./answer-orders.ts";
import { STRUCTURE_PATTERNS } from "./forged-structure.ts";
import { INJECTION_CATEGORIES, type InjectionCategory } from "./injection-category.ts";
import { INJECTION_PATTERNS, type InjectionPattern } from "./injection-patterns.ts";
import { ORDER_PATTERNS } from "./order-patterns.ts";
import { CATEGORY_CHECKS } from "./quick-check.ts";

const PATTERNS = [...INJECTION_PATTERNS, ...STRUCTURE_PATTERNS, ...ORDER_PATTERNS, ...AGENT_ORDERS, ...ANSWER_ORDERS];
/** Patterns that need the text with its capitals. */
export const CASE_SENSITIVE = PATTERNS.filter(({ caseSensitive }) => caseSensitive);
const IN_A_LINE = PATTERNS.filter(({ caseSensitive }) => !caseSensitive);
const ACROSS_LINES = IN_A_LINE.map(({ category, pattern }) => ({ category, pattern: acrossLines(pattern) }));

/** The patterns whose words the text has. @param lower folded text in lower case */
export function candidatesIn(lower: string): InjectionPattern[] {
  const categories = categoriesIn(lower);
  return IN_A_LINE.filter(({ category }) => categories.has(category));
}

/** As `candidatesIn`, for folded lines that line breaks join; the patterns find all matches. */
export function candidatesAcross(lower: string): { category: InjectionCategory; pattern: RegExp }[] {
  const categories = categoriesIn(lower);
  return ACROSS_LINES.filter(({ category }) => categories.has(category));
}

function categoriesIn(lower: string): Set<InjectionCategory> {
  return new Set(INJECTION_CATEGORIES.filter((category) => CATEGORY_CHECKS[category].test(lower)));
}

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
