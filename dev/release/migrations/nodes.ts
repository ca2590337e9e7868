// Reading of syntax trees: names, types and expressions.

import type { FunctionParameter, Node, TypeName } from "libpg-query";

/** The last part of a qualified name: every object is in `public`. */
export function lastName(names: readonly Node[] | undefined): string {
  const last = names?.at(-1);
  return last !== undefined && "String" in last ? (last.String.sval ?? "") : "";
}

/** The name of an object in `drop`, whose form depends on its kind. */
export function objectName(node: Node): string {
  if ("List" in node) return lastName(node.List.items);
  if ("TypeName" in node) return lastName(node.TypeName.names);
  if ("ObjectWithArgs" in node) return lastName(node.ObjectWithArgs.objname);
  return "String" in node ? (node.String.sval ?? "") : "";
}

/** Equal for equal types and expressions, wherever they stand. */
export function textOf(node: unknown): string {
  return JSON.stringify(node, (key, value: unknown) => (key === "location" ? undefined : value));
}

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly hasDefault: boolean;
}

export interface Signature {
  readonly inputs: readonly Parameter[];
  /** Columns of `returns table`, and `out` parameters. */
  readonly outputs: readonly Parameter[];
  readonly returns: string;
}

export function signatureOf(parameters: readonly Node[] | undefined, returnType: TypeName | undefined): Signature {
  const all = (parameters ?? []).flatMap((node) => ("FunctionParameter" in node ? [node.FunctionParameter] : []));
  const isOutput = ({ mode }: FunctionParameter) => mode === "FUNC_PARAM_TABLE" || mode === "FUNC_PARAM_OUT";
  const outputs = all.filter(isOutput).map(parameterOf);
  const inputs = all.filter((parameter) => !isOutput(parameter)).map(parameterOf);
  return { inputs, outputs, returns: outputs.length > 0 ? "table" : textOf(returnType) };
}

function parameterOf({ name = "", argType, defexpr }: FunctionParameter): Parameter {
  return { name, type: textOf(argType), hasDefault: defexpr !== undefined };
}

/** Functions whose value is the same for all rows of a statement, so that a default needs no rewrite of the table. */
const STABLE = new Set(["now", "transaction_timestamp", "statement_timestamp"]);

/** Whether a default is computed for each row. */
export function isVolatile(expression: unknown): boolean {
  const names = [...textOf(expression).matchAll(/"funcname":\[(.*?)\]/g)].map(([, list = ""]) => list);
  return names.some((list) => !STABLE.has(/"sval":"(\w+)"\}\}$/.exec(list)?.[1] ?? ""));
}

/**
 * Whether a check certainly accepts everything that the former one accepts: it is the same, but for more values in its
 * lists and more alternatives. Only below `and` and `or`: below `not` and `=`, more values may accept less.
 */
export function isWider(former: Node, current: Node): boolean {
  if (textOf(former) === textOf(current)) return true;
  const [olds, news] = [listed(former), listed(current)];
  if (olds !== null && news !== null)
    return olds.subject === news.subject && olds.values.every((value) => news.values.includes(value));
  if (!("BoolExpr" in former && "BoolExpr" in current) || former.BoolExpr.boolop !== current.BoolExpr.boolop)
    return false;
  const [before, after] = [former.BoolExpr.args ?? [], current.BoolExpr.args ?? []];
  if (former.BoolExpr.boolop === "OR_EXPR") return before.every((old) => after.some((now) => isWider(old, now)));
  // Each condition that remains must follow from a former one.
  return former.BoolExpr.boolop === "AND_EXPR" && after.every((now) => before.some((old) => isWider(old, now)));
}

/** `x in ('a', 'b')` and `x = 'a'`. */
function listed(node: Node): { readonly subject: string; readonly values: readonly string[] } | null {
  if (!("A_Expr" in node)) return null;
  const { kind, name, lexpr, rexpr } = node.A_Expr;
  if (rexpr === undefined || lastName(name) !== "=") return null;
  if (kind === "AEXPR_IN" && "List" in rexpr)
    return { subject: textOf(lexpr), values: (rexpr.List.items ?? []).map(textOf) };
  return kind === "AEXPR_OP" && "A_Const" in rexpr ? { subject: textOf(lexpr), values: [textOf(rexpr)] } : null;
}

/** Texts that only one of the two expressions names. */
export function differingTexts(former: Node | undefined, current: Node): string[] {
  const [olds, news] = [textsIn(former), textsIn(current)];
  return [...olds.filter((text) => !news.includes(text)), ...news.filter((text) => !olds.includes(text))];
}

function textsIn(node: Node | undefined): string[] {
  return [...textOf(node ?? {}).matchAll(/"A_Const":\{"sval":\{"sval":"(\w+)"/g)].map(([, text = ""]) => text);
}
