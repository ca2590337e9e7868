// Completes a command line from the definitions of the program: commands, options, values of closed lists, and suggestions.

import type { Argument, Command, Option } from "commander";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

/** What may be offered where no closed list of values is: `show <id>`, or `--profile`. */
export type Suggest = (place: string) => readonly string[];

/** The command that the words lead to. */
interface Position {
  readonly command: Command;
  /** Number of its arguments before the word at the cursor. */
  readonly operands: number;
  /** The option whose value is at the cursor. */
  readonly option: Option | undefined;
  /** Whether `--` ended the options. */
  readonly hasOptionsEnded: boolean;
}

/**
 * The words that may stand at the cursor; none where a file or free text is expected.
 * @param words without the program; the last one is at the cursor, and may be empty or incomplete
 */
export function complete(program: Command, words: readonly string[], suggest: Suggest = () => []): Candidate[] {
  if (words[0] === "help" && words.length > 1) return completeHelp(program, words.slice(1));
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const { command, operands, option, hasOptionsEnded } = positionAfter(program, before);
  // bash splits `--status=triaged` at the sign, and completes the last part.
  if (option !== undefined)
    return matching(choicesOf(option, suggest(option.long ?? "")), current === "=" ? "" : current);
  if (current.startsWith("-") && !hasOptionsEnded) return completeOption(program, command, { current, suggest });
  const argument = command.registeredArguments[operands] ?? variadic(command);
  const suggested = argument === undefined ? [] : suggest(placeOf(command, argument));
  return matching([...(operands === 0 ? subcommandsOf(command) : []), ...choicesOf(argument, suggested)], current);
}

/** `help` takes the names of a command and its subcommand. */
function completeHelp(program: Command, words: readonly string[]): Candidate[] {
  const { command, operands } = positionAfter(program, words.slice(0, -1));
  return operands === 0 ? matching(subcommandsOf(command), words.at(-1) ?? "") : [];
}

/** `jobs run <name>` */
function placeOf(command: Command, argument: Argument): string {
  const names: string[] = [];
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name());
  return [...names, `<${argument.name()}>`].join(" ");
}

function positionAfter(program: Command, before: readonly string[]): Position {
  let command = program;
  let operands = 0;
  let option: Option | undefined;
  let hasOptionsEnded = false;
  for (const word of before) {
    if (word === "=" && option !== undefined) continue;
    if (option !== undefined) {
      option = undefined;
    } else if (word === "--") {
      hasOptionsEnded = true;
    } else if (word.startsWith("-") && !hasOptionsEnded) {
      const match = findOption([command, program], word);
      option = match !== undefined && takesValue(match) && !word.includes("=") ? match : undefined;
    } else {
      const next = operands === 0 && !hasOptionsEnded ? findSubcommand(command, word) : undefined;
      if (next === undefined) operands += 1;
      else command = next;
    }
  }
  return { command, operands, option, hasOptionsEnded };
}

function completeOption(
  program: Command,
  command: Command,
  { current, suggest }: { readonly current: string; readonly suggest: Suggest },
): Candidate[] {
  const [name = "", value] = current.split("=", 2);
  if (value !== undefined) {
    const option = findOption([command, program], name);
    return matching(choicesOf(option, suggest(name)), value).map((each) => ({
      ...each,
      value: `${name}=${each.value}`,
    }));
  }
  const options = command.createHelp().visibleOptions(command);
  return matching(
    options.flatMap(({ long, description }) => (long ? [{ value: long, description }] : [])),
    current,
  );
}

function subcommandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.description() }));
}

function choicesOf(place: Option | Argument | undefined, suggested: readonly string[]): Candidate[] {
  return [...(place?.argChoices ?? []), ...suggested].map((value) => ({ value, description: "" }));
}

function variadic(command: Command): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return last?.variadic ? last : undefined;
}

function findSubcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((each) => each.name() === word || each.aliases().includes(word));
}

function findOption(commands: readonly Command[], word: string): Option | undefined {
  const [name] = word.split("=", 1);
  return commands.flatMap(({ options }) => options).find(({ long, short }) => long === name || short === name);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function matching(candidates: readonly Candidate[], current: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(current));
}
