// Phrases that are broken over two or three lines. Lines around a word of an order are joined and searched once, so a text of such
// lines takes linear time. Pure functions.

import type { CompactMatch } from "./compact-phrases.ts";
import { latinSkeleton } from "./confusables.ts";
import { foldCharacters } from "./fold-text.ts";
import type { InjectionCategory } from "./injection-category.ts";
import { ordersInOtherLanguages } from "./other-languages.ts";
import { candidatesAcross } from "./patterns.ts";
import { mayHoldOrder, WRAPPED_CHECK } from "./quick-check.ts";
import { LINE } from "./scan-lines.ts";

/** Characters at each end of a line that are checked for a phrase across it. */
const MAX_WRAPPED = 120;
/** Lines over which one phrase may be broken. */
export const MAX_LINES = 3;
/** No pattern reads across it. */
const GAP = "\n\u001e\n";
/** Time, level and marks before the message of a log line, which stand between the parts of a broken phrase. */
const LOG_PREFIX =
  /^[\s|>*#-]{0,20}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,12}\]?\s{0,4})?(?:\[?(?:trace|debug|info|notice|warn(?:ing)?|error|err|fatal|critical)\]?:?\s{1,4})?/i;

interface Part {
  readonly text: string;
  readonly line: number;
}

/**
 * @param flags bits of `LINE`, for each line
 * @param isRemoved whether a line is removed already
 */
export function findWrappedPhrases(
  lines: readonly string[],
  flags: Uint8Array,
  isRemoved: (line: number) => boolean,
): CompactMatch[] {
  const mayBePart = lines.map(
    (line, i) =>
      !isRemoved(i) && (((flags[i] ?? 0) & LINE.beyondAscii) !== 0 || WRAPPED_CHECK.test(line.toLowerCase())),
  );
  const matches: CompactMatch[] = [];
  let group: Part[] = [];
  // The last line that is a neighbour of a part.
  let until = -1;
  for (let i = 0; i <= lines.length; i++) {
    if (mayBePart[i + MAX_LINES - 1]) until = i + 2 * (MAX_LINES - 1);
    if (i < lines.length && (i <= until || mayBePart.slice(i, i + MAX_LINES).includes(true))) {
      group.push({ line: i, text: isRemoved(i) ? GAP : foldedPart(lines[i] ?? "", lines[i - 1] ?? "") });
      continue;
    }
    if (group.length > 1) matches.push(...findInGroup(group));
    group = [];
  }
  return matches;
}

/** The line without what stands before its message, and with a gap in place of the middle of a long one. */
function foldedPart(line: string, previous: string): string {
  const folded = latinSkeleton(foldCharacters(line.slice(sharedPrefix(line, previous)).replace(LOG_PREFIX, "")));
  if (folded.length <= 2 * MAX_WRAPPED) return folded;
  return folded.slice(0, MAX_WRAPPED) + GAP + folded.slice(-MAX_WRAPPED);
}

/** Characters of the words with which both lines begin, digits aside: time, host and level of log lines. */
function sharedPrefix(line: string, previous: string): number {
  let end = 0;
  for (let i = 0; i < Math.min(line.length, previous.length, MAX_WRAPPED); i++) {
    const [one = "", other = ""] = [line[i], previous[i]];
    if (one !== other && !(isDigit(one) && isDigit(other))) break;
    if (one === " ") end = i + 1;
  }
  // Words without a figure are no time, but may be the beginning of a phrase.
  return /\d/.test(line.slice(0, end)) ? end : 0;
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

/** Each line was checked alone, so only phrases across the line breaks are left to find. */
function findInGroup(group: readonly Part[]): CompactMatch[] {
  const lower = group
    .map(({ text }) => text)
    .join("\n")
    .toLowerCase();
  if (!mayHoldOrder(lower)) return [];
  const ends: number[] = [];
  for (const { text } of group) ends.push((ends.at(-1) ?? -1) + text.length + 1);
  const matches: CompactMatch[] = [];
  const add = (category: InjectionCategory, matched: string, lineOf: (at: number) => number, index: number) => {
    const [first, last] = [lineOf(index), lineOf(index + matched.length - 1)];
    const offset = group[0]?.line ?? 0;
    if (first < last && last - first < MAX_LINES)
      matches.push({ category, matched, first: first + offset, last: last + offset });
  };
  for (const { category, pattern } of candidatesAcross(lower)) {
    const lineOf = createLineFinder(ends);
    for (const { 0: matched, index } of lower.matchAll(pattern)) add(category, matched, lineOf, index);
  }
  const lineOf = createLineFinder(ends);
  for (const { category, matched, index } of ordersInOtherLanguages(lower.replaceAll("\n", " ")))
    add(category, matched, lineOf, index);
  return matches;
}

/** Finds the line of a character, for rising positions. A line break belongs to the line before it. */
function createLineFinder(ends: readonly number[]): (at: number) => number {
  let line = 0;
  return (at) => {
    while (line > 0 && at <= (ends[line - 1] ?? 0)) line -= 1;
    while (line < ends.length - 1 && at > (ends[line] ?? 0)) line += 1;
    return line;
  };
}
