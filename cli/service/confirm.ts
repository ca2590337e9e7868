// Questions to the person at the terminal.

import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { CommandError } from "./command-error.ts";

/** @throws CommandError if the answer is no, or without a terminal */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new CommandError("usage", `Nothing was changed. ${question} Add --yes to do it without being asked.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.on("SIGINT", () => process.emit("SIGINT"));
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
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY)
    throw new CommandError(
      "usage",
      "There is no terminal to ask for the token. Send it to standard input, with --token-stdin.",
    );
  // Before the question, so that nothing that is typed after it is shown.
  stdin.setRawMode(true);
  stderr.write(question);
  stdin.setEncoding("utf8");
  try {
    return await readHiddenLine(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ERASE = new Set(["\u007f", "\b"]);

function readHiddenLine(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = "";
    const finish = (end: () => void) => {
      stdin.off("data", onData);
      end();
    };
    const onData = (chunk: string) => {
      for (const character of chunk) {
        if (character === CTRL_C) {
          stdin.setRawMode(false);
          return finish(() => process.emit("SIGINT"));
        }
        if (character === "\r" || character === "\n") return finish(() => resolve(line));
        if (character === CTRL_D)
          return finish(() => reject(new CommandError("usage", "No token was entered. Nothing was changed.")));
        line = ERASE.has(character) ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on("data", onData);
    stdin.resume();
  });
}
