// Log chunking: splits at lines, folds repeated lines, keeps a stack trace in one chunk where it fits.

import { type FoldedLine, foldLines } from "../logs/fold-lines.ts";
import { TIMESTAMP } from "../logs/log-time.ts";
import { splitByBytes, splitByWeight, weightOf } from "../text/text-weight.ts";

export interface LogChunk {
  /** First and last timestamp, such as "03:00:00 to 03:05:10"; null when no line has one. */
  readonly times: string | null;
  readonly body: string;
}

/** Lines that continue the entry above them: stack frames, causes, exception names. */
const CONTINUATION =
  /^(?:\s|$|at \S|Caused by:|Suppressed:|\.{3} \d+ more|Traceback \(|goroutine \d+|[^\s(]+\(.*\)$|[\w.$]+(?:Error|Exception)\b)/;
/** Characters of a line that are read; longer lines are dumps. */
const SCAN_LENGTH = 240;

/**
 * Splits a log into chunks of at most `size` words (see `weightOf`). Splits within a line only when the line alone is too
 * long. Chunks do not overlap: a log line makes sense by itself. Returns no chunk for a blank log.
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
  for (const entry of entriesOf(foldLines(log.split(/\r?\n/))).flatMap((whole) => splitEntry(whole, size))) {
    const entryWeight = entry.reduce((sum, line) => sum + weightOf(line), 0);
    if (weight + entryWeight > size) close();
    lines.push(...entry);
    weight += entryWeight;
  }
  close();
  return chunks;
}

/** Groups each line with the lines that continue it. */
function entriesOf(lines: readonly FoldedLine[]): string[][] {
  const entries: string[][] = [];
  for (const { text, repeats } of lines) {
    const entry = entries.at(-1);
    if (entry && (repeats > 0 || CONTINUATION.test(text.slice(0, SCAN_LENGTH)))) entry.push(text);
    else entries.push([text]);
  }
  return entries;
}

/** Splits an entry that is too long for a chunk into its lines, and these into pieces where necessary. */
function splitEntry(entry: readonly string[], size: number): string[][] {
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
