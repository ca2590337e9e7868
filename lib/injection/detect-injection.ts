// Detection and removal of prompt injections in questions, alerts and logs. A question with an injection is refused. In
// alert text only the line is removed: an attacker's log line must not stop the triage of an incident.

import { type CompactMatch, findCompactPhrases } from "./compact-phrases.ts";
import { latinSkeleton } from "./confusables.ts";
import { decodeEscapes, encodedTexts, MAY_HIDE_TEXT } from "./decode-escapes.ts";
import { foldCharacters } from "./fold-text.ts";
import type { InjectionCategory } from "./injection-category.ts";
import { detectOtherLanguage } from "./other-languages.ts";
import { CASE_SENSITIVE, IN_A_LINE } from "./patterns.ts";
import { mayHoldOrder } from "./quick-check.ts";
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
  const line = text.replace(LINE_ENDS, " ");
  return detectInLine(line) ?? findCompactPhrases([line])[0] ?? null;
}

function detectInLine(line: string): Injection | null {
  if (!MAY_HIDE_TEXT.test(line) && !mayHoldOrder(line.toLowerCase())) return null;
  for (const reading of readingsOf(line)) {
    const injection = detectInReading(reading);
    if (injection) return injection;
  }
  return null;
}

/** The ways in which a model may read a line, in folded form and with capitals: as it is, in plain Latin letters, and decoded. */
function readingsOf(line: string): Set<string> {
  const readings = new Set([foldCharacters(line), latinSkeleton(foldCharacters(decodeEscapes(line)))]);
  for (const text of encodedTexts(line)) readings.add(foldCharacters(text));
  return readings;
}

function detectInReading(reading: string): Injection | null {
  const lower = reading.toLowerCase();
  if (!mayHoldOrder(lower)) return null;
  for (const { category, pattern } of CASE_SENSITIVE) {
    const matched = pattern.exec(reading)?.[0];
    if (matched !== undefined) return { category, matched: matched.trim() };
  }
  for (const { category, pattern } of IN_A_LINE) {
    const matched = pattern.exec(lower)?.[0];
    if (matched !== undefined) return { category, matched: matched.trim() };
  }
  return detectOtherLanguage(lower);
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
    const injection = detectInLine(line);
    if (injection) remove({ category: injection.category, first: i, last: i });
  });
  const isRemoved = (first: number, last: number) => {
    for (let line = first; line <= last; line++) if (removed.has(line)) return true;
    return false;
  };
  for (const match of findCompactPhrases(lines)) if (!isRemoved(match.first, match.last)) remove(match);
  for (const match of findWrappedPhrases(lines, (line) => removed.has(line)))
    if (!isRemoved(match.first, match.last)) remove(match);
  if (removed.size === 0) return { text, counts };
  const kept = parts.map((part, i) => (i % 2 === 0 && removed.has(i / 2) ? REMOVED_LINE : part));
  return { text: kept.join(""), counts };
}

const LINE_END = /(\r\n|[\n\r\u0085\u2028\u2029])/;
const LINE_ENDS = /\r\n|[\n\r\u0085\u2028\u2029]/g;

/** Whether `neutraliseInjections` would remove a line of the text. */
export function readsAsInstruction(text: string): boolean {
  return Object.keys(neutraliseInjections(text).counts).length > 0;
}
