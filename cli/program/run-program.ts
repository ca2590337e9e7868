// Runs the program: errors become messages on standard error and exit codes, and Ctrl-C ends it.

import { CommanderError } from "commander";
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
    clearLine();
    console.error(describeInterruption());
    process.exit(EXIT_CODES.interrupted);
  });
  const createCli = (options: CommonOptions & { color?: boolean }): Cli => ({
    env: context.env,
    print: (text) => console.log(text),
    note: (text) => {
      clearLine();
      console.error(text);
    },
    progress: (text) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
    },
    terminal: (maxColumns) => terminal(maxColumns, { env: context.env, color: options.color !== false }),
    service: async () => {
      const [{ findService }, { localService }] = await Promise.all([
        import("../service/find-service.ts"),
        context.checkout(),
      ]);
      return findService(options, { env: context.env, localService });
    },
    exitWith: (code) => {
      exitCode = code;
    },
    whenInterrupted: (describe) => {
      describeInterruption = describe;
    },
  });
  try {
    await createProgram(createCli, context.checkout).parseAsync(withDefaultCommands(words), { from: "user" });
    return exitCode;
  } catch (error) {
    return report(error);
  }
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
  clearLine();
  console.error(error instanceof Error ? error.message : String(error));
  return error instanceof CommandError ? error.exitCode : EXIT_CODES.failed;
}

function clearLine(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[2K");
}
