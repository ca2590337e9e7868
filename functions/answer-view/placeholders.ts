// Placeholders in the commands of an answer, such as `<pod>`: where they stand, and names of the report in their place. Pure
// functions.

import type { Answer } from "../schemas/answer.ts";

/** Not after `<`: `<<EOF` begins a text for a shell. */
const PLACEHOLDER = /(?<!<)<[A-Za-z][\w-]{0,60}>/g;

/** The longest name that DNS knows. */
const MAX_LENGTH = 253;
/** ASCII alone, so no character looks like another. Starts with no `-`, which would be an option, and with no `/`. */
const SAFE = /^[A-Za-z0-9](?:[A-Za-z0-9._:/@-]*[A-Za-z0-9])?$/;
/** A parent folder, a comment in SQL, and the start of an address, which could lead a command to another host. */
const UNSAFE_PAIRS = /\.\.|--|\/\//;

/** Whether a name can stand in a command of a shell or in SQL, with and without quotes, and is nothing but a name there. */
export function isSafeInCommand(name: string): boolean {
  return name.length <= MAX_LENGTH && SAFE.test(name) && !UNSAFE_PAIRS.test(name);
}

/** The placeholders of a command in lower case, such as `<pod>`, each once. */
export function placeholdersIn(command: string): string[] {
  return [...new Set((command.match(PLACEHOLDER) ?? []).map((placeholder) => placeholder.toLowerCase()))];
}

/** The command with names in place of its placeholders. One without a safe name stays. */
export function withPlaceholders(command: string, placeholders: Readonly<Record<string, string>>): string {
  return command.replace(PLACEHOLDER, (placeholder) => {
    const key = placeholder.toLowerCase();
    const name = Object.hasOwn(placeholders, key) ? placeholders[key] : undefined;
    return name !== undefined && isSafeInCommand(name) ? name : placeholder;
  });
}

/** All commands of an answer, and how to undo them. */
export function commandsOf({ confirm, mitigate, look_next, possible_causes }: Answer): string[] {
  const steps = [...confirm, ...mitigate, ...look_next, ...possible_causes.flatMap((cause) => cause.confirm)];
  return steps.flatMap(({ command, undo }) => [command, undo].filter((text) => text !== null));
}

export interface PlaceholderNote {
  readonly kind: "from_report" | "to_replace";
  readonly text: string;
}

/**
 * What people have to know about the names in these commands: which ones are from the report, and which placeholders they
 * replace themselves. At most two sentences.
 */
export function placeholderNotes(
  commands: readonly string[],
  placeholders: Readonly<Record<string, string>>,
): PlaceholderNote[] {
  const names = [...new Set(commands.flatMap(placeholdersIn))];
  const filled = names.filter((name) => withPlaceholders(name, placeholders) !== name);
  const open = names.filter((name) => !filled.includes(name));
  const filledText = filled.map((name) => `${name} is ${withPlaceholders(name, placeholders)}`).join(", ");
  return [
    ...(filled.length === 0 ? [] : [{ kind: "from_report", text: `From the report: ${filledText}.` } as const]),
    ...(open.length === 0 ? [] : [{ kind: "to_replace", text: `Replace ${open.join(", ")}.` } as const]),
  ];
}
