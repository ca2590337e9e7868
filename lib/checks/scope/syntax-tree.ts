// Helpers for syntax trees of query languages: problems with their lines, insertions, and comparison.

import type { SyntaxNode, Tree } from "@lezer/common";
import type { QueryProblem } from "./check-language.ts";
import { unquote } from "./string-literal.ts";

/** Longer queries are refused: no person reads them, and the work on a tree grows with its depth. */
export const MAX_QUERY_CHARS = 4_000;

export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

export function textOf(text: string, node: SyntaxNode): string {
  return text.slice(node.from, node.to);
}

/** All nodes with one of these names, in the order of the text. */
export function nodesOf(tree: Tree, ...names: readonly string[]): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  tree.iterate({
    enter: (node) => {
      if (names.includes(node.name)) nodes.push(node.node);
    },
  });
  return nodes;
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

/** The first syntax error; the parser's later ones mostly follow from it. Null without one. */
export function syntaxProblem(tree: Tree, text: string): QueryProblem | null {
  let position: number | null = null;
  tree.iterate({
    enter: (node) => {
      if (node.type.isError) position ??= node.from;
      return position === null;
    },
  });
  if (position === null) return null;
  const rest = text.slice(position).trimStart().split("\n", 1)[0] ?? "";
  const place = rest === "" ? "at its end" : `at \`${rest.slice(0, 40)}\``;
  return { line: lineAt(text, position), message: `The query has a syntax error ${place}.` };
}

/** Whether a tree has no error, and a node with one of these names. */
export function isValidWith(tree: Tree, names: ReadonlySet<string>): boolean {
  let [isValid, hasName] = [true, false];
  tree.iterate({
    enter: ({ type, name }) => {
      isValid &&= !type.isError;
      hasName ||= names.has(name);
      return isValid;
    },
  });
  return isValid && hasName;
}

/** The first text literal that a server refuses; parsers accept some. Null without one. @param name of such nodes */
export function literalProblem(tree: Tree, text: string, name: string): QueryProblem | null {
  const wrong = nodesOf(tree, name).find((node) => unquote(textOf(text, node)) === null);
  if (wrong === undefined) return null;
  const message = `The text \`${textOf(text, wrong).slice(0, 40)}\` is not closed or has an invalid escape.`;
  return { line: lineAt(text, wrong.from), message };
}

export interface Insertion {
  readonly at: number;
  readonly text: string;
}

export function withInsertions(text: string, insertions: readonly Insertion[]): string {
  return [...insertions]
    .sort((a, b) => b.at - a.at)
    .reduce((whole, { at, text: part }) => whole.slice(0, at) + part + whole.slice(at), text);
}

/** The tree as one line per node: its name, and its text if it has no children. Nodes with a name in `opaque` are left out. */
export function outlineOf(tree: Tree, text: string, opaque: readonly string[]): string {
  const lines: string[] = [];
  tree.iterate({
    enter: (node) => {
      if (opaque.includes(node.name)) return false;
      lines.push(node.node.firstChild === null ? `${node.name} ${textOf(text, node.node)}` : node.name);
      return true;
    },
  });
  return lines.join("\n");
}
