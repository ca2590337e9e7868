// Errors that a person can act on, with the end of the log file that explains them. All other errors are thrown as they
// are.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** Enough for a stack trace or an SQL error with its statement. */
const TAIL_BYTES = 6_000;
const TAIL_LINES = 30;

/** The stack or one of its services failed. The message is a plain sentence. */
export class StackError extends Error {
  override name = "StackError";
  /** Log file of the failed service or tool, if it has one. */
  readonly logPath: string | undefined;
  /** Last lines of that log. Copied, because an ephemeral stack deletes the file. */
  readonly logTail: string;

  constructor(message: string, options: { cause?: unknown; logPath?: string; logOffset?: number } = {}) {
    super(message, { cause: options.cause });
    this.logPath = options.logPath;
    this.logTail = options.logPath ? tailOf(options.logPath, { fromOffset: options.logOffset ?? 0 }) : "";
  }
}

/** Another process runs or starts a stack on the same data folder. */
export class StackAlreadyRunningError extends StackError {
  override name = "StackAlreadyRunningError";
  readonly ownerPid: number;

  constructor(message: string, ownerPid: number) {
    super(message);
    this.ownerPid = ownerPid;
  }
}

/** The last lines of a log without colours and blank lines. Empty when the file does not exist. */
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
