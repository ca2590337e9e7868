// How far two failures show the same error line, whatever stands around it, and how far their lines contradict each other.
// Pure functions.

import type { FailureText, LineTerms } from "./failure-text.ts";

/** Weight of a phrase of two words: the fewer failures hold it, and the rarer its words, the more it says. */
export type PhraseRarity = (phrase: string) => number;

/** Rare phrases in common with which a line counts half. */
const HALF = 2;
/**
 * Weight from which on a line shows a failure as well as any other: a lighter one is a reading or a consequence. If all weigh alike, a
 * second look-alike in 105 (train) is the same failure for sure.
 */
const FULL_WEIGHT = 0.7;

/** The error lines, and the headline, which may be the error line itself. */
export function saidLines({ lines, headlineLine }: FailureText): readonly LineTerms[] {
  return headlineLine === null ? lines : [...lines, headlineLine];
}

/**
 * `line`, 0 to 1: the common line that says most. It grows with the rare phrases in common, and with their share of the shorter
 * line: a prefix or other prose around a line takes nothing away, another end does. `lines_differ`, 0 to 1: share of the error lines
 * that the other failure does not show, of that failure for which it is less.
 */
export function lineLikeness(report: FailureText, record: FailureText, rarity: PhraseRarity) {
  const [ofReport, ofRecord] = [saidLines(report), saidLines(record)];
  let line = 0;
  for (const a of ofReport)
    for (const b of ofRecord) {
      // Two headlines are prose: other features compare them.
      if (a === report.headlineLine && b === record.headlineLine) continue;
      line = Math.max(line, likenessOfLines(a, b, rarity));
    }
  const lines_differ = Math.min(unanswered(report.lines, ofRecord, rarity), unanswered(record.lines, ofReport, rarity));
  return { line, lines_differ };
}

function likenessOfLines(a: LineTerms, b: LineTerms, rarity: PhraseRarity): number {
  const shared = sharedMass(a, b, rarity);
  if (shared === 0) return 0;
  const importance = Math.min(1, Math.min(a.weight, b.weight) / FULL_WEIGHT);
  return importance * (shared / (shared + HALF)) * (shared / Math.min(massOf(a, rarity), massOf(b, rarity)));
}

/** Share of the lines, by weight and rarity, that no line of the others holds. */
function unanswered(lines: readonly LineTerms[], others: readonly LineTerms[], rarity: PhraseRarity): number {
  let total = 0;
  let alone = 0;
  for (const line of lines) {
    const mass = massOf(line, rarity);
    const shared = Math.max(0, ...others.map((other) => sharedMass(line, other, rarity)));
    total += line.weight * mass;
    alone += line.weight * (mass - shared);
  }
  return total === 0 ? 0 : alone / total;
}

function massOf({ phrases }: LineTerms, rarity: PhraseRarity): number {
  let mass = 0;
  for (const phrase of phrases) mass += rarity(phrase);
  return mass;
}

function sharedMass(a: LineTerms, b: LineTerms, rarity: PhraseRarity): number {
  let mass = 0;
  for (const phrase of a.phrases) if (b.phrases.has(phrase)) mass += rarity(phrase);
  return mass;
}
