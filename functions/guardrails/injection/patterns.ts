// All patterns of injections in English, by the categories whose words a text has, and in a form that reads across lines.

import { INJECTION_CATEGORIES, type InjectionCategory } from "../../schemas/injection-category.ts";
import { AGENT_ORDERS } from "./agent-orders.ts";
import { ANSWER_ORDERS } from "./answer-orders.ts";
import { STRUCTURE_PATTERNS } from "./forged-structure.ts";
import { INJECTION_PATTERNS, type InjectionPattern } from "./injection-patterns.ts";
import { ORDER_PATTERNS } from "./order-patterns.ts";
import { CATEGORY_CHECKS } from "./quick-check.ts";

const PATTERNS = [...INJECTION_PATTERNS, ...STRUCTURE_PATTERNS, ...ORDER_PATTERNS, ...AGENT_ORDERS, ...ANSWER_ORDERS];
/** Patterns that need the text with its capitals. */
export const CASE_SENSITIVE = PATTERNS.filter(({ caseSensitive }) => caseSensitive);
const byCategory = (patterns: readonly InjectionPattern[]) =>
  INJECTION_CATEGORIES.map((category) => ({
    check: CATEGORY_CHECKS[category],
    patterns: patterns.filter((each) => each.category === category && !each.caseSensitive),
  }));
const IN_A_LINE = byCategory(PATTERNS);
const ACROSS_LINES = byCategory(PATTERNS.map((each) => ({ ...each, pattern: acrossLines(each.pattern) })));

/** The patterns whose words the text has. @param lower folded text in lower case */
export function candidatesIn(lower: string): InjectionPattern[] {
  return IN_A_LINE.flatMap(({ check, patterns }) => (check.test(lower) ? patterns : []));
}

/** As `candidatesIn`, for folded lines that line breaks join; the patterns find all matches. */
export function candidatesAcross(lower: string): { category: InjectionCategory; pattern: RegExp }[] {
  return ACROSS_LINES.flatMap(({ check, patterns }) => (check.test(lower) ? patterns : []));
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
