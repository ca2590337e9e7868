// How far two failures show the same error line, whatever stands around it, and how far their lines contradict each other.
// Pure functions.

import type { FailureText, LineTerms } from "./failure-text.ts";

/** Weight of a phrase of two words: the fewer failures hold it, and the rarer its words, the more it says. */
export type PhraseRarity = (phrase: string) => number;

/** Rare phrases in common with which a line counts half. */
const HALF = 2;

/** The error lines, and the headline, which may be the error line itself. */
export function saidLines({ lines, headlineLine }: FailureText): readonly LineTerms[] {
  return headlineLine === null ? lines : [...lines, headlineLine];
}

/**
 * `line`, 0 to 1: the common line that says most. It grows with the rare phrases in common, and with their share of the end of the
 * line that they begin: what stands before an error takes nothing away, another end does. `lines_differ`, 0 to 1: share of the error
 * lines that the other failure does not show, of that failure for which it is less. `isInHeadline`: it is the headline of the report
 * that says the common line.
 */
export function lineLikeness(report: FailureText, record: FailureText, rarity: PhraseRarity) {
  const [ofReport, ofRecord] = [saidLines(report), saidLines(record)];
  let [line, isInHeadline] = [0, false];
  for (const a of ofReport)
    for (const b of ofRecord) {
      // Two headlines are prose, but for error lines: other features compare them.
      const areHeadlines = a === report.headlineLine && b === record.headlineLine;
      const share = areHeadlines ? Math.min(report.headlineWeight, record.headlineWeight) : 1;
      const likeness = share * likenessOfLines(a, b, rarity);
      if (likeness > line) [line, isInHeadline] = [likeness, a === report.headlineLine];
    }
  const lines_differ = Math.min(unanswered(report.lines, ofRecord, rarity), unanswered(record.lines, ofReport, rarity));
  return { line, lines_differ, isInHeadline };
}

function likenessOfLines(a: LineTerms, b: LineTerms, rarity: PhraseRarity): number {
  return Math.max(likenessOfEnd(a, b, rarity), likenessOfEnd(b, a, rarity));
}

/** How much the end of a line that is most like the other line is like it, 0 to 1. */
function likenessOfEnd({ phrases }: LineTerms, other: LineTerms, rarity: PhraseRarity): number {
  let [shared, alone, best] = [0, 0, 0];
  for (const phrase of [...phrases].reverse()) {
    const mass = rarity(phrase);
    if (!other.phrases.has(phrase)) {
      alone += mass;
      continue;
    }
    shared += mass;
    best = Math.max(best, (shared / (shared + HALF)) * (shared / (shared + alone)));
  }
  return best;
}

/**
 * Share of the lines, by weight and rarity, that no line of the others holds. A line that quotes one of the others counts as
 * much as that one: the prose around it is no other line.
 */
function unanswered(lines: readonly LineTerms[], others: readonly LineTerms[], rarity: PhraseRarity): number {
  let [total, alone] = [0, 0];
  for (const line of lines) {
    let [shared, mass] = [0, massOf(line, rarity)];
    const whole = mass;
    for (const other of others) {
      const common = sharedMass(line, other, rarity);
      if (common > shared) [shared, mass] = [common, Math.min(whole, massOf(other, rarity))];
    }
    total += line.weight * mass;
    alone += line.weight * (mass - shared);
  }
  return total === 0 ? 0 : alone / total;
}

function sharedMass(a: LineTerms, b: LineTerms, rarity: PhraseRarity): number {
  let mass = 0;
  for (const phrase of a.phrases) if (b.phrases.has(phrase)) mass += rarity(phrase);
  return mass;
}

function massOf({ phrases }: LineTerms, rarity: PhraseRarity): number {
  let mass = 0;
  for (const phrase of phrases) mass += rarity(phrase);
  return mass;
}
