// SQL checks: one select of the server's statistics, with labels of the alert as bound parameters.

import { parse } from "pgsql-ast-parser";
import { z } from "zod";
import type { CheckLanguageSupport, Prepared, QueryProblem } from "../scope/check-language.ts";
import { type Node, sqlNodesOf } from "./nodes.ts";
import { type SqlToken, tokenizeSql } from "./tokens.ts";
import { treeProblems } from "./tree.ts";

/** Of a label's value; longer ones are no name of anything on a server. */
const MAX_VALUE_LENGTH = 1_000;

export const sql: CheckLanguageSupport = { validate, prepare };

function validate(query: string): QueryProblem[] {
  const result = tokenizeSql(query);
  if (!result.ok) return [result.problem];
  const parameters = [...new Set(labelsIn(result.tokens))];
  const text = render(result.tokens, ({ text: label }) => bound(parameters, label));
  const statements = parsed(text);
  if ("message" in statements) return [statements];
  const [statement, ...others] = statements.nodes;
  if (statement === undefined) return [{ line: 1, message: "The query is empty." }];
  if (others.length > 0) return [{ line: 1, message: "A check is one statement." }];
  const problems = treeProblems(statement).map(({ offset, message }) => ({ line: lineAt(text, offset), message }));
  return problems.filter(
    ({ line, message }, index) =>
      problems.findIndex((each) => each.line === line && each.message === message) === index,
  );
}

function prepare(query: string, { labels, match }: Parameters<CheckLanguageSupport["prepare"]>[1]): Prepared {
  const result = tokenizeSql(query);
  if (!result.ok) return { ok: false, reason: result.problem.message };
  const wanted = [...new Set(labelsIn(result.tokens))];
  const required = (match ?? []).filter((name) => !name.endsWith("?"));
  const optional = (match ?? []).filter((name) => name.endsWith("?")).map((name) => name.slice(0, -1));
  const unused = [...required, ...optional].find((name) => !wanted.includes(name));
  if (unused !== undefined) return refused(`match names the label ${unused}, but the query has no :${unused}.`);
  const labelValue = (name: string) => (Object.hasOwn(labels, name) && labels[name] !== "" ? labels[name] : undefined);
  const missing = wanted.find((name) => labelValue(name) === undefined && !optional.includes(name));
  if (missing !== undefined) return refused(`The alert has no label ${missing}.`);
  const present = wanted.filter((name) => labelValue(name) !== undefined);
  const parameters = present.map((name) => labelValue(name) ?? "");
  const unusable = present.find((_, index) => isUnusable(parameters[index] ?? ""));
  if (unusable !== undefined) return refused(`The value of the label ${unusable} is not a name.`);
  const text = render(result.tokens, ({ text: label }) => bound(present, label));
  const shown = render(result.tokens, ({ text: label }) => literal(labelValue(label)));
  return { ok: true, value: { query: { language: "sql", text, parameters }, shown } };
}

function refused(reason: string): Prepared {
  return { ok: false, reason };
}

function isUnusable(value: string): boolean {
  return value.includes("\0") || value.length > MAX_VALUE_LENGTH;
}

function labelsIn(tokens: readonly SqlToken[]): string[] {
  return tokens.flatMap(({ kind, text }) => (kind === "parameter" ? text : []));
}

/** The query as the server gets it: without comments, on the same lines. */
function render(tokens: readonly SqlToken[], parameter: (token: SqlToken) => string): string {
  return tokens.map((token) => (token.kind === "parameter" ? parameter(token) : token.text)).join("");
}

/** A parameter is a text whatever stands beside it; a label that the alert lacks is null. */
function bound(names: readonly string[], label: string): string {
  const index = names.indexOf(label);
  return index < 0 ? "(null::text)" : `($${index + 1}::text)`;
}

/** For people; the server never gets it. */
function literal(value: string | undefined): string {
  return value === undefined ? "null" : `'${value.replaceAll("'", "''")}'`;
}

const locationSchema = z.object({ message: z.string(), token: z.object({ line: z.number() }).optional() });

/** The statements of a text, or the parser's complaint. */
function parsed(text: string): { readonly nodes: Node[] } | QueryProblem {
  try {
    const statements: unknown = parse(text, { locationTracking: true });
    return { nodes: sqlNodesOf(statements) };
  } catch (error) {
    const { message, token } = locationSchema.parse({ message: String(error), token: tokenOf(error) });
    return { line: token?.line ?? lineInMessage(message), message: explained(message) };
  }
}

function tokenOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "token" in error ? error.token : undefined;
}

function lineInMessage(message: string): number {
  return Number(/\bline (\d{1,9})\b/.exec(message)?.[1] ?? 1);
}

function explained(message: string): string {
  if (message.includes("Unexpected end of input")) return "The query is not complete.";
  const place = /\bcol (\d{1,9})\b/.exec(message)?.[1];
  return `The query cannot be parsed${place ? ` at column ${place}` : ""}: a check may use a part of SQL only.`;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
