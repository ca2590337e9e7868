// Whether a secret may go on in the next line: a value below its name, a block of YAML, a pair of name and value, or a
// command that a backslash continues.

import { ANY_KEY_ENDING } from "./key-names.ts";

/** How far a segment goes on. */
export interface Continuation {
  /** Lines, the next one included. */
  readonly lines: number;
  /** Characters, for words that a wider gap separates. */
  readonly length: number;
}

/** Lines of a block of YAML that may be a secret; longer blocks are files, whose lines are read one by one. */
const MAX_BLOCK_LINES = 3;

const QUOTE = `\\\\{0,3}["'\`]?`;
const NAME_AT_END = endPattern(`${ANY_KEY_ENDING}(?:[_-]?\\d{1,2})?${QUOTE}\\]?[ \\t]{0,64}(?:[:=]|=>|:=)`);
const ELEMENT_AT_END = endPattern(`<[\\w:.-]{0,64}${ANY_KEY_ENDING}>`);
const BLOCK_AT_END = endPattern(`${ANY_KEY_ENDING}${QUOTE}[ \\t]{0,64}:[ \\t]{0,64}[|>][+-]?\\d?`);
const PAIR_AT_END = endPattern(
  `(?:name|key)${QUOTE}[ \\t]{0,64}[:=][ \\t]{0,64}${QUOTE}[\\w.-]{0,64}${ANY_KEY_ENDING}${QUOTE},?`,
);
const MAY_BE_PAIR = /(?:name|key)\\{0,3}["'`]?[ \t]{0,64}[:=]|<(?:key|name|string)>/i;
const TAGGED_AT_END = endPattern(`<(?:key|name|string)>[\\w.-]{0,64}${ANY_KEY_ENDING}</(?:key|name|string)>`);
const SECRET_WORDS =
  "(?:pin|pass(?:word|wd|phrase|code)|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|secret|token|credential|(?:api|access|private|recovery|backup|unseal|licen[cs]e|signing|encryption|shared|master|root) key)s?";
/** A sentence that announces the next line: `The token (valid 30 minutes):`. */
const SENTENCE_AT_END = endPattern(`(?<![\\w-])${SECRET_WORDS}(?![\\w-])(?:[^\\n:=]|://){0,80}:`);
/** A command that prints a secret: `$ kubectl get secret api -o json | base64 -d`. */
const COMMAND_AT_END = endPattern(
  `(?<![a-z])${SECRET_WORDS}(?![a-z])[^\\n]{0,160}(?:base64 (?:-d|-D|--decode)|--output text|-o tsv)|create token \\S{1,60}|-field[= ]${SECRET_WORDS}[^\\n=]{0,80}`,
);
const COMMAND = /base64 |--output text|-o tsv|create token|-field/;
const HEREDOC_AT_END = endPattern(
  `(?<![a-z])(?:${SECRET_WORDS}|pw|pwd|pass)(?![a-z])[^\\n]{0,80}<<[-~]?[ \\t]{0,4}["']?\\w{1,20}["']?`,
);

/** A pattern for what stands before a place in a text; a search for it would begin at each character. */
export function endPattern(source: string): RegExp {
  return new RegExp(`(?<=${source})`, "iy");
}

/** Whether the text before `end` ends with an `endPattern`. */
export function endsWith(pattern: RegExp, text: string, end: number): boolean {
  pattern.lastIndex = end;
  return pattern.test(text);
}

/** Where the text ends, without blanks. */
function endOf(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t" || text[end - 1] === "\r")) end -= 1;
  return end;
}

/** How the value below a name is written. */
export type BelowKind = "value" | "element" | "block" | "sentence";

/** @param line the end of the text before a line break */
export function belowKind(line: string): BelowKind | undefined {
  const end = endOf(line);
  const last = line[end - 1] ?? "";
  if (last !== "" && ":=>".includes(last) && endsWith(NAME_AT_END, line, end)) return "value";
  if (last === ":" && endsWith(SENTENCE_AT_END, line, end)) return "sentence";
  if (/[\w"']/.test(last) && line.includes("<<") && endsWith(HEREDOC_AT_END, line, end)) return "sentence";
  if (COMMAND.test(line) && endsWith(COMMAND_AT_END, line, end)) return "sentence";
  if (/[|>+\d-]/.test(last) && endsWith(BLOCK_AT_END, line, end)) return "block";
  return last === ">" && endsWith(ELEMENT_AT_END, line, end) ? "element" : undefined;
}

/**
 * @param line the end of the text before a line break
 * @param traits whether a name of a secret, or a program with such options, opened the window
 */
export function continuesOnNextLine(
  line: string,
  traits: { readonly isNamed: boolean; readonly isCommand: boolean },
): Continuation | undefined {
  const end = endOf(line);
  if ((traits.isCommand || traits.isNamed) && line[end - 1] === "\\") return { lines: 1, length: 500 };
  if (!traits.isNamed) return undefined;
  const kind = belowKind(line);
  if (kind === "block") return { lines: MAX_BLOCK_LINES, length: 600 };
  if (kind !== undefined) return { lines: 2, length: 300 };
  if (!MAY_BE_PAIR.test(line)) return undefined;
  const isPair = endsWith(PAIR_AT_END, line, end) || endsWith(TAGGED_AT_END, line, end);
  return isPair ? { lines: 1, length: 300 } : undefined;
}
