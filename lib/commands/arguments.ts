// Options and positional arguments of a program, read by its list of known options. Pure functions.

/** A word of a command. In `text`, "$" stands for what the shell expands. */
export interface Argument {
  readonly text: string;
  readonly isStatic: boolean;
  /** Begins with an expansion, or may become several words: may hold an option. */
  readonly isOpen: boolean;
  /** May become several words. */
  readonly canSplit: boolean;
}

export const UNKNOWN_ARGUMENT: Argument = { text: "$", isStatic: false, isOpen: true, canSplit: true };

/** "value": takes the rest of its word or the next word. "attached": takes only the rest of its word. */
export type Options = ReadonlyMap<string, "flag" | "value" | "attached">;

export interface ParsedArguments {
  readonly options: readonly { readonly name: string; readonly value: Argument | undefined }[];
  readonly positionals: readonly Argument[];
  /** Every option is known, and no expansion can add another. */
  readonly isVerified: boolean;
}

interface Syntax {
  /** Long options begin with one dash. */
  readonly singleDash?: boolean;
  /** The first positional and all after it belong to another program. */
  readonly stopsAtPositional?: boolean;
}

/** Takes an unknown option for a flag. */
export function readArguments(
  args: readonly Argument[],
  knownOptions: Options,
  { singleDash, stopsAtPositional }: Syntax,
): ParsedArguments {
  const options: { name: string; value: Argument | undefined }[] = [];
  const positionals: Argument[] = [];
  let isVerified = true;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (!word) continue;
    const isOption = /^-./.test(word.text) || knownOptions.has(word.text);
    if (word.text === "--" || (!isOption && stopsAtPositional)) {
      positionals.push(...args.slice(word.text === "--" ? at + 1 : at));
      break;
    }
    if (!isOption) {
      positionals.push(word);
      continue;
    }
    const isLong = singleDash || !/^-[^-]/.test(word.text);
    const wordOptions = isLong ? [longOption(word)] : shortOptions(word, knownOptions);
    isVerified &&= !word.canSplit && wordOptions.every(({ name }) => knownOptions.has(name));
    const last = wordOptions.at(-1);
    if (last && last.value === undefined && knownOptions.get(last.name) === "value") {
      at += 1;
      last.value = args[at];
      // A value that looks like an option may be one: a program may take it for a flag where this table does not.
      isVerified &&= last.value !== undefined && !last.value.canSplit && !/^-[^\d]/.test(last.value.text);
    }
    options.push(...wordOptions);
  }
  isVerified &&= stopsAtPositional || positionals.every(({ isOpen }) => !isOpen);
  return { options, positionals, isVerified };
}

function longOption(word: Argument): { name: string; value: Argument | undefined } {
  const equals = word.text.indexOf("=");
  if (equals === -1) return { name: word.text, value: undefined };
  return { name: word.text.slice(0, equals), value: { ...word, text: word.text.slice(equals + 1) } };
}

function shortOptions(word: Argument, knownOptions: Options) {
  const options: { name: string; value: Argument | undefined }[] = [];
  for (let at = 1; at < word.text.length; at++) {
    const name = `-${word.text[at]}`;
    const rest = word.text.slice(at + 1);
    const takesRest = rest !== "" && knownOptions.has(name) && knownOptions.get(name) !== "flag";
    options.push({ name, value: takesRest ? { ...word, text: rest } : undefined });
    if (takesRest) break;
  }
  return options;
}
