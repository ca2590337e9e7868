// Folding of repeated log lines: lines that differ only in time, ids and counters count as equal. Pure, linear.

import { TIMESTAMP, UNIQUE_IDS } from "./log-time.ts";
import { meansFailure } from "./weigh-line.ts";
import { WordScanner } from "./word-scanner.ts";

/** A line of the log, or a marker in place of lines that repeat the lines above it. */
export interface FoldedLine {
  readonly text: string;
  /** Number of log lines that it represents. */
  readonly lines: number;
  /** For a marker: how many of the lines above it are repeated; 0 for a line. */
  readonly repeats: number;
  readonly isError: boolean;
}

/** Lines in the longest block whose repetition is detected. */
const MAX_BLOCK_LINES = 3;
/** Characters at the start of a line that are searched for its timestamp. */
const TIMESTAMP_SCAN_LENGTH = 240;
/** Matches counters, ports and process ids, but not error codes: these distinguish lines. */
const NUMBER =
  /(?<!\b(?:code|status|exit|exited|errno|error|signal|state|sqlstate|http)[\s:=#("']{0,3})(?<!\w)(?:0x[0-9a-f]+|\d+)/gi;

const COUNT = new Intl.NumberFormat("en-US");

/** Formats a count with its noun: "1,204 lines". */
export function formatCount(count: number, noun: string): string {
  return `${COUNT.format(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Replaces repetitions of a line, or of a block of two or three lines, by a marker where that is shorter. */
export function foldLines(lines: readonly string[]): FoldedLine[] {
  const keys = lines.map(keyOf);
  const folded: FoldedLine[] = [];
  for (let at = 0; at < lines.length; ) {
    const best = longestRepetition(lines, keys, at);
    const size = best?.size ?? 1;
    for (const text of lines.slice(at, at + size))
      folded.push({ text, lines: 1, repeats: 0, isError: isErrorLine(text) });
    if (best) folded.push({ text: best.marker, lines: best.lines, repeats: size, isError: false });
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
  readonly marker: string;
}

function longestRepetition(lines: readonly string[], keys: readonly string[], start: number): Repetition | undefined {
  let best: Repetition | undefined;
  let maxSaved = 0;
  for (let size = 1; size <= MAX_BLOCK_LINES; size++) {
    let end = start + size;
    let length = 0;
    // A line that equals the line one block earlier continues the repetition.
    while (end < lines.length && keys[end] === keys[end - size]) {
      length += (lines[end]?.length ?? 0) + 1;
      end += 1;
    }
    // An incomplete block at the end is not a repetition.
    const rest = (end - start) % size;
    for (let at = end - rest; at < end; at++) length -= (lines[at]?.length ?? 0) + 1;
    const repeated = end - rest - start - size;
    if (repeated === 0) continue;
    const marker = repetitionMarker(size, repeated / size, lines[end - rest - 1] ?? "");
    if (length - marker.length - 1 <= maxSaved) continue;
    maxSaved = length - marker.length - 1;
    best = { size, lines: repeated, marker };
  }
  return best;
}

function repetitionMarker(size: number, times: number, lastLine: string): string {
  const time = lastLine.slice(0, TIMESTAMP_SCAN_LENGTH).match(TIMESTAMP)?.[0];
  const subject = size === 1 ? "repeated" : `${size} lines repeated`;
  return `… [${subject} ${formatCount(times, "more time")}${time === undefined ? "" : `, last at ${time}`}]`;
}

const scanner = new WordScanner();

/** Reads the first 240 characters. */
export function isErrorLine(line: string): boolean {
  const text = line.trimStart();
  scanner.scan(text, 0, Math.min(text.length, 240));
  return scanner.weight > 0 && meansFailure(text);
}
