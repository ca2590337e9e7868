// The check language `k8s`: one read of a cluster, in the words of kubectl.

import type { CheckLanguageSupport, Prepared, QueryProblem } from "../scope/check-language.ts";
import type { ObjectRequest } from "../scope/query.ts";
import { type ObjectQuery, parseObjectQuery, type Value, valuesOf } from "./parse-object-query.ts";

export const k8s: CheckLanguageSupport = {
  validate(query) {
    const parsed = parseObjectQuery(query);
    return parsed.ok ? [] : [problem(query, parsed.problem)];
  },

  prepare(query, { labels, match }): Prepared {
    const parsed = parseObjectQuery(query);
    if (!parsed.ok) return { ok: false, reason: parsed.problem };
    const missing = (match ?? []).find((name) => !name.endsWith("?") && labelOf(labels, name) === undefined);
    if (missing !== undefined) return { ok: false, reason: missingLabel(missing) };
    for (const value of valuesOf(parsed.query)) {
      const reason = faultOf(value, labels);
      if (reason !== null) return { ok: false, reason };
    }
    const request = requestOf(parsed.query, (value) => textOf(value, labels) ?? "");
    return { ok: true, value: { query: { language: "k8s", request }, shown: shownRequest(request, parsed.query) } };
  },
};

function problem(query: string, message: string): QueryProblem {
  const line = query.split("\n").findIndex((text) => text.trim() !== "");
  return { line: Math.max(line, 0) + 1, message };
}

/** Undefined for a label that is missing or empty: an empty value would match everything. */
function labelOf(labels: Readonly<Record<string, string>>, name: string): string | undefined {
  const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
  return value === "" ? undefined : value;
}

function textOf(value: Value, labels: Readonly<Record<string, string>>): string | undefined {
  return "text" in value ? value.text : labelOf(labels, value.label);
}

/** The value of the label is not shown: it may hold anything. */
function faultOf(value: Value, labels: Readonly<Record<string, string>>): string | null {
  if ("text" in value) return null;
  const text = labelOf(labels, value.label);
  if (text === undefined) return missingLabel(value.label);
  return value.isValid(text) ? null : `The alert's label "${value.label}" has a value that is no ${value.role}.`;
}

function missingLabel(name: string): string {
  return `The alert has no label "${name}".`;
}

function requestOf(query: ObjectQuery, fill: (value: Value) => string): ObjectRequest {
  const pairs = (list: ObjectQuery["labels"]) =>
    Object.fromEntries(list.map(({ key, value }) => [key, fill(value)] as const));
  return {
    resource: query.resource,
    namespace: query.namespace === null ? null : fill(query.namespace),
    name: query.name === null ? null : fill(query.name),
    labels: pairs(query.labels),
    fields: pairs(query.fields),
  };
}

/** The command that a person runs to see the same. */
function shownRequest(
  { resource, namespace, name, labels, fields }: ObjectRequest,
  { isAllNamespaces }: ObjectQuery,
): string {
  const pairs = (record: Readonly<Record<string, string>>) =>
    Object.entries(record)
      .map(([key, value]) => `${key}=${value}`)
      .join(",");
  return [
    `kubectl get ${resource}`,
    ...(name === null ? [] : [name]),
    ...(namespace === null ? [] : [`-n ${namespace}`]),
    ...(isAllNamespaces ? ["-A"] : []),
    ...(Object.keys(labels).length === 0 ? [] : [`-l ${pairs(labels)}`]),
    ...(Object.keys(fields).length === 0 ? [] : [`--field-selector ${pairs(fields)}`]),
  ].join(" ");
}
