// Owns how a log becomes chunks: by lines, what repeats folded, a stack trace in one piece where it fits.

import { TIMESTAMP } from "../text/error-lines.ts";
import { type FoldedLine, foldLines } from "../text/fold-lines.ts";
import { splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";

export interface LogChunk {
  /** The time stamps of its first and its last line that have one, such as "03:00:00 to 03:05:10"; null without any. */
  readonly times: string | null;
  readonly body: string;
}

/** Lines that belong to what stands above them: frames, causes, the name of an exception. */
const CONTINUATION =
  /^(?:\s|$|at \S|Caused by:|Suppressed:|\.{3} \d+ more|Traceback \(|goroutine \d+|\S+\(.*\)$|[\w.$]+(?:Error|Exception)\b)/;
/** Characters of a line that are looked at; longer lines are dumps. */
const SCAN_LENGTH = 240;

/**
 * Cuts a log into chunks that count for `size` words at most, never through a line, unless that line alone is too long.
 * No overlap: lines stand for themselves. None for a blank log.
 */
export function chunkLog(log: string, size: number): LogChunk[] {
  const chunks: LogChunk[] = [];
  let lines: string[] = [];
  let weight = 0;
  const close = () => {
    const times = timesOf(lines);
    if (weight > 0) chunks.push(...splitByBytes(withoutBlankEdges(lines)).map((body) => ({ times, body })));
    lines = [];
    weight = 0;
  };
  for (const entry of entriesOf(foldLines(log.split(/\r?\n/))).flatMap((whole) => fitting(whole, size))) {
    const own = entry.reduce((sum, line) => sum + weightOf(line), 0);
    if (weight + own > size) close();
    lines.push(...entry);
    weight += own;
  }
  close();
  return chunks;
}

/** Lines that belong together. */
function entriesOf(lines: readonly FoldedLine[]): string[][] {
  const entries: string[][] = [];
  for (const { text, repeats } of lines) {
    const entry = entries.at(-1);
    if (entry && (repeats > 0 || CONTINUATION.test(text.slice(0, SCAN_LENGTH)))) entry.push(text);
    else entries.push([text]);
  }
  return entries;
}

function fitting(entry: readonly string[], size: number): string[][] {
  if (entry.reduce((sum, line) => sum + weightOf(line), 0) <= size) return [[...entry]];
  return entry.flatMap((line) => (weightOf(line) <= size ? [line] : splitByWeight(line, size))).map((line) => [line]);
}

function timesOf(lines: readonly string[]): string | null {
  const times = lines.flatMap((line) => line.slice(0, SCAN_LENGTH).match(TIMESTAMP)?.[0] ?? []);
  const [first] = times;
  const last = times.at(-1);
  if (first === undefined || last === undefined) return null;
  return first === last ? first : `${first} to ${last}`;
}

function withoutBlankEdges(lines: readonly string[]): string {
  return lines
    .slice(lines.findIndex((line) => line.trim() !== ""))
    .join("\n")
    .trimEnd();
}
