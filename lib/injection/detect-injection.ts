// Detection and removal of prompt injections in questions, alerts and logs. A question with an injection is refused. In
// alert text only the line is removed: an attacker's log line must not stop the triage of an incident.

import { type CompactMatch, findCompactPhrases } from "./compact-phrases.ts";
import type { InjectionCategory } from "./injection-category.ts";
import { ordersInOtherLanguages } from "./other-languages.ts";
import { CASE_SENSITIVE, candidatesIn } from "./patterns.ts";
import { mayHoldOrder } from "./quick-check.ts";
import { readingsOf } from "./readings.ts";
import { LINE, scanLines } from "./scan-lines.ts";
import { findWrappedPhrases } from "./wrapped-phrases.ts";

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

/** Returns the first injection of a text, or null. Line breaks count as spaces. Linear. */
export function detectInjection(text: string): Injection | null {
  const scan = scanLines([text.replace(LINE_ENDS, " ")]);
  return detectInLine(text, (scan.flags[0] ?? 0) | LINE.escaped) ?? findCompactPhrases(scan)[0] ?? null;
}

/** @param flags bits of `LINE` */
function detectInLine(line: string, flags: number): Injection | null {
  // Plain ASCII reads one way only, and a word alone orders nothing.
  if (flags === 0 && (ONE_WORD.test(line) || !mayHoldOrder(line.toLowerCase()))) return null;
  for (const reading of readingsOf(line, flags)) {
    const injection = detectInReading(reading);
    if (injection) return injection;
  }
  return null;
}

function detectInReading(reading: string): Injection | null {
  const lower = reading.toLowerCase();
  if (!mayHoldOrder(lower)) return null;
  for (const { category, pattern } of CASE_SENSITIVE) {
    const matched = pattern.exec(reading)?.[0];
    if (matched !== undefined) return { category, matched: matched.trim() };
  }
  for (const { category, pattern } of candidatesIn(lower)) {
    const matched = pattern.exec(lower)?.[0];
    if (matched !== undefined) return { category, matched: matched.trim() };
  }
  for (const { category, matched } of ordersInOtherLanguages(lower)) return { category, matched };
  return null;
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
  const scan = scanLines(lines);
  lines.forEach((line, i) => {
    const injection = line.length < MIN_LENGTH ? null : detectInLine(line, scan.flags[i] ?? 0);
    if (injection) remove({ category: injection.category, first: i, last: i });
  });
  const isRemoved = (first: number, last: number) => {
    for (let line = first; line <= last; line++) if (removed.has(line)) return true;
    return false;
  };
  for (const match of findCompactPhrases(scan)) if (!isRemoved(match.first, match.last)) remove(match);
  for (const match of findWrappedPhrases(lines, scan.flags, (line) => removed.has(line)))
    if (!isRemoved(match.first, match.last)) remove(match);
  if (removed.size === 0) return { text, counts };
  const kept = parts.map((part, i) => (i % 2 === 0 && removed.has(i / 2) ? REMOVED_LINE : part));
  return { text: kept.join(""), counts };
}

const LINE_END = /(\r\n|[\n\r\u0085\u2028\u2029])/;
const LINE_ENDS = /\r\n|[\n\r\u0085\u2028\u2029]/g;
const ONE_WORD = /^[a-z\d]*$/i;
/** Characters of the shortest injection: "[INST]". */
const MIN_LENGTH = 6;

/** Whether `neutraliseInjections` would remove a line of the text. */
export function readsAsInstruction(text: string): boolean {
  return Object.keys(neutraliseInjections(text).counts).length > 0;
}
