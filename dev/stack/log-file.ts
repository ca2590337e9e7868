/** A part's log: opened for appending, cut when it grew too large, and its end read back for error messages. */
import { closeSync, fstatSync, openSync, readSync, statSync, truncateSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** Above this a log starts again from nothing at the next start: old runs stop being useful. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;

/** Enough for a stack trace or a SQL error with its statement. */
const TAIL_BYTES = 6_000;
const TAIL_LINES = 30;

export interface OpenLog {
  fd: number;
  /** Size at opening: what this run writes comes after. */
  offset: number;
}

/** Opens a log for appending; the caller closes `fd`. Readable by its owner only: requests may hold anything. */
export function openLog(path: string): OpenLog {
  try {
    if (statSync(path).size > MAX_LOG_BYTES) truncateSync(path);
  } catch {
    // First run: openSync makes it.
  }
  const fd = openSync(path, "a", 0o600);
  return { fd, offset: fstatSync(fd).size };
}

/** The last lines of a log without colours and blank lines; empty when there is no log. */
export function tailOf(path: string, { fromOffset = 0 } = {}): string {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(Math.min(fromOffset, size), size - TAIL_BYTES);
    const buffer = Buffer.alloc(size - start);
    readSync(fd, buffer, 0, buffer.length, start);
    const lines = stripVTControlCharacters(buffer.toString("utf8"))
      .split("\n")
      .filter((line) => line.trim() !== "");
    return lines.slice(-TAIL_LINES).join("\n");
  } finally {
    closeSync(fd);
  }
}
