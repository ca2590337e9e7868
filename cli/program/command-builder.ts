// Adds commands to the program. The code of a command is loaded when it runs, so that help and completion start fast.

import { type Command as CommanderCommand, Option } from "commander";
import type { RestoreOptions } from "../commands/stores/backup.ts";
import type { TraceOptions } from "../commands/trace.ts";
import type { LocalService } from "../service/find-service.ts";
import type { Cli, Command, CommonOptions, OutputStream } from "../service/invocation.ts";

/** Loads the code behind a command. */
export type Load<Options> = () => Promise<Command<Options>>;

/** The parts that only a checkout has. */
export interface Checkout {
  readonly localService: () => LocalService | null;
  readonly commands: {
    readonly trace: Load<TraceOptions>;
    readonly eval: Load<object>;
    readonly seed: Load<object>;
    readonly reindex: Load<object>;
    readonly backup: Load<object>;
    readonly restore: Load<RestoreOptions>;
  };
}

export type CreateCli = (options: CommonOptions) => Cli;

export interface CommandSpec<Options> {
  /** Name and arguments, such as `show <id>`. */
  readonly usage: string;
  readonly description: string;
  /** Command lines without `dejavu`. */
  readonly examples: readonly string[];
  readonly load: Load<Options>;
  /** Adds options and closed lists of arguments. */
  readonly define?: (command: CommanderCommand) => CommanderCommand;
  /** Text after the options. */
  readonly notes?: string;
  readonly alias?: string;
  readonly isHidden?: boolean;
  /** Whether it has --json, --url and --profile. True by default. */
  readonly callsService?: boolean;
}

/** Longer lines are hard to read. Also the width in a pipe. */
const HELP_WIDTH = 100;

export interface Parent {
  readonly command: CommanderCommand;
  readonly createCli: CreateCli;
}

/** Adds a command that calls a service, unless the specification says otherwise. @returns where its subcommands are added */
export function addCommand<Options>({ command: parent, createCli }: Parent, spec: CommandSpec<Options>): Parent {
  const command = parent.command(spec.usage, { hidden: spec.isHidden ?? false }).description(spec.description);
  if (spec.alias !== undefined) command.alias(spec.alias);
  command.showHelpAfterError(usageHint(command));
  spec.define?.(command);
  if (spec.callsService !== false) addServiceOptions(command);
  command.addHelpText("after", () => afterHelp(command, spec));
  command.action(async () => {
    const options = command.optsWithGlobals<Options & CommonOptions>();
    const run = await spec.load();
    await run({ args: command.args, options, cli: createCli(options) });
  });
  return { command, createCli };
}

/** Adds a command with subcommands. */
export function addGroup(
  { command: parent, createCli }: Parent,
  { name, alias, description }: { readonly name: string; readonly alias?: string; readonly description: string },
): Parent {
  const command = parent.command(name).description(description);
  if (alias !== undefined) command.alias(alias);
  command.showHelpAfterError(usageHint(command));
  return { command, createCli };
}

/** What follows a usage error: the command that prints the usage. */
export function usageHint(command: CommanderCommand): string {
  return `For the usage: dejavu ${[...pathTo(command), "--help"].join(" ")}`;
}

function pathTo(command: CommanderCommand): string[] {
  return command.parent === null ? [] : [...pathTo(command.parent), command.name()];
}

/** The width of the help in a terminal or a pipe. */
export function helpWidth({ columns }: Pick<OutputStream, "columns">): number {
  return Math.min(columns || HELP_WIDTH, HELP_WIDTH);
}

/** `--json`, `--url` and `--profile`. */
function addServiceOptions(command: CommanderCommand): CommanderCommand {
  return command
    .option("--json", "print JSON: the API's response, unchanged")
    .option("--url <url>", "the service to call; DEJAVU_TOKEN holds its token")
    .option("--profile <name>", 'a profile of "dejavu login"');
}

/** An option with a closed list of values, which help and completion show. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  return new Option(flags, description).choices(values);
}

/** The description of `--by`. */
export const WHO = 'who does it; the name of "dejavu login --name", else of the token, by default';

/** An option that may be repeated. */
export function repeated(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, previous: readonly string[] = []) => [
    ...previous,
    value,
  ]);
}

/** The options of a list. */
export function pageOptions(command: CommanderCommand): CommanderCommand {
  return command
    .option("--limit <n>", "rows, 1 to 100; 20 by default")
    .option("--cursor <cursor>", "next_cursor of the page before");
}

function afterHelp(
  command: CommanderCommand,
  { notes, examples }: Pick<CommandSpec<never>, "notes" | "examples">,
): string {
  const lines = examples.map((example) => `  $ ${example}`);
  return `${notes === undefined ? "" : `\n${wrapHelp(command, notes)}\n`}\nExamples:\n${lines.join("\n")}`;
}

/** Wraps each line to the width of the help. */
export function wrapHelp(command: CommanderCommand, text: string): string {
  const helper = command.createHelp();
  const { helpWidth: width = HELP_WIDTH } = helper;
  return text
    .split("\n")
    .map((line) => helper.boxWrap(line, width))
    .join("\n");
}
