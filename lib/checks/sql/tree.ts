// Whether a parsed statement reads the server's statistics and does nothing else.
//
// Every kind of node and every property of it must be listed here: what the parser adds in a later version is refused.

import { FUNCTIONS, OPERATORS, READABLE_SETTINGS, TYPES } from "./functions.ts";
import { asNode, type Node, namesIn, namesOf, type SqlNames, sqlNameOf, sqlNodesOf } from "./nodes.ts";
import { HIDDEN_COLUMNS, IN_PLACE_OF, RELATIONS } from "./relations.ts";
import { ALLOWED_CALLS } from "./tokens.ts";

/** A problem, with the place of its node in the text that was parsed. */
export interface TreeProblem {
  readonly offset: number;
  readonly message: string;
}

/** Properties that hold nodes; `type` and `_location` are allowed everywhere, and every other property must be empty. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  select: ["columns", "from", "where", "groupBy", "having", "limit", "orderBy", "distinct"],
  union: ["left", "right"],
  "union all": ["left", "right"],
  values: ["values"],
  with: ["bind", "in"],
  table: ["join"],
  statement: ["statement", "join"],
  call: ["args", "orderBy", "filter", "withinGroup", "over", "join"],
  binary: ["left", "right"],
  unary: ["operand"],
  ternary: ["value", "lo", "hi"],
  cast: ["operand"],
  case: ["value", "whens", "else"],
  extract: ["from"],
  substring: ["value", "from", "for"],
  list: ["expressions"],
  array: ["expressions"],
  "array select": ["select"],
  arrayIndex: ["array", "index"],
  ref: [],
  parameter: [],
  integer: [],
  numeric: [],
  string: [],
  boolean: [],
  null: [],
  keyword: [],
  // Kinds of joins: their node has the type of the join.
  "INNER JOIN": ["on", "using"],
  "LEFT JOIN": ["on", "using"],
  "RIGHT JOIN": ["on", "using"],
  "FULL JOIN": ["on", "using"],
  "CROSS JOIN": ["on", "using"],
};
/** Properties of these kinds that are values, and that `problemsAt` checks where they matter. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  select: ["distinct"],
  table: ["name", "lateral"],
  statement: ["alias", "lateral", "columnNames"],
  call: ["function", "distinct", "alias", "lateral", "withOrdinality"],
  binary: ["op"],
  unary: ["op"],
  ternary: ["op"],
  cast: ["to"],
  extract: ["field"],
  ref: ["table", "name"],
  parameter: ["name"],
  integer: ["value"],
  numeric: ["value"],
  string: ["value"],
  boolean: ["value"],
  keyword: ["keyword"],
};
/** Properties of nodes without a type: a column of a result, a branch of `case`, an order, a limit, a window, a CTE, a name. */
const UNTYPED = ["expr", "when", "value", "by", "limit", "offset", "partitionBy", "orderBy", "statement"];
const UNTYPED_VALUES = ["alias", "name", "order", "nulls"];

/** Joins of many relations multiply their rows. */
export const MAX_RELATIONS = 8;

/** What is wrong with a statement; empty for one that may run. */
export function treeProblems(statement: Node): TreeProblem[] {
  if (!["select", "union", "union all", "values", "with"].includes(String(statement.type))) {
    return [{ offset: offsetOf(statement, 0), message: "A check is a select statement." }];
  }
  const names = namesIn(statement);
  const problems: TreeProblem[] = nameProblems(names).map((message) => ({ offset: 0, message }));
  let relations = 0;
  const visit = (value: unknown, parentOffset: number): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, parentOffset);
    const node = asNode(value);
    if (node === undefined) return;
    const offset = offsetOf(node, parentOffset);
    relations += node.type === "table" ? 1 : 0;
    for (const message of problemsAt(node, names)) problems.push({ offset, message });
    const skips = isCountOfRows(node) ? ["args"] : [];
    for (const key of childrenOf(node)) if (!skips.includes(key)) visit(node[key], offset);
  };
  visit(statement, 0);
  if (relations > MAX_RELATIONS) problems.push({ offset: 0, message: `More than ${MAX_RELATIONS} relations.` });
  return problems;
}

function offsetOf(node: Node, otherwise: number): number {
  const start = asNode(node._location)?.start;
  return typeof start === "number" ? start : otherwise;
}

function childrenOf(node: Node): readonly string[] {
  return typeof node.type === "string" ? (CHILDREN[node.type] ?? []) : UNTYPED;
}

function isCountOfRows(node: Node): boolean {
  const [argument, ...others] = sqlNodesOf(node.args);
  const isStar = argument?.type === "ref" && argument.name === "*" && !argument.table;
  return node.type === "call" && sqlNameOf(node.function) === "count" && isStar && others.length === 0;
}

/** Names that the query makes may not hide which column or relation another name means. */
function nameProblems({ ctes, relations, own }: SqlNames): string[] {
  const hidden = new Set(
    [...relations.values()].flatMap((names) => [...names].flatMap((name) => HIDDEN_COLUMNS[name] ?? [])),
  );
  return [
    ...[...ctes]
      .filter((name) => name.startsWith("pg_"))
      .map((name) => `The name ${name} in with may not begin with pg_.`),
    ...[...own].filter((name) => hidden.has(name)).map((name) => `Choose another alias than ${name}.`),
  ];
}

function problemsAt(node: Node, names: SqlNames): string[] {
  const { type } = node;
  const shape = shapeProblems(node);
  if (shape.length > 0) return shape;
  switch (type) {
    case "table":
      return relationProblems(node, names);
    case "call":
      return callProblems(node);
    case "ref":
      return columnProblems(node, names);
    case "cast":
      return typeProblems(node.to);
    case "binary":
      return operatorProblems(String(node.op));
    case "select":
      return starProblems(node);
    default:
      return namesOf(node.using).flatMap((name) => columnProblems({ type: "ref", name }, names));
  }
}

/** Unlisted kinds and properties: `for update`, `skip locked`, operator(schema.name), insert in a CTE, and the unexpected. */
function shapeProblems(node: Node): string[] {
  const { type } = node;
  if (type !== undefined && (typeof type !== "string" || !Object.hasOwn(CHILDREN, type))) {
    return [`A check may not contain ${String(type)}.`];
  }
  const allowed =
    type === undefined ? [...UNTYPED, ...UNTYPED_VALUES] : [...(CHILDREN[type] ?? []), ...(VALUES[type] ?? [])];
  return Object.entries(node)
    .filter(([key, value]) => !["type", "_location", ...allowed].includes(key) && value !== undefined && value !== null)
    .map(([key]) => `A check may not contain ${key === "for" ? "for update or for share" : key} here.`);
}

function relationProblems(node: Node, { ctes }: SqlNames): string[] {
  const relation = asNode(node.name) ?? {};
  const name = sqlNameOf(relation) ?? "";
  const { schema, columnNames } = relation;
  if (typeof schema === "string" && schema !== "pg_catalog") {
    return [`Checks may not read the schema ${schema}, only statistics views and catalogs of the server.`];
  }
  if (schema === undefined && ctes.has(name)) return [];
  if (!RELATIONS.has(name)) {
    return [`Checks may not read ${name}, only statistics views and catalogs of the server without content of tables.`];
  }
  return sqlNodesOf(columnNames).length > 0 ? [`Do not rename the columns of ${name}.`] : [];
}

function callProblems(node: Node): string[] {
  const name = sqlNameOf(node.function) ?? "";
  const schema = asNode(node.function)?.schema;
  if ((schema !== undefined && schema !== "pg_catalog") || !FUNCTIONS.has(name)) {
    return [`Checks may not call ${name}(). ${ALLOWED_CALLS}`];
  }
  if (name !== "current_setting") return [];
  const [setting] = sqlNodesOf(node.args);
  return setting?.type === "string" && READABLE_SETTINGS.has(String(setting.value))
    ? []
    : [
        "current_setting() may read settings of capacity and of the server's processes only, such as 'max_connections'.",
      ];
}

function columnProblems(node: Node, { relations, own, ctes }: SqlNames): string[] {
  const name = String(node.name);
  const table = sqlNameOf(node.table);
  const schema = asNode(node.table)?.schema;
  if (schema !== undefined) return [`Write ${table}.${name} without the schema.`];
  const scope = table === undefined ? [...relations.values()] : [relations.get(table) ?? []];
  const relationNames = scope.flatMap((each) => [...each]);
  if (name === "*") {
    const hiding = table === undefined ? undefined : relationNames.find((each) => HIDDEN_COLUMNS[each]);
    return hiding ? [`Name the columns of ${hiding} instead of *.`] : [];
  }
  if (table !== undefined && relations.has(table)) {
    const lacking = relationNames.find((each) => !RELATIONS.get(each)?.has(name));
    return lacking ? [columnMessage(name, lacking)] : [];
  }
  if (table !== undefined && !own.has(table) && !ctes.has(table)) return [`${table} is not in the from clause.`];
  if (table === undefined && relations.has(name)) return [`${name} is a relation; name a column.`];
  const isColumn = [...relations.values()].some((each) =>
    [...each].some((relation) => RELATIONS.get(relation)?.has(name)),
  );
  return isColumn || own.has(name) ? [] : [columnMessage(name, relationNames.join(", "))];
}

function columnMessage(name: string, relation: string): string {
  const isHidden = relation.split(", ").some((each) => HIDDEN_COLUMNS[each]?.includes(name));
  if (!isHidden) return relation === "" ? `There is no column ${name}.` : `${relation} has no column ${name}.`;
  const instead = IN_PLACE_OF[name];
  return `Checks may not read the column ${name} of ${relation}${instead ? `; ${instead}` : ""}.`;
}

/** A star stands for every column, also for the hidden ones. */
function starProblems(node: Node): string[] {
  const hasStar = sqlNodesOf(node.columns).some(({ expr }) => sqlNameOf(expr) === "*" && !asNode(expr)?.table);
  if (!hasStar) return [];
  return sqlNodesOf(node.from)
    .flatMap(({ type, name }) => (type === "table" ? (sqlNameOf(name) ?? []) : []))
    .filter((relation) => HIDDEN_COLUMNS[relation])
    .map((relation) => `Name the columns of ${relation} instead of *.`);
}

function typeProblems(value: unknown): string[] {
  const type = asNode(value) ?? {};
  if (type.kind === "array") return typeProblems(type.arrayOf);
  const schema = type.schema;
  const name = sqlNameOf(type) ?? "";
  return (schema === undefined || schema === "pg_catalog") && TYPES.has(name.toLowerCase())
    ? []
    : [`Checks may not cast to ${name}.`];
}

function operatorProblems(operator: string): string[] {
  const words = ["AND", "OR", "IN", "NOT IN", "LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE", "AT TIME ZONE"];
  return OPERATORS.has(operator) || words.includes(operator) ? [] : [`The operator ${operator} is refused.`];
}
