// Phrases of prompt injections that are broken over two or three lines. Lines near a word of such an order are joined and
// searched once, so a text of such lines takes linear time. Pure functions.

import { type CompactMatch, MAX_LINES } from "./compact-phrases.ts";
import { foldCharacters } from "./fold-text.ts";
import { acrossLines, patternsFor } from "./patterns.ts";

/** Time, level and marks before the message of a log line, which stand between the parts of a broken phrase. */
export const LOG_PREFIX =
  /^[\s|>*#-]{0,20}(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,12}\]?\s{0,4})?(?:\[?(?:trace|debug|info|notice|warn(?:ing)?|error|err|fatal|critical)\]?:?\s{1,4})?/i;

/**
 * @param mayBePart whether a line may begin, continue or end a broken phrase
 * @param isRemoved whether a line is removed already
 */
export function findWrappedPhrases(
  lines: readonly string[],
  mayBePart: readonly boolean[],
  isRemoved: (line: number) => boolean,
): CompactMatch[] {
  if (!mayBePart.includes(true)) return [];
  const matches: CompactMatch[] = [];
  let group: string[] = [];
  // A part and the two lines before and behind it are of one group; its last line.
  let until = -1;
  for (let i = 0; i <= lines.length; i++) {
    if (mayBePart[i + MAX_LINES - 1]) until = i + 2 * (MAX_LINES - 1);
    const isNear = i <= until || mayBePart.slice(i, i + MAX_LINES).includes(true);
    if (i < lines.length && !isRemoved(i) && isNear) {
      group.push(foldedPart(lines[i] ?? "", lines[i - 1] ?? ""));
      continue;
    }
    if (group.length > 1) matches.push(...findInGroup(group, i - group.length));
    group = [];
  }
  return matches;
}

/** The line without what stands before its message. */
function foldedPart(line: string, previous: string): string {
  return foldCharacters(line.slice(sharedPrefix(line, previous)).replace(LOG_PREFIX, ""));
}

/** Characters of the words with which both lines begin, digits aside: time, host and level of log lines. */
function sharedPrefix(line: string, previous: string): number {
  let end = 0;
  for (let i = 0; i < Math.min(line.length, previous.length); i++) {
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
function findInGroup(group: readonly string[], offset: number): CompactMatch[] {
  const lower = group.join("\n").toLowerCase();
  const ends: number[] = [];
  for (const text of group) ends.push((ends.at(-1) ?? -1) + text.length + 1);
  const matches: CompactMatch[] = [];
  for (const one of patternsFor(lower)) {
    const { category } = one;
    const pattern = acrossLines(one);
    const lineOf = createLineFinder(ends);
    // `matchAll` would compile a copy of the pattern.
    for (let match = pattern.exec(lower); match !== null; match = pattern.exec(lower)) {
      const { 0: matched, index } = match;
      const [first, last] = [lineOf(index), lineOf(index + matched.length - 1)];
      if (first < last && last - first < MAX_LINES)
        matches.push({ category, matched, first: first + offset, last: last + offset });
    }
  }
  return matches;
}

/** Finds the line of a character; fast for positions that rise. A line break belongs to the line before it. */
function createLineFinder(ends: readonly number[]): (at: number) => number {
  let line = 0;
  return (at) => {
    while (line > 0 && at <= (ends[line - 1] ?? 0)) line -= 1;
    while (line < ends.length - 1 && at > (ends[line] ?? 0)) line += 1;
    return line;
  };
}
