// PromQL: checks a query by its syntax tree, and scopes it to an alert by adding matchers to its selectors.

import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";
import { QUOTABLE, resolveScope } from "../scope/alert-scope.ts";
import type { CheckLanguageSupport, Prepared, QueryProblem } from "../scope/check-language.ts";
import { isExtension, type Matcher, writeMatchers } from "../scope/matchers.ts";
import { literalProblem, MAX_QUERY_CHARS, outlineOf, syntaxProblem, withInsertions } from "../scope/syntax-tree.ts";
import { durationProblems } from "./durations.ts";
import { insertionInto, isEnrichment, keepsLabel, matchersOf, selectorProblems, selectorsOf } from "./selectors.ts";
import { typeProblems } from "./types.ts";

export const promql: CheckLanguageSupport = {
  validate: validatePromql,
  prepare(query, { labels, match, now }) {
    const scoped = scopePromql(query, labels, match);
    if (!scoped.ok) return scoped;
    const { expression } = scoped;
    return { ok: true, value: { query: { language: "promql", expression, at: now }, shown: expression } };
  },
};

export function validatePromql(query: string): QueryProblem[] {
  if (query.trim() === "") return [{ line: 1, message: "The query is empty." }];
  if (query.length > MAX_QUERY_CHARS)
    return [{ line: 1, message: `The query is longer than ${MAX_QUERY_CHARS} characters.` }];
  const tree = parser.parse(query);
  const problem = syntaxProblem(tree, query) ?? literalProblem(tree, query, "StringLiteral");
  const root = tree.topNode.getChild("Expr");
  if (problem !== null || root === null) return [problem ?? { line: 1, message: "The query is empty." }];
  return [...selectorProblems(tree, query), ...typeProblems(root, query), ...durationProblems(tree, query)];
}

type ScopedExpression = { readonly ok: true; readonly expression: string } | Extract<Prepared, { readonly ok: false }>;

function scopePromql(
  query: string,
  labels: Readonly<Record<string, string>>,
  match: readonly string[] | null,
): ScopedExpression {
  const [problem] = validatePromql(query);
  if (problem !== undefined) return { ok: false, reason: problem.message };
  if (scopedSelectors(query).length === 0) return { ok: true, expression: query };
  const resolved = resolveScope(labels, match, QUOTABLE);
  if (!resolved.ok) return resolved;
  const { always, parts } = resolved.scope;
  const expression = addMatchers(query, (selector) => [
    ...always,
    ...parts.filter(({ label }) => keepsLabel(selector, label, query)),
  ]);
  return expression === null
    ? { ok: false, reason: "The labels of the alert cannot be added to the query." }
    : { ok: true, expression };
}

function scopedSelectors(query: string): SyntaxNode[] {
  return selectorsOf(parser.parse(query)).filter((selector) => !isEnrichment(selector));
}

/**
 * Adds matchers to the selectors of a valid query. A matcher that the author wrote on the same label stays alone. Null if
 * the new query is not the old one with these matchers.
 */
export function addMatchers(query: string, matchersFor: (selector: SyntaxNode) => readonly Matcher[]): string | null {
  const additions = scopedSelectors(query).map((selector) => {
    const own = new Set(matchersOf(selector, query).map(({ label }) => label));
    return { selector, matchers: matchersFor(selector).filter(({ label }) => !own.has(label)) };
  });
  const insertions = additions
    .filter(({ matchers }) => matchers.length > 0)
    .map(({ selector, matchers }) => insertionInto(selector, writeMatchers(matchers)));
  const expression = withInsertions(query, insertions);
  const added = additions.map(({ matchers }) => matchers);
  return hasSameStructure(query, expression, added) ? expression : null;
}

/** Parses the new query again: it must be the old one, and each selector must have its old matchers and the added ones. */
function hasSameStructure(before: string, after: string, added: readonly (readonly Matcher[])[]): boolean {
  const [oldTree, newTree] = [parser.parse(before), parser.parse(after)];
  if (syntaxProblem(newTree, after) !== null) return false;
  const opaque = ["LabelMatchers"];
  if (outlineOf(oldTree, before, opaque) !== outlineOf(newTree, after, opaque)) return false;
  const [oldSelectors, newSelectors] = [scopedSelectors(before), scopedSelectors(after)];
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
