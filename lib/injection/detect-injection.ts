// Detection and removal of prompt injections in questions, alerts and logs. A question with an injection is refused. In
// alert text only the line is removed: an attacker's log line must not stop the triage of an incident.

import { type CompactMatch, findCompactPhrases } from "./compact-phrases.ts";
import { latinSkeleton } from "./confusables.ts";
import { decodeEscapes, encodedTexts } from "./decode-escapes.ts";
import { foldCharacters } from "./fold-text.ts";
import { findForgedTurns } from "./forged-turns.ts";
import type { InjectionCategory } from "./injection-category.ts";
import { detectOtherLanguage } from "./other-languages.ts";
import { CASE_SENSITIVE, patternsFor } from "./patterns.ts";
import { MAY, quickCheck } from "./quick-check.ts";
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
  const bits = quickCheck(line);
  const injection = detectInLine(line, bits) ?? findCompactPhrases([plainForm(line, bits)])[0];
  if (injection) return injection;
  const lines = readLines(text.split(LINE_ENDS));
  return findForgedTurns(lines.plain, lines.which(MAY.turn | MAY.hide))[0] ?? null;
}

function detectInLine(line: string, bits: number): Injection | null {
  if ((bits & (MAY.order | MAY.hide | MAY.encode)) === 0) return null;
  const checked = new Set<string>();
  for (const reading of readingsOf(line, bits)) {
    if (checked.has(reading)) continue;
    checked.add(reading);
    const injection = detectInReading(reading);
    if (injection) return injection;
  }
  return null;
}

/** The text as a model reads it: in plain Latin letters, with decoded escapes. */
function plainForm(line: string, bits: number): string {
  return bits & MAY.hide ? decodeEscapes(latinSkeleton(foldCharacters(decodeEscapes(line)))) : line;
}

/** The ways in which a model may read a line, in folded form and with capitals: as it is, in plain Latin letters, and decoded. */
function* readingsOf(line: string, bits: number): Generator<string> {
  if (bits & (MAY.order | MAY.hide)) yield foldCharacters(line);
  if (bits & MAY.hide) yield latinSkeleton(foldCharacters(decodeEscapes(line)));
  for (const text of encodedTexts(line, (bits & MAY.encode) !== 0)) yield foldCharacters(text);
}

function detectInReading(reading: string): Injection | null {
  const bits = quickCheck(reading);
  if ((bits & (MAY.order | MAY.hide)) === 0) return null;
  const lower = reading.toLowerCase();
  if (bits & MAY.order) {
    for (const { category, pattern } of CASE_SENSITIVE) {
      const matched = pattern.exec(reading)?.[0];
      if (matched !== undefined) return { category, matched: matched.trim() };
    }
    for (const { category, pattern } of patternsFor(lower)) {
      const matched = pattern.exec(lower)?.[0];
      if (matched !== undefined) return { category, matched: matched.trim() };
    }
  }
  return detectOtherLanguage(lower);
}

/** The lines as a model reads them, and what each may be. */
function readLines(lines: readonly string[]) {
  const bits = lines.map(quickCheck);
  return {
    bits,
    plain: lines.map((line, i) => plainForm(line, bits[i] ?? 0)),
    which: (mask: number) => bits.map((each) => (each & mask) !== 0),
  };
}

/**
 * Replaces each line with an injection, and up to three lines over which one phrase is broken. All other lines stay byte for
 * byte, line ends included, so nobody can erase the lines around an injection.
 */
export function neutraliseInjections(text: string): Neutralised {
  // The capturing group keeps the line ends, at the odd indexes.
  const parts = text.split(LINE_END);
  const lines = parts.filter((_, i) => i % 2 === 0);
  const { bits, plain, which } = readLines(lines);
  const counts: Partial<Record<InjectionCategory, number>> = {};
  const removed = new Set<number>();
  const remove = ({ category, first, last }: Omit<CompactMatch, "matched">) => {
    for (let line = first; line <= last; line++) removed.add(line);
    counts[category] = (counts[category] ?? 0) + 1;
  };
  lines.forEach((line, i) => {
    const injection = detectInLine(line, bits[i] ?? 0);
    if (injection) remove({ category: injection.category, first: i, last: i });
  });
  const isRemoved = (first: number, last: number) => {
    for (let line = first; line <= last; line++) if (removed.has(line)) return true;
    return false;
  };
  const removeAll = (matches: readonly CompactMatch[]) => {
    for (const match of matches) if (!isRemoved(match.first, match.last)) remove(match);
  };
  removeAll(findCompactPhrases(plain));
  removeAll(findForgedTurns(plain, which(MAY.turn | MAY.hide)));
  removeAll(findWrappedPhrases(lines, which(MAY.wrapped), (line) => removed.has(line)));
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
