// How far two failures show the same error line, whatever stands around it, and how far their lines contradict each other.
// Pure functions.

import type { FailureText, LineTerms } from "./failure-text.ts";

/** Weight of a phrase of two words: the fewer failures hold it, and the rarer its words, the more it says. */
export type PhraseRarity = (phrase: string) => number;

/** Rare phrases in common with which a line counts half: as a common line, and as the same error. */
const HALF = 2;
const SHARE_HALF = 0.5;

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
      const likeness = share * (commonEnd(a, b, rarity)?.likeness ?? 0);
      if (likeness > line) [line, isInHeadline] = [likeness, a === report.headlineLine];
    }
  const lines_differ = Math.min(unanswered(report.lines, ofRecord, rarity), unanswered(record.lines, ofReport, rarity));
  return { line, lines_differ, isInHeadline };
}

/** Least share of a common end that both lines say, and the most that each says in it alone, as a name or a value. */
const SAME_ERROR = 0.7;
const MAX_CONTRAST = 0.5;

/** Whether two lines show the same error, whatever stands before it. Each phrase counts the same. */
export function areSameError(a: LineTerms, b: LineTerms): boolean {
  if (a.text === b.text) return true;
  const end = commonEnd(a, b, () => 1);
  return end !== null && end.share >= SAME_ERROR && end.contrast <= MAX_CONTRAST;
}

interface CommonEnd {
  readonly likeness: number;
  readonly share: number;
  readonly contrast: number;
}

/** How much the end of the one line is like the other line, of the line for which it is more; null without a phrase in common. */
function commonEnd(a: LineTerms, b: LineTerms, rarity: PhraseRarity): CommonEnd | null {
  const ends = [endIn(a, b, rarity), endIn(b, a, rarity)].filter((end) => end !== null);
  const [best] = ends.toSorted(
    (one, other) => other.share * weigh(other.shared, HALF) - one.share * weigh(one.shared, HALF),
  );
  if (best === undefined) return null;
  const contrast = Math.min(massAfter(a, b, best.start, rarity), massAfter(b, a, best.start, rarity));
  return {
    likeness: best.share * weigh(best.shared, HALF),
    share: best.share * weigh(best.shared, SHARE_HALF),
    contrast: weigh(contrast, HALF),
  };
}

/** 0 to 1: a mass of phrases, of which `half` counts half. */
function weigh(mass: number, half: number): number {
  return mass / (mass + half);
}

/** The end of a line that is most like the other line: its first phrase, its rare phrases in common, and their share. */
function endIn({ phrases }: LineTerms, other: LineTerms, rarity: PhraseRarity) {
  let [shared, alone] = [0, 0];
  let best: { readonly start: string; readonly shared: number; readonly share: number } | null = null;
  for (const phrase of [...phrases].reverse()) {
    if (!other.phrases.has(phrase)) {
      alone += rarity(phrase);
      continue;
    }
    shared += rarity(phrase);
    const share = shared / (shared + alone);
    if (best === null || share * weigh(shared, HALF) > best.share * weigh(best.shared, HALF))
      best = { start: phrase, shared, share };
  }
  return best;
}

/** Phrases after the given one that the other line does not say. */
function massAfter({ phrases }: LineTerms, other: LineTerms, start: string, rarity: PhraseRarity): number {
  let [mass, isAfter] = [0, false];
  for (const phrase of phrases) {
    isAfter ||= phrase === start;
    if (isAfter && !other.phrases.has(phrase)) mass += rarity(phrase);
  }
  return mass;
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
