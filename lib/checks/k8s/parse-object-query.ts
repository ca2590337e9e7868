// Parser of the check language `k8s`: `get <resource> [<name>]` with a namespace and selectors. It accepts nothing else of
// kubectl, so that a query can only read objects.

import { isFieldPath, isFieldValue, isLabelKey, isLabelValue, isNamespaceName, isObjectName } from "./cluster-names.ts";
import { findClusterResource, isSecretResource, splitResource } from "./cluster-resources.ts";

/** A text of the query, or a label of the alert that stands for it. */
export type Value =
  | { readonly text: string }
  | { readonly label: string; readonly role: string; readonly isValid: (text: string) => boolean };

export interface ObjectQuery {
  /** Plural name, with its group if the author gives one. */
  readonly resource: string;
  /** Null for all namespaces, or for a resource outside of namespaces. */
  readonly namespace: Value | null;
  readonly isAllNamespaces: boolean;
  readonly name: Value | null;
  readonly labels: readonly Pair[];
  readonly fields: readonly Pair[];
}

interface Pair {
  readonly key: string;
  readonly value: Value;
}

type Parsed = { readonly ok: true; readonly query: ObjectQuery } | { readonly ok: false; readonly problem: string };

const EXAMPLE = "get pods -n <namespace> -l app=<app>";
export const MAX_QUERY_LENGTH = 1_000;
const PLACEHOLDER = /^<([A-Za-z_][A-Za-z0-9_]{0,127})>$/;
/** The version of `plural.version.group`. */
const VERSION = /^v\d{1,3}(?:(?:alpha|beta)\d{1,3})?$/;

const FLAGS: Readonly<Record<string, "namespace" | "allNamespaces" | "labels" | "fields">> = {
  "-n": "namespace",
  "--namespace": "namespace",
  "-A": "allNamespaces",
  "--all-namespaces": "allNamespaces",
  "-l": "labels",
  "--selector": "labels",
  "--field-selector": "fields",
};

class QueryError extends Error {}

/** @returns the query, or one sentence that says what is wrong with it */
export function parseObjectQuery(text: string): Parsed {
  try {
    const query = parse(text);
    checkScope(query);
    return { ok: true, query };
  } catch (error) {
    if (error instanceof QueryError) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Each value of a query. */
export function valuesOf({ namespace, name, labels, fields }: ObjectQuery): Value[] {
  return [namespace, name, ...[...labels, ...fields].map(({ value }) => value)].filter((value) => value !== null);
}

function parse(text: string): ObjectQuery {
  const line = text.trim();
  if (line === "") throw new QueryError(`The query is empty. Write, for example: ${EXAMPLE}`);
  if (line.length > MAX_QUERY_LENGTH) throw new QueryError(`The query has more than ${MAX_QUERY_LENGTH} characters.`);
  if (/[\r\n]/.test(line)) throw new QueryError("A query is one line.");
  const words = line.split(/[ \t]/).filter((word) => word !== "");
  if (words[0] === "kubectl") words.shift();
  const verb = words.shift();
  if (verb !== "get") throw new QueryError(`Only "get" is allowed. Write, for example: ${EXAMPLE}`);
  const { positional, flags } = partWords(words);
  const [resourceText, nameText, ...rest] = positional;
  if (resourceText === undefined) throw new QueryError(`Name what to get, for example: ${EXAMPLE}`);
  if (rest.length > 0) throw new QueryError("Name one object, or none for a list.");
  return {
    resource: readResource(resourceText),
    namespace:
      flags.namespace === undefined ? null : readValue(flags.namespace, "name of a namespace", isNamespaceName),
    isAllNamespaces: flags.allNamespaces !== undefined,
    name: nameText === undefined ? null : readValue(nameText, "name of an object", isObjectName),
    labels: readSelector(flags.labels, { what: "label", isKey: isLabelKey, isValue: isLabelValue }),
    fields: readSelector(flags.fields, { what: "field", isKey: isFieldPath, isValue: isFieldValue }),
  };
}

interface Words {
  readonly positional: readonly string[];
  readonly flags: { namespace?: string; allNamespaces?: string; labels?: string; fields?: string };
}

function partWords(words: readonly string[]): Words {
  const positional: string[] = [];
  const flags: Words["flags"] = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (!word.startsWith("-")) {
      positional.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const flag = equals === -1 ? word : word.slice(0, equals);
    const option = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (option === undefined)
      throw new QueryError(`The flag ${shown(flag)} is not allowed: use -n, -A, -l and --field-selector.`);
    if (flags[option] !== undefined) throw new QueryError(`The flag ${shown(flag)} occurs twice.`);
    if (option === "allNamespaces") {
      if (equals !== -1) throw new QueryError(`The flag ${shown(flag)} has no value.`);
      flags[option] = "";
      continue;
    }
    const value = equals === -1 ? words[++i] : word.slice(equals + 1);
    if (value === undefined || value === "" || value.startsWith("-"))
      throw new QueryError(`The flag ${shown(flag)} needs a value.`);
    flags[option] = withoutQuotes(value);
  }
  return { positional, flags };
}

/** Quotes that a shell would need. */
function withoutQuotes(text: string): string {
  const first = text[0];
  return (first === '"' || first === "'") && text.length > 1 && text.endsWith(first) ? text.slice(1, -1) : text;
}

function readResource(text: string): string {
  if (isSecretResource(text)) throw new QueryError("Secrets are never read.");
  if (text.includes("/"))
    throw new QueryError("Write the name as a word of its own: get pod <pod>. Subresources such as logs are not read.");
  if (text.includes(",") || text === "all")
    throw new QueryError("Get one resource: a check reads one kind of objects.");
  const resource = findClusterResource(text);
  const { name, group } = splitResource(text.toLowerCase());
  if (resource !== undefined) return group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
  if (group === "")
    throw new QueryError(
      `The resource ${shown(text)} is unknown. Write it with its group, as in certificates.cert-manager.io.`,
    );
  if (VERSION.test(group.split(".", 1)[0] ?? "")) throw new QueryError("Leave out the version of the resource.");
  if (!isObjectName(name) || !isObjectName(group)) throw new QueryError(`${shown(text)} is no name of a resource.`);
  return `${name}.${group}`;
}

function readValue(text: string, role: string, isValid: (text: string) => boolean): Value {
  const placeholder = PLACEHOLDER.exec(text)?.[1];
  if (placeholder !== undefined) return { label: placeholder, role, isValid };
  if (/[<>]/.test(text)) throw new QueryError(`A placeholder stands for a whole value, unlike ${shown(text)}.`);
  if (!isValid(text)) throw new QueryError(`${shown(text)} is no ${role}.`);
  return { text };
}

interface SelectorSyntax {
  readonly what: string;
  readonly isKey: (text: string) => boolean;
  readonly isValue: (text: string) => boolean;
}

function readSelector(text: string | undefined, { what, isKey, isValue }: SelectorSyntax): Pair[] {
  if (text === undefined) return [];
  const pairs = text.split(",").map((requirement): Pair => {
    const equals = requirement.indexOf("=");
    const key = requirement.slice(0, Math.max(equals, 0));
    if (equals === -1 || !isKey(key))
      throw new QueryError(`${shown(requirement)} is no condition on a ${what}: write key=value.`);
    const value = requirement.slice(requirement.startsWith("==", equals) ? equals + 2 : equals + 1);
    return { key, value: readValue(value, `value of a ${what}`, isValue) };
  });
  if (new Set(pairs.map(({ key }) => key)).size < pairs.length)
    throw new QueryError(`Two conditions are on the same ${what}.`);
  return pairs;
}

/** @throws QueryError for a query that is wider than an alert */
function checkScope(query: ObjectQuery): void {
  const { resource, namespace, isAllNamespaces, name } = query;
  const isSelected = query.labels.length + query.fields.length > 0;
  if (name !== null && isSelected) throw new QueryError("Give a name or a selector, not both.");
  if (isAllNamespaces && namespace !== null) throw new QueryError("Give -n or -A, not both.");
  if (isAllNamespaces && name !== null) throw new QueryError("A name needs its namespace: write -n in place of -A.");
  const isNamespaced = findClusterResource(resource)?.namespaced;
  if (namespace !== null || isNamespaced === false) return;
  if (isNamespaced === true && !isAllNamespaces) throw new QueryError("Name the namespace: add -n <namespace>.");
  const isScoped = name !== null || valuesOf(query).some((value) => "label" in value);
  if (!isScoped)
    throw new QueryError("The query reads all namespaces. Scope it: add -n <namespace>, or a selector with a <label>.");
}

/** A part of the query in a message. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
