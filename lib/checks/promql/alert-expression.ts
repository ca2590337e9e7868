// The expression of an alert for a plot: without its threshold, and for the series of this alert.

import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";
import { QUOTABLE } from "../scope/alert-scope.ts";
import { type Matcher, orMissing } from "../scope/matchers.ts";
import { textOf } from "../scope/syntax-tree.ts";
import { labelsInto } from "./label-flow.ts";
import { addMatchers, validatePromql } from "./promql.ts";
import { operandsOf, typeOf } from "./types.ts";

type Labels = Readonly<Record<string, string>>;

const COMPARISONS = ["Eql", "Neq", "Lss", "Lte", "Gtr", "Gte"];
/** Labels that rules set; a series may have others of the same name. */
const RULE_LABELS = new Set(["alertname", "severity"]);
const MAX_VALUE_CHARS = 256;
const MAX_MATCHERS = 16;

/** Null for an expression that is invalid or without bounds. It comes from the sender of the alert. */
export function alertExpression(expression: string, labels: Labels): string | null {
  if (validatePromql(expression).length > 0) return null;
  const root = parser.parse(expression).topNode.getChild("Expr");
  const measured = root === null ? expression : withoutThreshold(root, expression);
  if (validatePromql(measured).length > 0) return null;
  const matchers = alertMatchers(labels);
  return addMatchers(measured, (selector) => {
    const reaches = labelsInto(selector, measured);
    return matchers.filter(({ label }) => reaches(label)).slice(0, MAX_MATCHERS);
  });
}

/** Whether a series of the result may be of this alert: no label of it differs. */
export function isOfAlert(series: Labels, alert: Labels): boolean {
  return Object.entries(series).every(
    ([label, value]) =>
      RULE_LABELS.has(label) || label === "__name__" || !Object.hasOwn(alert, label) || alert[label] === value,
  );
}

/** A label of the alert may be of its series, or the rule or the server has added it: then no series has it. */
function alertMatchers(labels: Labels): Matcher[] {
  return Object.entries(labels)
    .filter(([label, value]) => QUOTABLE.test(label) && !RULE_LABELS.has(label) && value.length <= MAX_VALUE_CHARS)
    .filter(([, value]) => value !== "")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]) => orMissing(label, value));
}

/** The measured value: of `x > 0.9`, `x > 0.9 and y` and `absent(x)` it is `x`. Both sides of `or` are. */
function withoutThreshold(node: SyntaxNode, text: string): string {
  const [left, right] = operandsOf(node);
  if (left === undefined) return textOf(text, node);
  if (node.name === "ParenExpr") return isThreshold(left) ? withoutThreshold(left, text) : textOf(text, node);
  if (node.name === "FunctionCall" && node.getChild("FunctionIdentifier")?.getChild("Absent"))
    return textOf(text, left);
  if (node.name !== "BinaryExpr" || right === undefined) return textOf(text, node);
  if (node.getChild("Or"))
    return `${withoutThreshold(left, text)}${text.slice(left.to, right.from)}${withoutThreshold(right, text)}`;
  if (node.getChild("And") || node.getChild("Unless")) return withoutThreshold(left, text);
  if (!COMPARISONS.some((name) => node.getChild(name) !== null)) return textOf(text, node);
  return withoutThreshold(typeOf(left, text) === "number" ? right : left, text);
}

/** Whether something can be taken off, so that the parentheses around it have no purpose. */
function isThreshold(node: SyntaxNode): boolean {
  if (node.name === "ParenExpr") return true;
  return node.name === "BinaryExpr" && ["And", "Unless", "Or", ...COMPARISONS].some((name) => node.getChild(name));
}
