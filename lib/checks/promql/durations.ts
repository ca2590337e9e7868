// Bounds of ranges and subqueries in PromQL.

import type { SyntaxNode, Tree } from "@lezer/common";
import type { QueryProblem } from "../scope/check-language.ts";
import { lineAt, nodesOf, textOf } from "../scope/syntax-tree.ts";

const SECONDS: Readonly<Record<string, number>> = {
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};
/** More samples than any alert is about. */
const MAX_RANGE_S = 31 * 86_400;
/** Evaluations of an inner expression, as many as servers allow for the points of a series. */
const MAX_EVALUATIONS = 11_000;
/** The usual interval of servers for a subquery without a step. */
const DEFAULT_STEP_S = 60;

/** Problems of ranges that are too long, of no certain length, or evaluated too often. */
export function durationProblems(tree: Tree, text: string): QueryProblem[] {
  return nodesOf(tree, "MatrixSelector", "SubqueryExpr").flatMap((node) => {
    const message = problemOf(node, text);
    return message === null ? [] : [{ line: lineAt(text, node.from), message }];
  });
}

function problemOf(node: SyntaxNode, text: string): string | null {
  const range = rangeOf(node, text);
  if (range === null) return "Write the range as a plain duration, such as `[5m]` or `[1h:1m]`.";
  if (range > MAX_RANGE_S) return "The range is longer than 31 days.";
  const evaluations = node.name === "SubqueryExpr" ? evaluationsOf(node, text) : 1;
  return evaluations > MAX_EVALUATIONS
    ? `The subquery evaluates its expression ${Math.round(evaluations)} times: shorten its range or lengthen its step.`
    : null;
}

function rangeOf(node: SyntaxNode, text: string): number | null {
  const seconds = node.getChildren("DurationExpr").map((duration) => secondsOf(textOf(text, duration)));
  return seconds.every((each) => each !== null && each > 0) ? (seconds[0] ?? null) : null;
}

/** Including those of the subqueries around it. */
function evaluationsOf(node: SyntaxNode, text: string): number {
  let count = 1;
  for (let each: SyntaxNode | null = node; each !== null; each = each.parent) {
    if (each.name !== "SubqueryExpr") continue;
    const [range, step] = each.getChildren("DurationExpr").map((duration) => secondsOf(textOf(text, duration)));
    count *= Math.max(1, (range ?? Number.POSITIVE_INFINITY) / (step ?? DEFAULT_STEP_S));
  }
  return count;
}

/** `1h30m`, or a number of seconds. Null for an expression. */
function secondsOf(duration: string): number | null {
  const plain = duration.trim();
  if (/^\d{1,12}(?:\.\d{1,9})?$/.test(plain)) return Number(plain);
  if (!/^(?:\d{1,9}(?:ms|[smhdwy])){1,7}$/.test(plain)) return null;
  return [...plain.matchAll(/(\d{1,9})(ms|[smhdwy])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (SECONDS[unit ?? ""] ?? 0),
    0,
  );
}
