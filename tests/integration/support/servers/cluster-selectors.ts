// Label and field selectors, as a Kubernetes API server evaluates them.

import type { ServedResource } from "./cluster-discovery.ts";

export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A selector that the server answers with 400. */
export class SelectorError extends Error {}

export function matchesLabels(selector: string, { metadata }: ClusterObject): boolean {
  const labels = metadata.labels ?? {};
  return requirementsOf(selector).every((requirement) => {
    const set = /^(\S+) (in|notin) \(([^()]*)\)$/.exec(requirement);
    if (set !== null) {
      const isMember = (set[3] ?? "")
        .split(",")
        .map((value) => value.trim())
        .includes(labels[set[1] ?? ""] ?? "\0");
      return (set[2] === "in") === isMember;
    }
    const pair = /^([^=!]+)(==|=|!=)([A-Za-z0-9_.-]*)$/.exec(requirement);
    if (pair !== null) return (pair[2] === "!=") !== (labels[pair[1] ?? ""] === pair[3]);
    if (!/^!?[A-Za-z0-9_./-]+$/.test(requirement))
      throw new SelectorError(`unable to parse requirement: found '${requirement}'`);
    return requirement.startsWith("!") ? !(requirement.slice(1) in labels) : requirement in labels;
  });
}

/** Splits at commas that are not within parentheses. */
function requirementsOf(selector: string): string[] {
  return selector === "" ? [] : selector.split(/,(?![^()]*\))/);
}

export function matchesFields(selector: string, object: ClusterObject, { name, fields = [] }: ServedResource): boolean {
  return requirementsOf(selector).every((requirement) => {
    const pair = /^([A-Za-z.]+)(==|=|!=)(.*)$/.exec(requirement);
    if (pair === null) throw new SelectorError(`invalid selector: '${selector}'; can't understand '${requirement}'`);
    const [, path = "", operator, value] = pair;
    if (!["metadata.name", "metadata.namespace", ...fields].includes(path))
      throw new SelectorError(`${name}: field label not supported: ${path}`);
    return (operator !== "!=") === (valueAt(object, path) === value);
  });
}

function valueAt(object: ClusterObject, path: string): string {
  let value: unknown = object;
  for (const key of path.split(".")) value = Object(value)[key];
  return value === undefined || value === null ? "" : String(value);
}
