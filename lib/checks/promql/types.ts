// Types of PromQL expressions: finds a query that every server would refuse, such as a rate of an instant vector.

import type { SyntaxNode } from "@lezer/common";
import type { QueryProblem } from "../scope/check-language.ts";
import { childrenOf, lineAt, textOf } from "../scope/syntax-tree.ts";

export type ExpressionType = "number" | "text" | "vector" | "range";

const RANGE_FUNCTIONS = new Set([
  ...["rate", "irate", "increase", "delta", "idelta", "deriv", "predict_linear", "changes", "resets"],
  "double_exponential_smoothing",
]);
const NUMBER_FUNCTIONS = new Set(["time", "pi", "scalar", "start", "end", "range", "step"]);
/** These return the expression in another form. */
const TRANSPARENT = new Set([
  "ParenExpr",
  "UnaryExpr",
  "OffsetExpr",
  "StepInvariantExpr",
  "AnchoredExpr",
  "SmoothedExpr",
]);
const EXPRESSIONS = new Set([
  ...["AggregateExpr", "BinaryExpr", "FunctionCall", "MatrixSelector", "NumberDurationLiteral", "StringLiteral"],
  ...["SubqueryExpr", "VectorSelector", ...TRANSPARENT],
]);

/** The expressions directly below a node, through the parentheses of calls. */
export function operandsOf(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).flatMap((child) => {
    if (child.name === "FunctionCallBody") return operandsOf(child);
    return EXPRESSIONS.has(child.name) ? [child] : [];
  });
}

export function typeOf(node: SyntaxNode, text: string): ExpressionType {
  if (node.name === "NumberDurationLiteral") return "number";
  if (node.name === "StringLiteral") return "text";
  if (node.name === "MatrixSelector" || node.name === "SubqueryExpr") return "range";
  if (node.name === "FunctionCall") return NUMBER_FUNCTIONS.has(functionName(node, text)) ? "number" : "vector";
  const operands = operandsOf(node);
  if (node.name === "BinaryExpr")
    return operands.every((operand) => typeOf(operand, text) === "number") ? "number" : "vector";
  const [operand] = operands;
  return TRANSPARENT.has(node.name) && operand !== undefined ? typeOf(operand, text) : "vector";
}

/** Problems of the whole query and of its calls. */
export function typeProblems(root: SyntaxNode, text: string): QueryProblem[] {
  const problems: QueryProblem[] = [];
  const add = (node: SyntaxNode, message: string) => problems.push({ line: lineAt(text, node.from), message });
  const type = typeOf(root, text);
  if (type === "range") add(root, "The query returns a range of values. Apply a function to it, such as `rate(…)`.");
  if (type === "text") add(root, "The query is a text, which has no value.");
  const visit = (node: SyntaxNode) => {
    const message = problemOf(node, text);
    if (message !== null) add(node, message);
    for (const child of operandsOf(node)) visit(child);
  };
  visit(root);
  return problems;
}

function problemOf(node: SyntaxNode, text: string): string | null {
  const types = operandsOf(node).map((operand) => typeOf(operand, text));
  const ranges = types.filter((type) => type === "range").length;
  if (node.name === "FunctionCall") {
    const name = functionName(node, text);
    const needsRange = RANGE_FUNCTIONS.has(name) || name.endsWith("_over_time");
    if (needsRange && ranges !== 1) return `\`${name}\` needs a range, such as \`${name}(x[5m])\`.`;
    if (!needsRange && ranges > 0) return `\`${name}\` takes no range of values.`;
  }
  if (["AggregateExpr", "BinaryExpr", "UnaryExpr"].includes(node.name) && ranges > 0)
    return "A range of values needs a function such as `rate(…)` before it is combined.";
  if (node.name === "AggregateExpr" && !types.includes("vector")) return "An aggregation needs a vector.";
  if (node.name === "MatrixSelector" && operandsOf(node)[0]?.name !== "VectorSelector")
    return "A range such as `[5m]` follows a selector; over an expression write a subquery, such as `[5m:1m]`.";
  if (node.name === "SubqueryExpr" && types[0] !== "vector" && types[0] !== "number")
    return "A subquery needs a vector.";
  return null;
}

function functionName(node: SyntaxNode, text: string): string {
  const identifier = node.getChild("FunctionIdentifier");
  return identifier === null ? "" : textOf(text, identifier);
}
