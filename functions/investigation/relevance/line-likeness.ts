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
 * `line`, 0 to 1: the common line that says most. It grows with the rare phrases in common, and with their share of the
 * end of the line that they begin: what stands before an error takes nothing away, another end does. `lines_differ`, 0 to 1: share of the error lines
 * that the other failure does not show, of that failure for which it is less.
 */
export function lineLikeness(report: FailureText, record: FailureText, rarity: PhraseRarity) {
  const [ofReport, ofRecord] = [saidLines(report), saidLines(record)];
  let line = 0;
  for (const a of ofReport)
    for (const b of ofRecord) {
      // Two headlines are prose, but for error lines: other features compare them.
      const areHeadlines = a === report.headlineLine && b === record.headlineLine;
      const share = areHeadlines ? Math.min(report.headlineWeight, record.headlineWeight) : 1;
      line = Math.max(line, share * likenessOfLines(a, b, rarity));
    }
  const lines_differ = Math.min(unanswered(report.lines, ofRecord, rarity), unanswered(record.lines, ofReport, rarity));
  return { line, lines_differ };
}

function likenessOfLines(a: LineTerms, b: LineTerms, rarity: PhraseRarity): number {
  const importance = Math.min(1, Math.min(a.weight, b.weight) / FULL_WEIGHT);
  return importance * Math.max(commonEnd(a, b, rarity).likeness, commonEnd(b, a, rarity).likeness);
}

interface CommonEnd {
  /** 0 to 1. */
  readonly likeness: number;
  /** Of the phrases of the end that the other line holds, and of those that it does not. */
  readonly shared: number;
  readonly alone: number;
}

/** The end of a line that is most like the other line. */
function commonEnd({ phrases }: LineTerms, other: LineTerms, rarity: PhraseRarity): CommonEnd {
  let [shared, alone] = [0, 0];
  let best: CommonEnd = { likeness: 0, shared, alone };
  for (const phrase of [...phrases].reverse()) {
    const mass = rarity(phrase);
    if (!other.phrases.has(phrase)) {
      alone += mass;
      continue;
    }
    shared += mass;
    const likeness = (shared / (shared + HALF)) * (shared / (shared + alone));
    if (likeness > best.likeness) best = { likeness, shared, alone };
  }
  return best;
}

/** Share of the lines, by weight and rarity, that no line of the others holds. Of a common line, only its common end counts. */
function unanswered(lines: readonly LineTerms[], others: readonly LineTerms[], rarity: PhraseRarity): number {
  let [total, alone] = [0, 0];
  for (const line of lines) {
    const none: CommonEnd = { likeness: 0, shared: 0, alone: massOf(line, rarity) };
    const ends = others.map((other) => commonEnd(line, other, rarity));
    const end = ends.reduce((best, each) => (each.likeness > best.likeness ? each : best), none);
    total += line.weight * (end.shared + end.alone);
    alone += line.weight * end.alone;
  }
  return total === 0 ? 0 : alone / total;
}

function massOf({ phrases }: LineTerms, rarity: PhraseRarity): number {
  let mass = 0;
  for (const phrase of phrases) mass += rarity(phrase);
  return mass;
}
