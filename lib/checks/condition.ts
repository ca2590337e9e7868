// Conditions of checks: `any > 0.9`, `all < 70%`, `count >= 3`, `any .status.phase = "Failed"`. Pure functions.

import type { CheckLanguage } from "./check.ts";
import { type FieldPath, readFieldPath } from "./field-path.ts";

export type Operator = ">" | ">=" | "<" | "<=" | "=" | "!=";

export type Field =
  /** A column, or a label. */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "path"; readonly path: FieldPath; readonly text: string };

export type Condition =
  | {
      readonly quantifier: "any" | "all";
      /** Null for the value itself. */
      readonly field: Field | null;
      readonly operator: Operator;
      readonly value: number | string | boolean;
    }
  | { readonly quantifier: "count"; readonly operator: Operator; readonly value: number };

export type ReadCondition =
  /** `rest` follows the condition, without blanks at its beginning. */
  | { readonly ok: true; readonly condition: Condition; readonly text: string; readonly rest: string }
  | { readonly ok: false; readonly message: string };

export const MAX_CONDITION_CHARS = 500;
const QUANTIFIER = /^(any|all|count)(?![\w.-])/i;
const QUOTED = /^(?:"([^"]{0,200})"|'([^'`]{0,200})')/;
const BARE_NAME = /^[A-Za-z_]\w{0,100}/;
const OPERATOR = /^(?:>=|<=|!=|==|=|>|<)/;
const NUMBER = /^[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:e[+-]?\d{1,3})?/i;
const UNIT = /^(?:%|[A-Za-z]+)/;
const BOOLEAN = /^(true|false)(?![\w.-])/i;

const KIB = 1024;
/** Bytes, counts and seconds. `m` is a minute, `M` a million. */
export const UNITS: ReadonlyMap<string, number> = new Map([
  ["%", 0.01],
  ["k", 1e3],
  ["M", 1e6],
  ["G", 1e9],
  ["T", 1e12],
  ["Ki", KIB],
  ["Mi", KIB ** 2],
  ["Gi", KIB ** 3],
  ["Ti", KIB ** 4],
  ["ms", 0.001],
  ["s", 1],
  ["m", 60],
  ["h", 3_600],
  ["d", 86_400],
]);

/** Reads a condition at the beginning of a text. */
export function readCondition(text: string): ReadCondition {
  const input = text.trim().slice(0, MAX_CONDITION_CHARS);
  const quantifier = QUANTIFIER.exec(input)?.[1]?.toLowerCase();
  if (quantifier !== "any" && quantifier !== "all" && quantifier !== "count")
    return fail('begins with "any", "all" or "count", such as `any > 0.9`');
  let rest = input.slice(quantifier.length).trimStart();
  let field: Field | null = null;
  if (quantifier !== "count") {
    const read = readField(rest);
    if (read === null)
      return fail("has a path that cannot be read: write it as `.status.conditions[type=Ready].status`");
    ({ field, rest } = read);
  }
  const sign = OPERATOR.exec(rest)?.[0];
  if (sign === undefined) return fail(`needs one of > >= < <= = != after ${quote(input, rest)}`);
  const operator = sign === "==" ? "=" : (sign as Operator);
  const value = readValue(rest.slice(sign.length).trimStart());
  if (typeof value === "string") return fail(value);
  const read = { text: input.slice(0, input.length - value.rest.length).trimEnd(), rest: value.rest.trimStart() };
  if (typeof value.value === "number") {
    const condition = { operator, value: value.value };
    return quantifier === "count"
      ? { ok: true, condition: { quantifier, ...condition }, ...read }
      : { ok: true, condition: { quantifier, field, ...condition }, ...read };
  }
  if (quantifier === "count") return fail("compares a count with a number, such as `count > 3`");
  if (operator !== "=" && operator !== "!=")
    return fail(`compares a text or a truth value with = or !=, not with ${sign}`);
  return { ok: true, condition: { quantifier, field, operator, value: value.value }, ...read };
}

/** The condition of a text that holds nothing else. */
export function parseCondition(text: string): ReadCondition {
  const read = readCondition(text);
  return read.ok && read.rest !== "" ? fail(`ends after \`${read.text}\`; remove ${quote(read.rest, "")}`) : read;
}

/** Why a condition does not fit the results of a language; null if it may. */
export function misfit(condition: Condition, language: CheckLanguage): string | null {
  if (condition.quantifier === "count") return null;
  const kind = condition.field?.kind;
  if (language === "k8s" && kind !== "path")
    return 'the condition needs a path into the object, such as `any .status.phase = "Failed"`, or `count`.';
  if (language !== "k8s" && kind === "path")
    return "the condition has a path, and only objects have paths. Name a column or a label.";
  if (kind === undefined && language !== "sql" && typeof condition.value !== "number")
    return "the condition compares a value with text. Name a label, or compare with a number.";
  return null;
}

/** Whether a count can satisfy the condition: an empty result satisfies none. */
export function mayHold(condition: Condition): boolean {
  if (condition.quantifier !== "count") return true;
  const near = Math.floor(condition.value);
  return [1, near - 1, near, near + 1].some((count) => count >= 1 && holdsForNumber(count, condition));
}

/** Whether a comparison with a number holds. NaN and infinite values satisfy none. */
export function holdsForNumber(
  actual: number,
  { operator, value }: { readonly operator: Operator; readonly value: number },
): boolean {
  if (!Number.isFinite(actual)) return false;
  switch (operator) {
    case ">":
      return actual > value;
    case ">=":
      return actual >= value;
    case "<":
      return actual < value;
    case "<=":
      return actual <= value;
    case "=":
      return actual === value;
    case "!=":
      return actual !== value;
  }
}

function readField(text: string): { readonly field: Field | null; readonly rest: string } | null {
  if (/^[.[]/.test(text)) {
    const read = readFieldPath(text);
    if (read === null) return null;
    const path = text.slice(0, read.length);
    return { field: { kind: "path", path: read.path, text: path }, rest: text.slice(read.length).trimStart() };
  }
  const quoted = QUOTED.exec(text);
  const name = quoted ? (quoted[1] ?? quoted[2] ?? "") : BARE_NAME.exec(text)?.[0];
  if (name === undefined) return { field: null, rest: text };
  return { field: { kind: "name", name }, rest: text.slice(quoted ? quoted[0].length : name.length).trimStart() };
}

/** The value and what follows it; a message for none. */
function readValue(text: string): { readonly value: number | string | boolean; readonly rest: string } | string {
  const quoted = QUOTED.exec(text);
  if (quoted) return { value: quoted[1] ?? quoted[2] ?? "", rest: text.slice(quoted[0].length) };
  const boolean = BOOLEAN.exec(text)?.[0];
  if (boolean !== undefined) return { value: boolean.toLowerCase() === "true", rest: text.slice(boolean.length) };
  const number = NUMBER.exec(text)?.[0];
  if (number === undefined)
    return text === ""
      ? "needs a value at its end"
      : `has ${quote(text, "")}, which is no number. Put a text in quotes`;
  const rest = text.slice(number.length);
  const unit = UNIT.exec(rest)?.[0] ?? "";
  const factor = unit === "" ? 1 : UNITS.get(unit);
  if (factor === undefined) return `has the unit "${unit}". Units are ${[...UNITS.keys()].join(" ")}`;
  const value = unit === "%" ? Number(number) / 100 : Number(number) * factor;
  if (!Number.isFinite(value)) return `has ${number}, which is too large for a number`;
  return { value, rest: rest.slice(unit.length) };
}

/** The beginning of a text, up to another text that it ends with. */
function quote(text: string, rest: string): string {
  const start = text.slice(0, text.length - rest.length).trim();
  return `"${start.length > 40 ? `${start.slice(0, 40).toWellFormed()}…` : start}"`;
}

function fail(message: string): ReadCondition {
  return { ok: false, message: `the condition ${message}.` };
}
