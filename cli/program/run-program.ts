// Runs the program: errors become messages on standard error and exit codes, and Ctrl-C ends it.

import { type Command, CommanderError } from "commander";
import { terminalOutput } from "../render/terminal-text.ts";
import { CommandError, EXIT_CODES } from "../service/command-error.ts";
import type { Service, ServiceChoice } from "../service/find-service.ts";
import type { Cli, CommonOptions, Streams } from "../service/invocation.ts";
import type { Environment } from "../service/private-file.ts";
import { terminal } from "../service/terminal.ts";
import type { Checkout } from "./command-builder.ts";
import { createProgram } from "./program.ts";

/** What the program has of its process. */
export interface ProgramContext extends Streams {
  readonly env: Environment;
  /** Ctrl-C aborts it: as a signal of the process, or as a key that a command reads. */
  readonly interruption: AbortController;
  readonly checkout: () => Promise<Checkout>;
}

/** @param words the command line without the program @returns the exit code */
export async function runProgram(words: readonly string[], context: ProgramContext): Promise<number> {
  const { env, stdout, stderr, interruption, checkout } = context;
  let exitCode = 0;
  let describeInterruption = () => "Stopped.";
  const progress = (text: string) => {
    if (stderr.isTTY) stderr.write(`\r\x1b[2K${text}`);
  };
  const note = (text: string) => {
    progress("");
    stderr.write(`${text}\n`);
  };
  const createCli = (options: CommonOptions & { color?: boolean }): Cli => ({
    env,
    get stdin() {
      return context.stdin;
    },
    stderr,
    print: (text) => void stdout.write(`${terminalOutput(text)}\n`),
    note,
    progress,
    terminal: (maxColumns) => terminal(maxColumns, { env, stdout, color: options.color !== false }),
    nextPage: (cursor) => `dejavu ${nextPageWords(words, cursor)}`,
    service: () => chooseService(options, context, note),
    serviceElsewhere: (choice, variables) => chooseService(choice, { ...context, env: variables }, () => {}),
    exitWith: (code) => {
      exitCode = code;
    },
    whenInterrupted: (describe) => {
      describeInterruption = describe;
    },
    interrupt: () => interruption.abort(),
  });
  const run = async (): Promise<number> => {
    const program = createProgram({ createCli, checkout, stdout, stderr });
    await program.parseAsync(withDefaultCommands(withHelpOption(program, words)), { from: "user" });
    return exitCode;
  };
  const end = new AbortController();
  const interrupted = new Promise<number>((resolve) => {
    const stop = () => {
      note(describeInterruption());
      resolve(EXIT_CODES.interrupted);
    };
    interruption.signal.addEventListener("abort", stop, { signal: end.signal });
  });
  try {
    return await Promise.race([run(), interrupted]);
  } catch (error) {
    return report(error, note);
  } finally {
    end.abort();
  }
}

async function chooseService(
  options: ServiceChoice,
  { env, checkout }: Pick<ProgramContext, "env" | "checkout">,
  note: Cli["note"],
): Promise<Service> {
  const [{ findService, unusedToken }, { localService }] = await Promise.all([
    import("../service/find-service.ts"),
    checkout(),
  ]);
  const service = findService(options, { env, localService });
  const unused = unusedToken(options, env);
  if (unused !== null) note(`${unused} The service is ${service.url}, chosen by ${service.chosenBy}.`);
  return service;
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

/** The same words with another cursor. */
function nextPageWords(words: readonly string[], cursor: string): string {
  const others = words.filter((word, i) => !/^--cursor(?:=|$)/.test(word) && words[i - 1] !== "--cursor");
  return [...others, "--cursor", cursor]
    .map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** `dejavu memory` and `dejavu jobs` list; their other commands have names. */
function withDefaultCommands(words: readonly string[]): string[] {
  const [group, next, ...others] = words;
  const isBare = next === undefined || (next.startsWith("-") && next !== "--help" && next !== "-h");
  if ((group !== "memory" && group !== "jobs") || !isBare) return [...words];
  return [group, "list", ...(next === undefined ? [] : [next]), ...others];
}

function report(error: unknown, note: Cli["note"]): number {
  // The parser has printed the message, the help or the version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_CODES.usage;
  note(error instanceof Error ? error.message : String(error));
  return error instanceof CommandError ? error.exitCode : EXIT_CODES.failed;
}
