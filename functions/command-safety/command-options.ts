// Owns how the words of a command are parted into options and arguments. Pure.

export interface CommandWords {
  readonly options: readonly { readonly name: string; readonly value: string | undefined }[];
  /** What is no option and no option's value, with its place among the words. */
  readonly positionals: readonly { readonly word: string; readonly index: number }[];
}

/** Short options in one word beyond this are no options. */
const MAX_CLUSTER = 40;

/** The names in a list such as "-n --namespace", as a set. */
export function names(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).filter((name) => name !== ""));
}

/**
 * Parts `-abc`, `--name=value` and `--`. Options in `valued` take the rest of their word, else the next word, as value.
 * @param stopAtPositional for programs that run another: what follows the first positional is that one's
 */
export function readOptions(
  words: readonly string[],
  valued: ReadonlySet<string>,
  stopAtPositional = false,
): CommandWords {
  const options: { name: string; value: string | undefined }[] = [];
  const positionals: { word: string; index: number }[] = [];
  let isPlain = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (isPlain || !word.startsWith("-") || word === "-") {
      positionals.push({ word, index });
      isPlain ||= stopAtPositional;
    } else if (word === "--") isPlain = true;
    else {
      const found = word.startsWith("--") ? longOption(word) : shortOptions(word, valued);
      const last = found.at(-1);
      if (last && last.value === undefined && valued.has(last.name)) {
        index += 1;
        last.value = words[index];
      }
      options.push(...found);
    }
  }
  return { options, positionals };
}

function longOption(word: string): { name: string; value: string | undefined }[] {
  const equals = word.indexOf("=");
  return [
    equals === -1 ? { name: word, value: undefined } : { name: word.slice(0, equals), value: word.slice(equals + 1) },
  ];
}

function shortOptions(word: string, valued: ReadonlySet<string>) {
  const found: { name: string; value: string | undefined }[] = [];
  const end = Math.min(word.length, MAX_CLUSTER);
  for (let at = 1; at < end; at++) {
    const name = `-${word[at]}`;
    const rest = word.slice(at + 1);
    if (valued.has(name)) {
      found.push({ name, value: rest === "" ? undefined : rest });
      break;
    }
    found.push({ name, value: undefined });
  }
  return found;
}
