// Questions to the person at the terminal.

import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { CommandError } from "./command-error.ts";
import type { Cli } from "./invocation.ts";

type Person = Pick<Cli, "stdin" | "stderr" | "interrupt">;

/** @throws CommandError if the answer is no, or without a terminal */
export async function confirm({ stdin, stderr, interrupt }: Person, question: string): Promise<void> {
  if (!stdin.isTTY || !stderr.isTTY)
    throw new CommandError("usage", `Nothing was changed. ${question} Add --yes to do it without being asked.`);
  const terminal = createInterface({ input: stdin, output: stderr });
  terminal.on("SIGINT", interrupt);
  try {
    // Ctrl-D closes it, and leaves the question without an answer.
    const closed = once(terminal, "close").then(() => "no");
    const answer = await Promise.race([terminal.question(`${question} [y/N] `), closed]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("failed", "Nothing was changed.");
  } finally {
    terminal.close();
  }
}

/** Reads a line without showing it. @throws CommandError without a terminal */
export async function readSecret({ stdin, stderr, interrupt }: Person, question: string): Promise<string> {
  if (!stdin.isTTY || !stderr.isTTY)
    throw new CommandError(
      "usage",
      "There is no terminal to ask for the token. Send it to standard input, with --token-stdin.",
    );
  // Before the question, so that nothing that is typed after it is shown.
  stdin.setRawMode?.(true);
  stderr.write(question);
  stdin.setEncoding("utf8");
  try {
    return await readHiddenLine(stdin, interrupt);
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
    stderr.write("\n");
  }
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ERASE = new Set(["\u007f", "\b"]);

function readHiddenLine(stdin: Person["stdin"], interrupt: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = "";
    const finish = (end: () => void) => {
      stdin.off("data", onData);
      end();
    };
    const onData = (chunk: string) => {
      for (const character of chunk) {
        if (character === CTRL_C) {
          // The program ends here: the promise stays open.
          stdin.setRawMode?.(false);
          return finish(interrupt);
        }
        if (character === "\r" || character === "\n") return finish(() => resolve(line));
        if (character === CTRL_D)
          return finish(() => reject(new CommandError("usage", "Nothing was entered, so nothing was changed.")));
        line = ERASE.has(character) ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on("data", onData);
    stdin.resume();
  });
}
