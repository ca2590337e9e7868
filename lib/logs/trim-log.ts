// Trimming of long logs for a language model: keeps the start, the end and the lines around errors.

import { type FoldedLine, foldLines, formatCount } from "./fold-lines.ts";

export interface TrimmedLog {
  readonly text: string;
  /** Lines replaced by markers such as "… [1,204 lines left out]". */
  readonly linesOmitted: number;
  /** Lines replaced by markers such as "… [repeated 41 more times]". */
  readonly linesFolded: number;
}

/** Characters. A shorter text has no room for two lines and the markers around them. */
const MIN_TRIMMED_LENGTH = 200;

const HEAD_LINES = 3;
const TAIL_LINES = 5;
/** Lines kept before and after an error line. */
const CONTEXT_LINES = 2;
/** When lines are left out, the others are cut to 1/16 of the maximum length, within these bounds in characters. */
const LINE_SHARE = 16;
const MIN_LINE_LENGTH = 55;
const MAX_LINE_LENGTH = 1_000;

/**
 * Trims a log to at most `maxLength` UTF-16 units, never within a surrogate pair. Lines keep their order. First it folds
 * repeated lines, then cuts long lines in the middle, then leaves lines out, except the last line and the last error
 * line. A log that fits and repeats nothing is returned unchanged; otherwise line ends become \n and the last one is
 * dropped. Linear in the log.
 * @throws RangeError when `maxLength` is below 200
 */
export function trimLog(log: string, maxLength: number): TrimmedLog {
  if (!(maxLength >= MIN_TRIMMED_LENGTH))
    throw new RangeError(`maxLength is ${maxLength}, but must be at least ${MIN_TRIMMED_LENGTH} characters.`);
  const folded = foldLines(log.replace(/\r?\n$/, "").split(/\r?\n/));
  const linesFolded = countFolded(folded);
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

function countFolded(lines: readonly FoldedLine[]): number {
  return lines.reduce((sum, { lines: count, repeats }) => sum + (repeats > 0 ? count : 0), 0);
}

function render(lines: readonly FoldedLine[], maxLength: number): TrimmedLog {
  const isKept = chooseLines(lines, maxLength);
  const texts: string[] = [];
  let linesOmitted = 0;
  let gap = 0;
  const closeGap = () => {
    if (gap > 0) texts.push(gapMarker(gap));
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
  const linesFolded = countFolded(lines.filter((_, at) => isKept[at]));
  return { text: texts.join("\n"), linesOmitted, linesFolded };
}

function gapMarker(lines: number): string {
  return `… [${formatCount(lines, "line")} left out]`;
}

/** Chooses lines by importance while there is room for them and for the markers of the gaps between them. */
function chooseLines(lines: readonly FoldedLine[], maxLength: number): boolean[] {
  const isKept = Array<boolean>(lines.length).fill(false);
  const total = lines.reduce((sum, { lines: count }) => sum + count, 0);
  const gapLength = gapMarker(total).length + 1;
  // At first the whole log is one gap. One more character is free: the last line has no line end.
  let room = maxLength + 1 - gapLength;
  const isTaken = (at: number) => isKept[at] ?? true;

  /** Keeps a line if there is room. Returns whether it is kept; a line outside the log counts as kept. */
  const keepLine = (at: number): boolean => {
    const line = lines[at];
    if (!line || isKept[at]) return true;
    const gaps = Number(!isTaken(at - 1)) + Number(!isTaken(at + 1)) - 1;
    const cost = line.text.length + 1 + gaps * gapLength;
    if (cost > room) return false;
    room -= cost;
    isKept[at] = true;
    return true;
  };
  /** Keeps a line and the marker of its repetition. A marker is kept only below the lines that it repeats. */
  const keep = (at: number): boolean => {
    const line = lines[at];
    if (line && line.repeats > 0) {
      for (let above = at - line.repeats; above < at; above++) if (!keepLine(above)) return false;
      return keepLine(at);
    }
    if (!keepLine(at)) return false;
    if ((lines[at + 1]?.repeats ?? 0) > 0) keep(at + 1);
    return true;
  };
  const keepAround = (at: number) => {
    for (let distance = 1; distance <= CONTEXT_LINES; distance++) {
      keep(at - distance);
      keep(at + distance);
    }
  };

  const errors = lines.flatMap(({ isError }, at) => (isError ? [at] : []));
  const lastText = lines.findLastIndex(({ text, repeats }) => repeats === 0 && text.trim() !== "");
  const last = lastText === -1 ? 0 : lastText;
  const firstError = errors[0] ?? last;
  const lastError = errors.at(-1) ?? last;
  // These two are always kept, so they come first and without their markers.
  keepLine(last);
  keepLine(lastError);
  for (const at of [last, lastError, firstError]) keep(at);
  for (let at = 0; at < HEAD_LINES; at++) keep(at);
  for (let back = 1; back < TAIL_LINES; back++) keep(last - back);
  keepAround(lastError);
  keepAround(firstError);
  for (const at of errors.reverse()) {
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

/** Markers of repetitions are never cut. */
function isCut({ text, repeats }: FoldedLine, limit: number): boolean {
  return repeats === 0 && text.length > limit;
}

/** Cuts the middle out of a line. Keeps twice as much of the start as of the end. */
function cutMiddle(text: string, limit: number): string {
  const room = Math.max(limit - cutMarker(text.length).length, 0);
  let start = Math.ceil((room * 2) / 3);
  let end = text.length - (room - start);
  if (isWithinPair(text, start)) start -= 1;
  if (isWithinPair(text, end)) end += 1;
  return `${text.slice(0, start)}${cutMarker(end - start)}${text.slice(end)}`;
}

function cutMarker(characters: number): string {
  return `… [${formatCount(characters, "character")} left out]`;
}

function isWithinPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
}
