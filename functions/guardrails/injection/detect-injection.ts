// Detection and removal of prompt injections in questions, alerts and logs. A question with an injection is refused. In
// alert text only the line is removed: an attacker's log line must not stop the triage of an incident.

import { INJECTION_CATEGORIES, type InjectionCategory } from "../../schemas/injection-category.ts";
import { type CompactMatch, findCompactPhrases } from "./compact-phrases.ts";
import { latinSkeleton } from "./confusables.ts";
import { foldCharacters } from "./fold-text.ts";
import { STRUCTURE_PATTERNS } from "./forged-structure.ts";
import { INJECTION_PATTERNS } from "./injection-patterns.ts";
import { ORDER_PATTERNS } from "./order-patterns.ts";
import { detectOtherLanguage, MAY_BE_OTHER_LANGUAGE } from "./other-languages.ts";
import { CATEGORY_CHECKS, QUICK_CHECK, WRAPPED_CHECK } from "./quick-check.ts";
import { readingsOf } from "./readings.ts";

export interface Injection {
  readonly category: InjectionCategory;
  /** The matched words in their folded form, without invisible characters. */
  readonly matched: string;
}

export interface Neutralised {
  readonly text: string;
  /** Lines removed, by category. */
  readonly counts: Partial<Record<InjectionCategory, number>>;
}

export const REMOVED_LINE = "[line removed: looks like an instruction to the model]";

const PATTERNS = [...INJECTION_PATTERNS, ...STRUCTURE_PATTERNS, ...ORDER_PATTERNS];

/** Returns the first injection of a text, or null. Line breaks count as spaces. Linear. */
export function detectInjection(text: string): Injection | null {
  return detectInReadings(text) ?? findCompactPhrases([text])[0] ?? null;
}

function detectInReadings(text: string): Injection | null {
  for (const reading of readingsOf(text)) {
    const injection = QUICK_CHECK.test(reading) ? detectInReading(reading) : null;
    if (injection) return injection;
  }
  return null;
}

function detectInReading(reading: string): Injection | null {
  const lower = reading.toLowerCase();
  const mayMatch = (category: InjectionCategory) => CATEGORY_CHECKS[category].test(lower);
  const categories = new Set(INJECTION_CATEGORIES.filter(mayMatch));
  for (const { category, pattern, caseSensitive } of PATTERNS) {
    if (!categories.has(category)) continue;
    const matched = pattern.exec(caseSensitive ? reading : lower)?.[0];
    if (matched !== undefined) return { category, matched: matched.trim() };
  }
  return MAY_BE_OTHER_LANGUAGE.test(lower) ? detectOtherLanguage(lower) : null;
}

/**
 * Replaces each line with an injection, and up to three lines over which one phrase is broken. All other lines stay byte for
 * byte, line ends included, so nobody can erase the lines around an injection.
 */
export function neutraliseInjections(text: string): Neutralised {
  // The capturing group keeps the line ends, at the odd indexes.
  const parts = text.split(LINE_END);
  const lines = parts.filter((_, i) => i % 2 === 0);
  const counts: Partial<Record<InjectionCategory, number>> = {};
  const removed = new Set<number>();
  const remove = ({ category, first, last }: Omit<CompactMatch, "matched">) => {
    for (let line = first; line <= last; line++) removed.add(line);
    counts[category] = (counts[category] ?? 0) + 1;
  };
  lines.forEach((line, i) => {
    const injection = line.length < MIN_LENGTH || !mayHoldOrder(line) ? null : detectInReadings(line);
    if (injection) remove({ category: injection.category, first: i, last: i });
  });
  const isRemoved = (first: number, last: number) => {
    for (let line = first; line <= last; line++) if (removed.has(line)) return true;
    return false;
  };
  for (const match of findCompactPhrases(lines)) if (!isRemoved(match.first, match.last)) remove(match);
  const mayBeWrapped = lines.map((line) => WRAPPED_CHECK.test(line));
  for (let length = 2; length <= MAX_LINES; length++) {
    for (let first = 0; first + length <= lines.length; first++) {
      const last = first + length - 1;
      if (!mayBeWrapped.slice(first, last + 1).includes(true) || isRemoved(first, last)) continue;
      const injection = detectWrapped(lines.slice(first, last + 1));
      if (injection) remove({ category: injection.category, first, last });
    }
  }
  if (removed.size === 0) return { text, counts };
  const kept = parts.map((part, i) => (i % 2 === 0 && removed.has(i / 2) ? REMOVED_LINE : part));
  return { text: kept.join(""), counts };
}

const LINE_END = /(\r\n|[\n\r\u0085\u2028\u2029])/;
/** Characters on each side of a line break that are checked for a phrase across it, and of a line in the middle. */
const MAX_WRAPPED = 120;
/** Lines over which one phrase may be broken. */
const MAX_LINES = 3;
/** Characters of the shortest injection: "[INST]". */
const MIN_LENGTH = 6;
/** Time, level and marks before the message of a log line, which stand between the parts of a broken phrase. */
const LOG_PREFIX =
  /^[\s|>*#-]{0,20}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,12}\]?\s{0,4})?(?:\[?(?:trace|debug|info|notice|warn(?:ing)?|error|err|fatal|critical)\]?:?\s{1,4})?/i;
/** Escapes and encodings hide every word. */
const HIDDEN = /&#|&[a-z]{2,7};|%[\da-f]{2}|\\[xu\d]|=[\dA-F]{2}|[A-Za-z\d+/_-]{20}|(?:[\da-f]{2}[ :]){8}/i;

function mayHoldOrder(line: string): boolean {
  return QUICK_CHECK.test(line) || HIDDEN.test(line);
}

/** Each line was checked alone, so only phrases across the line breaks are left to find. */
function detectWrapped(lines: readonly string[]): Injection | null {
  const middle = lines.slice(1, -1);
  if (middle.some((line) => line.length > MAX_WRAPPED)) return null;
  const [above = "", below = ""] = [lines[0], lines.at(-1)];
  const phrase = [above.slice(-MAX_WRAPPED), ...middle, withoutPrefix(below).slice(0, MAX_WRAPPED)];
  const text = phrase.map((line, i) => (i === 0 ? line : withoutPrefix(line))).join("\n");
  const reading = latinSkeleton(foldCharacters(text));
  return QUICK_CHECK.test(reading) ? detectInReading(reading) : null;
}

function withoutPrefix(line: string): string {
  return line.replace(LOG_PREFIX, "");
}

/** Whether `neutraliseInjections` would remove a line of the text. */
export function readsAsInstruction(text: string): boolean {
  return Object.keys(neutraliseInjections(text).counts).length > 0;
}
