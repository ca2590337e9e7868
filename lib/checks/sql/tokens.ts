// Tokens of a query, in a form of SQL so narrow that the parser and the server cannot read it in two ways.
//
// Escapes in strings and names, dollar quotes, nested comments and custom operators are refused here: a parser that reads one of
// them otherwise than the server would check another query than the one that runs.

import type { QueryProblem } from "../scope/check-language.ts";
import { FUNCTIONS, KEYWORDS_BEFORE_BRACKET, OPERATORS } from "./functions.ts";

export interface SqlToken {
  readonly kind: "space" | "word" | "name" | "string" | "number" | "operator" | "punctuation" | "parameter";
  /** As written; of a parameter, the name of its label; of a comment, its line breaks or a space. */
  readonly text: string;
  readonly line: number;
}

export const MAX_SQL_CHARS = 4_000;
/** Parsing them takes a quarter of a second at most. */
export const MAX_TOKENS = 600;
const MAX_DEPTH = 20;

/** Each matches at the beginning of what is left. */
const PATTERNS: readonly (readonly [kind: SqlToken["kind"], pattern: RegExp])[] = [
  ["space", /^[ \t\r\n]+/],
  ["space", /^--[^\r\n]*/],
  ["word", /^[A-Za-z_][A-Za-z0-9_]*/],
  ["name", /^"[A-Za-z0-9_ %()./-]{1,63}"/],
  ["string", /^'(?:[^'\\]|'')*'/],
  ["number", /^(?:\d+(?:\.\d+)?|\.\d+)/],
  ["punctuation", /^(?:::|[()[\],.;])/],
  ["parameter", /^:[A-Za-z_][A-Za-z0-9_]*/],
  ["operator", /^[+*/<>=~!@#%^&|?-]+/],
];

export type Tokens =
  | { readonly ok: true; readonly tokens: readonly SqlToken[] }
  | { readonly ok: false; readonly problem: QueryProblem };

/** Splits a query into tokens; a semicolon at its end is left out. */
export function tokenizeSql(query: string): Tokens {
  if (query.length > MAX_SQL_CHARS) return problem(1, `The query is longer than ${MAX_SQL_CHARS} characters.`);
  const tokens: SqlToken[] = [];
  let line = 1;
  for (let rest = query; rest !== ""; ) {
    const token = nextToken(rest, line);
    if (typeof token === "string") return problem(line, token);
    const issue = neighbourProblem(tokens.at(-1), token);
    if (issue) return problem(line, issue);
    rest = rest.slice(token.text.length);
    const lines = token.text.split("\n").length - 1;
    tokens.push(tidied(token, lines));
    line += lines;
  }
  while (tokens.at(-1)?.kind === "space" || tokens.at(-1)?.text === ";") tokens.pop();
  const issue = structureProblem(tokens);
  return issue ? { ok: false, problem: issue } : { ok: true, tokens };
}

function problem(line: number, message: string): Tokens {
  return { ok: false, problem: { line, message } };
}

/** The token at the beginning of the text, or why there is none. */
function nextToken(rest: string, line: number): SqlToken | string {
  if (rest.startsWith("/*")) {
    const end = rest.indexOf("*/", 2);
    const text = rest.slice(0, end + 2);
    if (end < 0) return "The comment has no end.";
    return text.lastIndexOf("/*") > 0 ? "A comment may not contain /*." : { kind: "space", text, line };
  }
  for (const [kind, pattern] of PATTERNS) {
    const text = pattern.exec(rest)?.[0];
    if (text === undefined) continue;
    return kind === "operator" ? operatorToken(text, line) : { kind, text, line };
  }
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  if (character === "'") return "A string has no end, or it contains a backslash.";
  if (character === '"') return "A name in double quotes may contain letters, digits, spaces and _ % ( ) . / - only.";
  if (character === "$") return "$ is refused: write :label for a label of the alert, and '…' for a string.";
  return `The character ${JSON.stringify(character)} is refused outside of strings.`;
}

function operatorToken(text: string, line: number): SqlToken | string {
  // A comment may follow an operator without a space.
  const comment = text.search(/--|\/\*/);
  const operator = comment > 0 ? text.slice(0, comment) : text;
  if (!OPERATORS.has(operator)) return `The operator ${operator} is refused, or a space is missing in it.`;
  return { kind: "operator", text: operator, line };
}

/** E'…', U&"…" and 1e3 are one token for the server and two for the parser. */
function neighbourProblem(previous: SqlToken | undefined, token: SqlToken): string | undefined {
  if (previous === undefined || previous.kind === "space" || token.kind === "space") return undefined;
  const ends = `${previous.text} and ${token.text.slice(0, 20)}`;
  const isText = ({ kind }: SqlToken) => ["word", "name", "string", "number", "parameter"].includes(kind);
  return isText(previous) && isText(token) ? `Put a space between ${ends}.` : undefined;
}

function tidied(token: SqlToken, lines: number): SqlToken {
  if (token.text.startsWith("--")) return { ...token, text: "" };
  if (token.text.startsWith("/*")) return { ...token, text: "\n".repeat(lines) || " " };
  if (token.kind === "parameter") return { ...token, text: token.text.slice(1) };
  return token;
}

/** Problems that need no grammar: several statements, deep nesting, calls. */
function structureProblem(all: readonly SqlToken[]): QueryProblem | undefined {
  const tokens = all.filter(({ kind }) => kind !== "space");
  if (tokens.length > MAX_TOKENS) return { line: 1, message: `The query has more than ${MAX_TOKENS} words and signs.` };
  let depth = 0;
  for (const [index, { kind, text, line }] of tokens.entries()) {
    if (text === ";") return { line, message: "A check is one statement; remove the semicolon." };
    if (text === "(" || text === "[") depth += 1;
    if (text === ")" || text === "]") depth -= 1;
    if (depth > MAX_DEPTH) return { line, message: `More than ${MAX_DEPTH} nested brackets.` };
    if (tokens[index + 1]?.text !== "(") continue;
    if (kind === "name") return { line, message: `Write the function ${text} without quotes.` };
    if (kind === "word" && !mayPrecedeBracket(text.toLowerCase(), tokens[index - 1])) {
      return { line, message: `Checks may not call ${text}(). ${ALLOWED_CALLS}` };
    }
  }
  return undefined;
}

export const ALLOWED_CALLS =
  "Allowed are aggregates, functions of numbers, texts and times, and functions of the server without side effects.";

/** Also the alias of a subquery with names of its columns, as in `(…) as a(b)`. */
function mayPrecedeBracket(word: string, previous: SqlToken | undefined): boolean {
  const isAlias = previous?.text === ")" || previous?.text.toLowerCase() === "as";
  return FUNCTIONS.has(word) || KEYWORDS_BEFORE_BRACKET.has(word) || (isAlias && !word.startsWith("pg_"));
}
