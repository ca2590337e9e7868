// LogQL: checks a query by its syntax tree, and scopes it to an alert by adding matchers to its stream selectors.

import { parser } from "@grafana/lezer-logql";
import type { SyntaxNode, Tree } from "@lezer/common";
import { resolveScope } from "../scope/alert-scope.ts";
import type { CheckLanguageSupport, QueryProblem } from "../scope/check-language.ts";
import { isExtension, type Matcher, needsLabel, writeMatchers } from "../scope/matchers.ts";
import { unquote } from "../scope/string-literal.ts";
import {
  childrenOf,
  lineAt,
  literalProblem,
  MAX_QUERY_CHARS,
  nodesOf,
  outlineOf,
  syntaxProblem,
  textOf,
  withInsertions,
} from "../scope/syntax-tree.ts";

/** Time before a check in which log lines are read. Alerts wait some minutes before they fire. */
export const LOG_WINDOW_MS = 30 * 60_000;
/** A longer range reads more logs than a check has time for. */
const MAX_RANGE_S = 86_400;
const SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 0.001,
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
  y: 31_536_000,
};

export const logql: CheckLanguageSupport = {
  validate(query) {
    if (query.trim() === "") return [{ line: 1, message: "The query is empty." }];
    if (query.length > MAX_QUERY_CHARS)
      return [{ line: 1, message: `The query is longer than ${MAX_QUERY_CHARS} characters.` }];
    const tree = parser.parse(query);
    const problem = syntaxProblem(tree, query) ?? literalProblem(tree, query, "String");
    return problem === null ? [...selectorProblems(tree, query), ...rangeProblems(tree, query)] : [problem];
  },

  prepare(query, { labels, match, now }) {
    const [problem] = this.validate(query);
    if (problem !== undefined) return { ok: false, reason: problem.message };
    const selectors = nodesOf(parser.parse(query), "Selector");
    const resolved = resolveScope(labels, match);
    if (!resolved.ok && selectors.length > 0) return resolved;
    const { always, parts } = resolved.ok ? resolved.scope : { always: [], parts: [] };
    const added = selectors.map((selector) => {
      const own = new Set(matchersOf(selector, query).map(({ label }) => label));
      const kept = parts.filter(({ label }) => keepsLabel(selector, label, query));
      return [...always, ...kept].filter(({ label }) => !own.has(label));
    });
    const insertions = selectors.map((selector, i) => {
      const written = writeMatchers(added[i] ?? []);
      return { at: selector.from + 1, text: written && `${written},` };
    });
    const expression = withInsertions(query, insertions);
    if (!hasSameStructure(query, expression, added))
      return { ok: false, reason: "The labels of the alert cannot be added to the query." };
    const start = new Date(now.getTime() - LOG_WINDOW_MS);
    return { ok: true, value: { query: { language: "logql", expression, start, end: now }, shown: expression } };
  },
};

function matchersOf(selector: SyntaxNode, text: string): Matcher[] {
  const matchers: Matcher[] = [];
  // A list of matchers is nested: each has the list before it as its first child.
  const visit = (node: SyntaxNode) => {
    for (const child of childrenOf(node)) {
      if (child.name === "Matchers") visit(child);
      const [label, operator, value] = child.name === "Matcher" ? childrenOf(child) : [];
      if (label && operator && value)
        matchers.push({
          label: textOf(text, label),
          operator: textOf(text, operator),
          value: unquote(textOf(text, value)),
        });
    }
  };
  visit(selector);
  return matchers;
}

function selectorProblems(tree: Tree, text: string): QueryProblem[] {
  return nodesOf(tree, "Selector").flatMap((selector) =>
    matchersOf(selector, text).some(needsLabel)
      ? []
      : [
          {
            line: lineAt(text, selector.from),
            message: `The selector \`${textOf(text, selector).slice(0, 60)}\` needs a matcher that does not accept an empty value.`,
          },
        ],
  );
}

function rangeProblems(tree: Tree, text: string): QueryProblem[] {
  return nodesOf(tree, "Range").flatMap((range) => {
    const seconds = secondsOf(textOf(text, range));
    if (seconds !== null && seconds > 0 && seconds <= MAX_RANGE_S) return [];
    const message =
      seconds === null || seconds === 0
        ? "Write the range as a plain duration, such as `[5m]`."
        : "The range is longer than 24 hours.";
    return [{ line: lineAt(text, range.from), message }];
  });
}

/** `[1h30m]`; null for anything else. */
function secondsOf(range: string): number | null {
  if (!/^\[\s{0,9}(?:\d{1,9}(?:\.\d{1,9})?(?:ns|us|µs|ms|[smhdwy])){1,9}\s{0,9}\]$/.test(range)) return null;
  return [...range.matchAll(/(\d{1,9}(?:\.\d{1,9})?)([a-zµ]{1,2})/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (SECONDS[unit ?? ""] ?? 0),
    0,
  );
}

/** Whether no aggregation around the selector drops the label by its own list of labels. */
function keepsLabel(selector: SyntaxNode, label: string, text: string): boolean {
  for (let node = selector.parent; node !== null; node = node.parent) {
    const grouping = node.getChild("Grouping");
    if (grouping === null) continue;
    const names = identifiersIn(grouping, text);
    if (names.includes(label) !== (grouping.getChild("By") !== null)) return false;
  }
  return true;
}

function identifiersIn(node: SyntaxNode, text: string): string[] {
  return childrenOf(node).flatMap((child) =>
    child.name === "Identifier" ? [textOf(text, child)] : identifiersIn(child, text),
  );
}

/** Parses the new query again: it must be the old one, and each selector must have its old matchers and the added ones. */
function hasSameStructure(before: string, after: string, added: readonly (readonly Matcher[])[]): boolean {
  const [oldTree, newTree] = [parser.parse(before), parser.parse(after)];
  const opaque = ["Selector"];
  if (syntaxProblem(newTree, after) !== null) return false;
  if (outlineOf(oldTree, before, opaque) !== outlineOf(newTree, after, opaque)) return false;
  const newSelectors = nodesOf(newTree, "Selector");
  const oldSelectors = nodesOf(oldTree, "Selector");
  return (
    oldSelectors.length === newSelectors.length &&
    oldSelectors.every((selector, i) => {
      const changed = newSelectors[i];
      return (
        changed !== undefined && isExtension(matchersOf(selector, before), matchersOf(changed, after), added[i] ?? [])
      );
    })
  );
}
