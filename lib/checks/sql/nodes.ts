// The parsed query as plain nodes: objects with a type, and the names that it uses.

import { RELATIONS } from "./relations.ts";

export type Node = Readonly<Record<string, unknown>>;

export function asNode(value: unknown): Node | undefined {
  return isNode(value) ? value : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The nodes of a list; a node alone is a list of one. */
export function sqlNodesOf(value: unknown): Node[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter(isNode);
}

/** The property `name` of a node, which is a name: { name: "pid" }. */
export function sqlNameOf(value: unknown): string | undefined {
  const name = asNode(value)?.name;
  return typeof name === "string" ? name : undefined;
}

export function namesOf(value: unknown): string[] {
  return sqlNodesOf(value).flatMap((each) => sqlNameOf(each) ?? []);
}

/** A node and everything below it. */
function* everyNode(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const each of value) yield* everyNode(each);
  const node = asNode(value);
  if (node === undefined) return;
  yield node;
  for (const child of Object.values(node)) yield* everyNode(child);
}

export interface SqlNames {
  /** Of common table expressions. */
  readonly ctes: ReadonlySet<string>;
  /** Relations of the server by each name that a column may be qualified with: alias or name. */
  readonly relations: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of subqueries, and columns and aliases that the query itself makes. */
  readonly own: ReadonlySet<string>;
}

/** The names of a whole statement. A name must be harmless in every scope. */
export function namesIn(statement: unknown): SqlNames {
  const ctes = new Set<string>();
  const own = new Set<string>(["case", "extract", "exists", "array"]);
  const relations = new Map<string, Set<string>>();
  for (const node of everyNode(statement)) {
    if (node.type === "with") for (const bind of sqlNodesOf(node.bind)) addTo(ctes, sqlNameOf(bind.alias));
    if (node.type === "statement") addTo(own, node.alias, ...namesOf(node.columnNames));
    if (node.type === "call") {
      addTo(own, sqlNameOf(node.function), sqlNameOf(node.alias), ...namesOf(asNode(node.alias)?.columns));
    }
    if (node.type === "select") for (const column of sqlNodesOf(node.columns)) addTo(own, sqlNameOf(column.alias));
  }
  for (const node of everyNode(statement)) {
    const name = sqlNameOf(node.name);
    if (node.type !== "table" || name === undefined) continue;
    const alias = asNode(node.name)?.alias;
    const label = typeof alias === "string" ? alias : name;
    if (RELATIONS.has(name)) relations.set(label, (relations.get(label) ?? new Set()).add(name));
    else addTo(own, label, ...namesOf(asNode(node.name)?.columnNames));
  }
  return { ctes, relations, own };
}

function addTo(set: Set<string>, ...names: unknown[]): void {
  for (const name of names) if (typeof name === "string") set.add(name);
}
