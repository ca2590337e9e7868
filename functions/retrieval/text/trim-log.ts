// Owns what of a long log a language model gets to read: how it began, how it ended, and the lines around failures.

import { type FoldedLine, foldLines, formatCount } from "./fold-lines.ts";

export interface TrimmedLog {
  readonly text: string;
  /** Lines that a mark such as "… [1,204 lines left out]" stands for. */
  readonly linesOmitted: number;
  /** Lines that a mark such as "… [repeated 41 more times]" stands for. */
  readonly linesFolded: number;
}

/** Below this there is no room for two lines and the marks around them. */
export const MIN_TRIMMED_LENGTH = 200;

const HEAD_LINES = 3;
const TAIL_LINES = 5;
/** Lines shown before and after a failure. */
const CONTEXT_LINES = 2;
/** Where lines must go, the others are cut to a sixteenth of the text, within these bounds in characters. */
const LINE_SHARE = 16;
const MIN_LINE_LENGTH = 55;
const MAX_LINE_LENGTH = 1_000;

/**
 * Cuts a log to at most `maxLength` UTF-16 units, in the order of the log, never within a surrogate pair. Repeated
 * lines are folded; then long lines are cut in their middle; then lines go, the last line and the last failure never.
 * A log that fits and repeats nothing comes back as it is; in any other, line ends become \n and the last one goes.
 * Linear in the log.
 * @throws RangeError on a `maxLength` below 200
 */
export function trimLog(log: string, maxLength: number): TrimmedLog {
  if (!(maxLength >= MIN_TRIMMED_LENGTH)) throw new RangeError(`A log cannot be trimmed to ${maxLength} characters.`);
  const folded = foldLines(log.replace(/\r?\n$/, "").split(/\r?\n/));
  const linesFolded = foldedIn(folded);
  if (linesFolded === 0 && log.length <= maxLength) return { text: log, linesOmitted: 0, linesFolded };
  for (let share = 1; share < LINE_SHARE; share *= 2) {
    const limit = Math.max(Math.floor(maxLength / share), MIN_LINE_LENGTH);
    const length = folded.reduce((sum, line) => sum + (isCut(line, limit) ? limit : line.text.length) + 1, -1);
    if (length <= maxLength)
      return { text: cutLines(folded, limit).map(textOf).join("\n"), linesOmitted: 0, linesFolded };
  }
  const limit = Math.min(Math.max(Math.floor(maxLength / LINE_SHARE), MIN_LINE_LENGTH), MAX_LINE_LENGTH);
  return render(cutLines(folded, limit), maxLength);
}

function textOf({ text }: FoldedLine): string {
  return text;
}

function foldedIn(lines: readonly FoldedLine[]): number {
  return lines.reduce((sum, { lines: count, repeats }) => sum + (repeats > 0 ? count : 0), 0);
}

function render(lines: readonly FoldedLine[], maxLength: number): TrimmedLog {
  const isKept = chooseLines(lines, maxLength);
  const texts: string[] = [];
  let linesOmitted = 0;
  let gap = 0;
  const closeGap = () => {
    if (gap > 0) texts.push(gapMark(gap));
    linesOmitted += gap;
    gap = 0;
  };
  lines.forEach(({ text, lines: count }, at) => {
    if (!isKept[at]) {
      gap += count;
      return;
    }
    closeGap();
    texts.push(text);
  });
  closeGap();
  const linesFolded = foldedIn(lines.filter((_, at) => isKept[at]));
  return { text: texts.join("\n"), linesOmitted, linesFolded };
}

function gapMark(lines: number): string {
  return `… [${formatCount(lines, "line")} left out]`;
}

/** Which lines stay, taken by importance while there is room for them and for the marks of the gaps between them. */
function chooseLines(lines: readonly FoldedLine[], maxLength: number): boolean[] {
  const isKept = Array<boolean>(lines.length).fill(false);
  const total = lines.reduce((sum, { lines: count }) => sum + count, 0);
  const gapLength = gapMark(total).length + 1;
  // All is one gap at first. The line end that the text does not have is room, too.
  let room = maxLength + 1 - gapLength;
  const isTaken = (at: number) => isKept[at] ?? true;

  /** Whether the line is kept in the end; a line that is not there counts as kept. */
  const keepOne = (at: number): boolean => {
    const line = lines[at];
    if (!line || isKept[at]) return true;
    const gaps = Number(!isTaken(at - 1)) + Number(!isTaken(at + 1)) - 1;
    const cost = line.text.length + 1 + gaps * gapLength;
    if (cost > room) return false;
    room -= cost;
    isKept[at] = true;
    return true;
  };
  /** With the mark of its repetition, which says something only below the lines that it repeats. */
  const keep = (at: number): boolean => {
    const line = lines[at];
    if (line && line.repeats > 0) {
      for (let above = at - line.repeats; above < at; above++) if (!keepOne(above)) return false;
      return keepOne(at);
    }
    if (!keepOne(at)) return false;
    if ((lines[at + 1]?.repeats ?? 0) > 0) keep(at + 1);
    return true;
  };
  const keepAround = (at: number) => {
    for (let distance = 1; distance <= CONTEXT_LINES; distance++) {
      keep(at - distance);
      keep(at + distance);
    }
  };

  const failures = lines.flatMap(({ isFailure }, at) => (isFailure ? [at] : []));
  const spoken = lines.findLastIndex(({ text, repeats }) => repeats === 0 && text.trim() !== "");
  const last = spoken === -1 ? 0 : spoken;
  const firstFailure = failures[0] ?? last;
  const lastFailure = failures.at(-1) ?? last;
  // Both without their marks: they stay whatever happens.
  keepOne(last);
  keepOne(lastFailure);
  for (const at of [last, lastFailure, firstFailure]) keep(at);
  for (let at = 0; at < HEAD_LINES; at++) keep(at);
  for (let back = 1; back < TAIL_LINES; back++) keep(last - back);
  keepAround(lastFailure);
  keepAround(firstFailure);
  for (const at of failures.reverse()) {
    keep(at);
    keepAround(at);
  }
  let at = lines.length - 1;
  while (at >= 0 && keep(at)) at -= 1;
  return isKept;
}

function cutLines(lines: readonly FoldedLine[], limit: number): FoldedLine[] {
  return lines.map((line) => (isCut(line, limit) ? { ...line, text: cutMiddle(line.text, limit) } : line));
}

/** A mark is ours and stays whole. */
function isCut({ text, repeats }: FoldedLine, limit: number): boolean {
  return repeats === 0 && text.length > limit;
}

/** Keeps twice as much of the start as of the end. */
function cutMiddle(text: string, limit: number): string {
  const room = Math.max(limit - cutMark(text.length).length, 0);
  let start = Math.ceil((room * 2) / 3);
  let end = text.length - (room - start);
  if (isWithinPair(text, start)) start -= 1;
  if (isWithinPair(text, end)) end += 1;
  return `${text.slice(0, start)}${cutMark(end - start)}${text.slice(end)}`;
}

function cutMark(characters: number): string {
  return `… [${formatCount(characters, "character")} left out]`;
}

function isWithinPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
}
