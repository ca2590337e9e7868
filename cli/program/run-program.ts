// Runs the program: errors become messages on standard error and exit codes, and Ctrl-C ends it.

import { type Command, CommanderError } from "commander";
import { commandPrefix, withCommandPrefix } from "../render/command-prefix.ts";
import { terminalOutput } from "../render/terminal-text.ts";
import { CommandError, EXIT_CODES } from "../service/command-error.ts";
import type { Cli, CommonOptions } from "../service/invocation.ts";
import type { Environment } from "../service/private-file.ts";
import { terminal } from "../service/terminal.ts";
import type { Checkout } from "./command-builder.ts";
import { createProgram } from "./program.ts";

export interface ProgramContext {
  readonly env: Environment;
  readonly checkout: () => Promise<Checkout>;
}

/** @param words the command line without the program @returns the exit code */
export async function runProgram(words: readonly string[], context: ProgramContext): Promise<number> {
  let exitCode = 0;
  let describeInterruption = () => "Stopped.";
  process.once("SIGINT", () => {
    note(describeInterruption());
    process.exit(EXIT_CODES.interrupted);
  });
  const createCli = (options: CommonOptions & { color?: boolean }): Cli => ({
    env: context.env,
    print: (text) => console.log(terminalOutput(text)),
    note,
    progress: (text) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
    },
    terminal: (maxColumns) => terminal(maxColumns, { env: context.env, color: options.color !== false }),
    nextPage: (cursor) => nextPageCommand(words, cursor),
    service: async () => {
      const [{ findService, unusedToken }, { localService }] = await Promise.all([
        import("../service/find-service.ts"),
        context.checkout(),
      ]);
      const service = findService(options, { env: context.env, localService });
      const unused = unusedToken(options, context.env);
      if (unused !== null) note(`${unused} The service is ${service.url}, chosen by ${service.chosenBy}.`);
      return service;
    },
    exitWith: (code) => {
      exitCode = code;
    },
    whenInterrupted: (describe) => {
      describeInterruption = describe;
    },
  });
  try {
    const program = createProgram(createCli, context.checkout);
    await program.parseAsync(withDefaultCommands(withHelpOption(program, words)), { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error);
  }
}

/** `help runbooks add` is `runbooks add --help`; the parser finds fault with an unknown command. */
function withHelpOption(program: Command, words: readonly string[]): readonly string[] {
  const [first, ...path] = words;
  if (first !== "help" || path.length === 0 || path.some((word) => word.startsWith("-"))) return words;
  let command = program;
  for (const word of path) {
    if (command.commands.length === 0) break;
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (next === undefined) return path;
    command = next;
  }
  return [...path, "--help"];
}

/** The same command line with another cursor. */
function nextPageCommand(words: readonly string[], cursor: string): string {
  const others = words.filter((word, i) => !/^--cursor(?:=|$)/.test(word) && words[i - 1] !== "--cursor");
  const quoted = [...others, "--cursor", cursor].map((word) =>
    /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
  );
  return `${commandPrefix()} ${quoted.join(" ")}`;
}

/** `dejavu memory` and `dejavu jobs` list; their other commands have names. */
function withDefaultCommands(words: readonly string[]): string[] {
  const [group, next, ...others] = words;
  const isBare = next === undefined || (next.startsWith("-") && next !== "--help" && next !== "-h");
  if ((group !== "memory" && group !== "jobs") || !isBare) return [...words];
  return [group, "list", ...(next === undefined ? [] : [next]), ...others];
}

function report(error: unknown): number {
  // The parser has printed the message, the help or the version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
  note(error instanceof Error ? error.message : String(error));
  return error instanceof CommandError ? error.exitCode : EXIT_CODES.failed;
}

/** Prints to standard error, with commands as people call them here. */
function note(text: string): void {
  clearLine();
  console.error(withCommandPrefix(text));
}

function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
}
