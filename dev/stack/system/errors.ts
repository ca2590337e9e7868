/** The failures a person can do something about; everything else is thrown as it is. */
import { tailOf } from "../log-file.ts";

/** A start or a part failed; the message is a plain sentence, the log says why. */
export class StackError extends Error {
  override name = "StackError";
  /** Log file of the part at fault, when there is one. */
  readonly logPath: string | undefined;
  /** Last lines of that log, copied because an ephemeral stack deletes it. */
  readonly logTail: string;

  constructor(message: string, options: { cause?: unknown; logPath?: string; logOffset?: number } = {}) {
    super(message, { cause: options.cause });
    this.logPath = options.logPath;
    this.logTail = options.logPath ? tailOf(options.logPath, { fromOffset: options.logOffset ?? 0 }) : "";
  }
}

/** Another process runs, or is just starting, a stack on the same data folder. */
export class StackAlreadyRunningError extends StackError {
  override name = "StackAlreadyRunningError";
  readonly ownerPid: number;

  constructor(message: string, ownerPid: number) {
    super(message);
    this.ownerPid = ownerPid;
  }
}
