// Standard input as a source of text: whether to read it, and what to say while nothing comes.

import { fstatSync } from "node:fs";

/** Whether a shell piped or redirected something: a pipe or a file, and no terminal, socket or null device. */
export function isPiped(stdin: NodeJS.ReadableStream): boolean {
  if ("isTTY" in stdin && stdin.isTTY === true) return false;
  if (!("fd" in stdin) || typeof stdin.fd !== "number") return true;
  try {
    const status = fstatSync(stdin.fd);
    return status.isFIFO() || status.isFile();
  } catch {
    // Standard input is closed.
    return false;
  }
}

/** The chunks of standard input. Says so where a person must type them. */
export async function* chunksOf(stdin: NodeJS.ReadableStream, say: (text: string) => void): AsyncGenerator<unknown> {
  if ("isTTY" in stdin && stdin.isTTY === true)
    say(`Reading standard input; end with ${process.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D"}.`);
  yield* stdin;
}

/**
 * The same for a pipe that nobody asked to read: other text is there already. A program that starts this one may leave
 * the pipe open for ever, so a pipe without a first byte within the time is left.
 */
export async function* chunksWithin(
  stdin: NodeJS.ReadableStream,
  timeoutMs: number,
  onTimeout: () => void,
): AsyncGenerator<unknown> {
  const chunks = stdin[Symbol.asyncIterator]();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), timeoutMs);
  });
  const first = await Promise.race([chunks.next(), timeout]).finally(() => clearTimeout(timer));
  if (first === null) {
    onTimeout();
    // An open pipe would keep the process running.
    if ("destroy" in stdin && typeof stdin.destroy === "function") stdin.destroy();
    return;
  }
  if (first.done) return;
  yield first.value;
  yield* { [Symbol.asyncIterator]: () => chunks };
}
