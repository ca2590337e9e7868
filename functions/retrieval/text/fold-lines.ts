// Owns how repeated lines of a log are folded: which lines are equal but for time, ids and counters. Pure, linear.

import { isErrorLine, TIMESTAMP, UNIQUE_IDS } from "./error-lines.ts";

/** A line of the log, or the mark that stands for lines that repeat those above it. */
export interface FoldedLine {
  readonly text: string;
  /** Lines of the log that it stands for. */
  readonly lines: number;
  /** For a mark: how many of the lines above it are repeated; 0 for a line. */
  readonly repeats: number;
  readonly isFailure: boolean;
}

/** Lines in the longest block whose repetition is seen. */
const MAX_BLOCK = 3;
/** Characters in which a line's own time stamp is looked for. */
const TIMESTAMP_SCAN_LENGTH = 240;
/** A counter, a port, a process id; but the number of an error is what the line says. */
const NUMBER =
  /(?<!\b(?:code|status|exit|exited|errno|error|signal|state|sqlstate|http)[\s:=#("']{0,3})(?<!\w)(?:0x[0-9a-f]+|\d+)/gi;

const COUNT = new Intl.NumberFormat("en-US");

/** "1,204 lines". */
export function formatCount(count: number, noun: string): string {
  return `${COUNT.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Folds repeated lines, and blocks of two or three, into the first of them and a mark, where that is shorter. */
export function foldLines(lines: readonly string[]): FoldedLine[] {
  const keys = lines.map(keyOf);
  const folded: FoldedLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const best = longestRepetition(lines, keys, at);
    const size = best?.size ?? 1;
    for (const text of lines.slice(at, at + size))
      folded.push({ text, lines: 1, repeats: 0, isFailure: isErrorLine(text) });
    if (best) folded.push({ text: best.mark, lines: best.lines, repeats: size, isFailure: false });
    at += size + (best?.lines ?? 0);
  }
  return folded;
}

function keyOf(line: string): string {
  return line.replace(TIMESTAMP, "").replace(UNIQUE_IDS, "").replace(NUMBER, "0");
}

interface Repetition {
  /** Lines in the block. */
  readonly size: number;
  /** Lines that repeat it. */
  readonly lines: number;
  readonly mark: string;
}

function longestRepetition(lines: readonly string[], keys: readonly string[], start: number): Repetition | undefined {
  let best: Repetition | undefined;
  let mostSaved = 0;
  for (let size = 1; size <= MAX_BLOCK; size++) {
    let end = start + size;
    let length = 0;
    // A line that equals the one a block earlier goes on with the repetition.
    while (end < lines.length && keys[end] === keys[end - size]) {
      length += (lines[end]?.length ?? 0) + 1;
      end += 1;
    }
    // Half a block at the end is no repetition.
    const rest = (end - start) % size;
    for (let at = end - rest; at < end; at++) length -= (lines[at]?.length ?? 0) + 1;
    const repeated = end - rest - start - size;
    if (repeated === 0) continue;
    const mark = repetitionMark(size, repeated / size, lines[end - rest - 1] ?? "");
    if (length - mark.length - 1 <= mostSaved) continue;
    mostSaved = length - mark.length - 1;
    best = { size, lines: repeated, mark };
  }
  return best;
}

function repetitionMark(size: number, times: number, last: string): string {
  const time = last.slice(0, TIMESTAMP_SCAN_LENGTH).match(TIMESTAMP)?.[0];
  const what = size === 1 ? "repeated" : `${size} lines repeated`;
  return `… [${what} ${formatCount(times, "more time")}${time === undefined ? "" : `, last at ${time}`}]`;
}
