// How labels flow from the selectors of a PromQL expression into its result.

import type { SyntaxNode } from "@lezer/common";
import { unquote } from "../scope/string-literal.ts";
import { childrenOf, textOf } from "../scope/syntax-tree.ts";
import { choosesSeries } from "./selectors.ts";
import { operandsOf } from "./types.ts";

/**
 * Returns whether a label of the result is that of the selector's series, so that a matcher on it selects series of the
 * result and changes none of them. False in case of doubt.
 */
export function labelsInto(selector: SyntaxNode, text: string): (label: string) => boolean {
  return (label) => {
    for (let child = selector, node = selector.parent; node !== null; child = node, node = node.parent) {
      if (!passes(node, child, label, text)) return false;
    }
    return true;
  };
}

/** Whether the label of `child` is that of `node`. */
function passes(node: SyntaxNode, child: SyntaxNode, label: string, text: string): boolean {
  if (node.name === "AggregateExpr") return passesAggregation(node, label, text);
  if (node.name === "BinaryExpr") return passesBinary(node, child, label, text);
  return node.name === "FunctionCall" ? passesFunction(node, label, text) : true;
}

function passesAggregation(node: SyntaxNode, label: string, text: string): boolean {
  const modifier = node.getChild("AggregateModifier");
  // Fewer series to choose from would change the choice, except between groups.
  if (modifier === null || (choosesSeries(node) && !modifier.getChild("By"))) return false;
  return listed(modifier, text).includes(label) === (modifier.getChild("By") !== null);
}

function passesBinary(node: SyntaxNode, child: SyntaxNode, label: string, text: string): boolean {
  const [left] = operandsOf(node);
  const isLeft = child.from === left?.from;
  // The right side only chooses among the series of the left one.
  if (node.getChild("And") || node.getChild("Unless")) return isLeft;
  const matching = node.getChild("MatchingModifierClause");
  if (matching === null) return true;
  const names = listed(matching, text, true);
  const isMatched = matching.getChild("On") ? names.includes(label) : !names.includes(label);
  if (isMatched) return true;
  // Of a label that is not matched, the side with many series keeps its own.
  if (node.getChild("Or")) return true;
  if (matching.getChild("GroupLeft")) return isLeft && !listed(matching, text).includes(label);
  return matching.getChild("GroupRight") ? !isLeft && !listed(matching, text).includes(label) : false;
}

function passesFunction(node: SyntaxNode, label: string, text: string): boolean {
  const name = node.getChild("FunctionIdentifier");
  if (name?.getChild("Absent") || name?.getChild("AbsentOverTime") || name?.getChild("Scalar")) return false;
  if (!name?.getChild("LabelReplace") && !name?.getChild("LabelJoin")) return true;
  const target = operandsOf(node)[1];
  return target !== undefined && unquote(textOf(text, target)) !== label;
}

/** Labels of `by`, `on` and the like. @param first of the first list only: that of a group has labels of the other side */
function listed(modifier: SyntaxNode, text: string, first = false): string[] {
  const lists = modifier.getChildren("GroupingLabels").slice(0, first ? 1 : undefined);
  return lists.flatMap((list) =>
    childrenOf(list).flatMap((name) => {
      if (name.name === "LabelName") return [textOf(text, name)];
      const quoted = name.name === "QuotedLabelName" ? unquote(textOf(text, name)) : null;
      return quoted === null ? [] : [quoted];
    }),
  );
}
