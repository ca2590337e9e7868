// Decides whether a command stands in a text. Compares token by token, with placeholders, names and numbers folded. Pure
// functions.

export interface CommandText {
  readonly text: string;
  /** Names of the text's own objects, such as the target of a past incident. */
  readonly names: readonly string[];
}

export interface ReportedNames {
  /** The target and the values of the labels. */
  readonly names: readonly string[];
  /** Whether the report names an object so. */
  includes(name: string): boolean;
}

interface Token {
  readonly text: string;
  /** An operator of a shell, or the end of a line. */
  readonly isOperator: boolean;
}

/** The tokens of code, or of a line of prose, where a command may stand anywhere. */
interface Passage {
  readonly tokens: readonly Token[];
  readonly isCode: boolean;
}

/** Stands for any placeholder. */
const SLOT = "\uE000";
/** `<pod>`, `${POD}`, `$POD` and `{{ pod }}`, but not a template such as `{{.State}}`. */
const PLACEHOLDER =
  /<[\p{L}][^<>\n|&;]{0,60}>|\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*|\{\{-?\s*[A-Za-z_$][\w.$-]*\s*-?\}\}/gu;
const NUMBER = /^\d+(?:\.\d+)?(?:[A-Za-z]{1,3}|%)?$/;
/** A slot, or a number that is no part of a name. */
const FOLDED_PART = /\uE000|(?<![\p{L}\p{N}_.-])\d+(?:\.\d+)?(?:[A-Za-z]{1,3}|%)?(?![\p{L}\p{N}])/gu;
const OPERATOR = /^(?:&&|\|\||[;|\n])/;
const QUOTES = `'"\``;
const CODE = /```[^`\n]*\n([\s\S]*?)(?:```|$)|`([^`\n]+)`/g;
const NAMESPACE_OPTION = /^(?:-n|--namespace)$/;
const NAMESPACE_ASSIGNMENT = /^(?:-n|--namespace)=(.+)$/;
const SEPARATES = new Set(["\n", ";", "&&", "||"]);
/** Before a command: a prompt, or a change of the user. */
const PREFIX = new Set(["$", "sudo"]);

/** Bounds of one comparison, so that no text makes it slow. */
const MAX_COMMAND = 4_000;
const MAX_FOLDED_LENGTH = 80;
const MAX_FOLDED_PARTS = 3;
const MIN_NAME = 3;

/**
 * Whether a text contains the whole command. The order of the tokens counts, except where an option stands. A placeholder or a name of the text stands
 * for a name of the report, and a number for another number, except zero. The command may add the namespace of the report.
 */
export function standsInText(command: string, sources: readonly CommandText[], reported: ReportedNames): boolean {
  if (command.length > MAX_COMMAND) return false;
  const tokens = withoutEnds(tokenise(command));
  if (tokens.length === 0) return true;
  const passages = sources.map((source) => ({ source, passages: passagesOf(source.text) }));
  const stands = (wanted: readonly Token[]) =>
    variantsOf(wanted, reported).some((variant) =>
      passages.some(({ source, passages: read }) =>
        read.some((passage) => containsCommand(passage, variant, { source, reported })),
      ),
    );
  const statements = statementsOf(tokens);
  return stands(tokens) || (statements.length > 1 && statements.every(stands));
}

/** The command as it is, and without the namespace that it adds. */
function variantsOf(tokens: readonly Token[], reported: ReportedNames): Token[][] {
  const isOwn = (name = "") => name === SLOT || reported.includes(name);
  const kept = tokens.filter(({ text }, i) => {
    const isName = NAMESPACE_OPTION.test(text) && isOwn(tokens[i + 1]?.text);
    const isValue = NAMESPACE_OPTION.test(tokens[i - 1]?.text ?? "") && isOwn(text);
    return !isName && !isValue && !isOwn(NAMESPACE_ASSIGNMENT.exec(text)?.[1]);
  });
  return kept.length === tokens.length ? [[...tokens]] : [[...tokens], kept];
}

interface Names {
  readonly source: CommandText;
  readonly reported: ReportedNames;
}

function containsCommand({ tokens, isCode }: Passage, command: readonly Token[], names: Names): boolean {
  // One word of prose, such as "reboot", is no command.
  if (!isCode && command.length < 2) return false;
  for (let start = 0; start + command.length <= tokens.length; start += 1) {
    const end = start + command.length;
    if (isCode && !(startsStatement(tokens, start) && endsStatement(tokens[end]))) continue;
    // A command that goes on with another option is another command.
    if (!isCode && (tokens[end]?.text ?? "").startsWith("-")) continue;
    const window = tokens.slice(start, end);
    if (window[0]?.text !== command[0]?.text) continue;
    if (isSameCommand(command, window, names)) return true;
    if (isSameCommand(withOptionsLast(command), withOptionsLast(window), names)) return true;
  }
  return false;
}

function isSameCommand(command: readonly Token[], window: readonly Token[], names: Names): boolean {
  return command.every((token, i) => isSameToken(token, window, i, names));
}

/** The operands in order, then the options with their values, by name. A pipeline stays as it is. */
function withOptionsLast(tokens: readonly Token[]): readonly Token[] {
  if (tokens.some(({ isOperator }) => isOperator)) return tokens;
  const operands: Token[] = [];
  const options: Token[][] = [];
  tokens.forEach((token, i) => {
    const before = tokens[i - 1];
    if (isOption(token)) options.push([token]);
    else if (before && isOption(before) && !before.text.includes("=")) options.at(-1)?.push(token);
    else operands.push(token);
  });
  const nameOf = ([option]: readonly Token[]) => option?.text ?? "";
  const sorted = options.toSorted((a, b) => Number(nameOf(a) > nameOf(b)) - Number(nameOf(a) < nameOf(b)));
  return [...operands, ...sorted.flat()];
}

function isOption({ text }: Token): boolean {
  return /^--?[A-Za-z]/.test(text);
}

function startsStatement(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined || (before.isOperator && SEPARATES.has(before.text))) return true;
  return PREFIX.has(before.text) && startsStatement(tokens, at - 1);
}

function endsStatement(next: Token | undefined): boolean {
  return next === undefined || next.isOperator || next.text.startsWith("#");
}

function isSameToken(token: Token, window: readonly Token[], at: number, { source, reported }: Names): boolean {
  const inSource = window[at];
  if (inSource === undefined || token.isOperator !== inSource.isOperator) return false;
  if (token.text === inSource.text) return true;
  if (token.isOperator || at === 0 || token.text.length > MAX_FOLDED_LENGTH) return false;
  const isNamespace = NAMESPACE_OPTION.test(window[at - 1]?.text ?? "") && !NUMBER.test(inSource.text);
  const folded = foldToken(isNamespace ? SLOT : inSource.text, [...source.names, ...reported.names]);
  if (folded === undefined) return false;
  const values = folded.pattern.exec(token.text)?.slice(1);
  return values?.every((value, i) => standsFor(folded.parts[i] ?? SLOT, value, reported)) ?? false;
}

/** A pattern of a token with a group for each part that may differ; undefined if no part or too many parts may. */
function foldToken(text: string, names: readonly string[]): { pattern: RegExp; parts: string[] } | undefined {
  if (text.length > MAX_FOLDED_LENGTH) return undefined;
  const unnamed = names
    .filter((name) => name.length >= MIN_NAME)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, name) => replaceName(rest, name), text);
  const parts = unnamed.match(FOLDED_PART) ?? [];
  if (parts.length === 0 || parts.length > MAX_FOLDED_PARTS) return undefined;
  const literals = unnamed.split(FOLDED_PART).map((part) => part.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return { pattern: new RegExp(`^${literals.join("(\\S+)")}$`), parts };
}

/** Puts a slot in the place of a name that is no part of a longer one. */
function replaceName(text: string, name: string): string {
  const at = indexOfName(text, name);
  return at === -1 ? text : text.slice(0, at) + SLOT + replaceName(text.slice(at + name.length), name);
}

/** The place of a name that is no part of a longer one; -1 without it. */
export function indexOfName(text: string, name: string): number {
  const isPart = (character = "") => /[\p{L}\p{N}_-]/u.test(character);
  let at = name === "" ? -1 : text.indexOf(name);
  while (at !== -1 && (isPart(text[at - 1]) || isPart(text[at + name.length]))) at = text.indexOf(name, at + 1);
  return at;
}

/** Whether a value of the command may stand where the source has a slot or a number. */
function standsFor(part: string, value: string, reported: ReportedNames): boolean {
  if (value === SLOT) return true;
  // Zero often means none or unlimited, so it stands for itself alone.
  if (NUMBER.test(value)) return Number.parseFloat(value) !== 0 && (part === SLOT || Number.parseFloat(part) !== 0);
  return part === SLOT && reported.includes(value);
}

function passagesOf(text: string): Passage[] {
  const code: Passage[] = [];
  const prose = text.replace(CODE, (_, fenced?: string, span?: string) => {
    code.push({ tokens: tokenise(fenced ?? span ?? ""), isCode: true });
    return "\n";
  });
  const lines = prose.split("\n").map((line): Passage => {
    const tokens = tokenise(line).map((token) => ({
      ...token,
      text: token.text.replace(/(?<=[^.,:)\]])[.,:)\]]+$/, ""),
    }));
    return { tokens, isCode: false };
  });
  return [...code, ...lines];
}

/** Words, operators and ends of lines. Quotation marks are dropped; a quoted text with blanks is one token. */
function tokenise(text: string): Token[] {
  const input = text
    .replaceAll(SLOT, "")
    .replace(/\\\r?\n/g, " ")
    .replace(PLACEHOLDER, SLOT);
  const tokens: Token[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) tokens.push({ text: word, isOperator: false });
    word = undefined;
  };
  for (let at = 0; at < input.length; ) {
    const operator = OPERATOR.exec(input.slice(at, at + 2))?.[0];
    const character = input[at] ?? "";
    const closing = QUOTES.includes(character) ? closingQuote(input, at) : -1;
    if (closing !== -1) {
      word = (word ?? "") + input.slice(at + 1, closing).replace(/\s+/g, " ");
      at = closing + 1;
    } else if (operator !== undefined) {
      endWord();
      tokens.push({ text: operator, isOperator: true });
      at += operator.length;
    } else {
      if (/\s/.test(character)) endWord();
      else if (!QUOTES.includes(character)) word = (word ?? "") + character;
      at += 1;
    }
  }
  endWord();
  return tokens;
}

/** The place of the closing quotation mark; -1 for an apostrophe within a word. */
function closingQuote(text: string, at: number): number {
  return /[\p{L}\p{N}]/u.test(text[at - 1] ?? "") ? -1 : text.indexOf(text[at] ?? "", at + 1);
}

/** Without prompts and separators around the command. */
function withoutEnds(tokens: readonly Token[]): Token[] {
  const isOuter = (token: Token) => (token.isOperator ? token.text !== "|" : false);
  const first = tokens.findIndex((token) => !isOuter(token) && !PREFIX.has(token.text));
  const last = tokens.findLastIndex((token) => !isOuter(token));
  return first === -1 ? [] : tokens.slice(first, last + 1);
}

function statementsOf(tokens: readonly Token[]): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokens) {
    if (token.isOperator && token.text !== "|" && token.text !== "||") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.map(withoutEnds).filter((statement) => statement.length > 0);
}
