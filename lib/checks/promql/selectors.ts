// Vector selectors of PromQL: their matchers, their bounds, and what of them an aggregation keeps.

import type { SyntaxNode, Tree } from "@lezer/common";
import type { QueryProblem } from "../scope/check-language.ts";
import { isSpecific, type Matcher } from "../scope/matchers.ts";
import { unquote } from "../scope/string-literal.ts";
import { childrenOf, type Insertion, lineAt, nodesOf, textOf } from "../scope/syntax-tree.ts";

export function selectorsOf(tree: Tree): SyntaxNode[] {
  return nodesOf(tree, "VectorSelector");
}

/** The metric's name is a matcher of the label `__name__`. */
export function matchersOf(selector: SyntaxNode, text: string): Matcher[] {
  const name = selector.getChild("Identifier");
  const matchers = childrenOf(selector.getChild("LabelMatchers") ?? selector).flatMap((node): Matcher[] => {
    if (node.name === "QuotedLabelName")
      return [{ label: "__name__", operator: "=", value: unquote(textOf(text, node)) }];
    const [label, operator, value] = childrenOf(node);
    if (!label || !operator || !value) return [];
    const labelText = textOf(text, label);
    return [
      {
        label: label.name === "QuotedLabelName" ? (unquote(labelText) ?? labelText) : labelText,
        operator: textOf(text, operator),
        value: unquote(textOf(text, value)),
      },
    ];
  });
  return name === null ? matchers : [{ label: "__name__", operator: "=", value: textOf(text, name) }, ...matchers];
}

/** Problems of selectors that select nearly everything. */
export function selectorProblems(tree: Tree, text: string): QueryProblem[] {
  return selectorsOf(tree).flatMap((selector) =>
    matchersOf(selector, text).some(isSpecific)
      ? []
      : [
          {
            line: lineAt(text, selector.from),
            message: `The selector \`${textOf(text, selector).slice(0, 60)}\` has neither a metric name nor a matcher with a certain value.`,
          },
        ],
  );
}

/** The place and the text that add matchers to a selector. */
export function insertionInto(selector: SyntaxNode, written: string): Insertion {
  const list = selector.getChild("LabelMatchers");
  if (list === null) return { at: selector.to, text: `{${written}}` };
  return { at: list.from + 1, text: list.firstChild === null ? written : `${written},` };
}

/** Whether its labels select what to add to other series, and not the series of the result. */
export function isEnrichment(selector: SyntaxNode): boolean {
  const call = selector.parent?.parent;
  const isInfo = call?.name === "FunctionCall" && call.getChild("FunctionIdentifier")?.getChild("Info") != null;
  return isInfo && selector.prevSibling !== null && selector.prevSibling.name !== "(";
}

/** Whether an aggregation returns some of its series with all their labels. */
export function choosesSeries(aggregation: SyntaxNode): boolean {
  const operator = aggregation.getChild("AggregateOp");
  return ["Topk", "Bottomk", "LimitK", "LimitRatio"].some((name) => operator?.getChild(name));
}

/** Whether no aggregation around the node drops the label by its own list of labels. */
export function keepsLabel(selector: SyntaxNode, label: string, text: string): boolean {
  for (let node = selector.parent; node !== null; node = node.parent) {
    const modifier = node.getChild("AggregateModifier");
    if (node.name !== "AggregateExpr" || modifier === null || choosesSeries(node)) continue;
    const names = modifier.getChild("GroupingLabels")?.getChildren("LabelName") ?? [];
    const isListed = names.some((name) => textOf(text, name) === label);
    if (isListed !== (modifier.getChild("By") !== null)) return false;
  }
  return true;
}
