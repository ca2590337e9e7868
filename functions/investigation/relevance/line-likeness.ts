// How far two failures show the same error line, whatever stands around it, and how far their lines contradict each other.
// Pure functions.

import type { FailureText, LineTerms } from "./failure-text.ts";

/** Weight of a phrase of two words: the fewer failures hold it, and the rarer its words, the more it says. */
export type PhraseRarity = (phrase: string) => number;

/** Rare phrases in common with which a line counts half: as a common line, and as said by the other failure. */
const HALF = 2;
const SHARE_HALF = 0.5;

/** The error lines, and the headline, which may be the error line itself. */
export function saidLines({ lines, headlineLine }: FailureText): readonly LineTerms[] {
  return headlineLine === null ? lines : [...lines, headlineLine];
}

/**
 * `line`, 0 to 1: the common line that says most. It grows with the rare phrases in common, and with their share of the end of the
 * line that they begin: what stands before an error takes nothing away, another end does. `contrast`, 0 to 1: how much each failure
 * says in that end that the other does not. `lines_differ`, 0 to 1: share of the error lines, by weight, that the other failure does
 * not say, of that failure for which it is less. `isInHeadline`: it is the headline of the report that says the common line.
 */
export function lineLikeness(report: FailureText, record: FailureText, rarity: PhraseRarity) {
  const [ofReport, ofRecord] = [saidLines(report), saidLines(record)];
  let [line, contrast, isInHeadline] = [0, 0, false];
  const shares = new Map<LineTerms, number>();
  for (const a of ofReport)
    for (const b of ofRecord) {
      const end = commonEnd(a, b, rarity);
      if (end === null) continue;
      for (const each of [a, b]) shares.set(each, Math.max(end.share, shares.get(each) ?? 0));
      // Two headlines are prose, but for error lines: other features compare them.
      const areHeadlines = a === report.headlineLine && b === record.headlineLine;
      const likeness = end.likeness * (areHeadlines ? Math.min(report.headlineWeight, record.headlineWeight) : 1);
      if (likeness > line) [line, contrast, isInHeadline] = [likeness, end.contrast, a === report.headlineLine];
    }
  const lines_differ = Math.min(unsaid(report.lines, shares), unsaid(record.lines, shares));
  return { line, contrast, lines_differ, isInHeadline };
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

/**
 * How much the end of the one line is like the other line, of the line for which it is more; null without a phrase in common, and
 * where each has a code that the other has not: exit code 137 is not exit code 127.
 */
function commonEnd(a: LineTerms, b: LineTerms, rarity: PhraseRarity): CommonEnd | null {
  if (a.codes.difference(b.codes).size > 0 && b.codes.difference(a.codes).size > 0) return null;
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
 * Share of the lines, by weight, that no line of the other failure says. A link or a single word is no line.
 * @param shares of each line, how much of it the other failure says
 */
function unsaid(lines: readonly LineTerms[], shares: ReadonlyMap<LineTerms, number>): number {
  let [total, alone] = [0, 0];
  for (const line of lines) {
    if (line.phrases.size === 0) continue;
    total += line.weight;
    alone += line.weight * (1 - (shares.get(line) ?? 0));
  }
  return total === 0 ? 0 : alone / total;
}
