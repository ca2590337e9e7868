// The values of a query's result that a condition compares, each with what it belongs to. Pure functions.

import type { Field } from "./condition.ts";
import { type FieldPath, valuesAt } from "./field-path.ts";
import type { Cell, QueryResult, Series } from "./scope/query.ts";

/** A plain value, and the labels of its series, row or object. */
export interface Measured {
  readonly value: number | string | boolean;
  readonly labels: readonly (readonly [name: string, value: string])[];
}

export type Measurement =
  /** `missing`: series, rows or objects without a value, such as a row with null. */
  | { readonly ok: true; readonly values: readonly Measured[]; readonly missing: number }
  /** One sentence. */
  | { readonly ok: false; readonly reason: string };

type Data = Exclude<QueryResult, { readonly kind: "too_large" }>;

/** How many series, lines, rows or objects there are, and the noun for them. */
export function sizeOf(result: Data): { readonly count: number; readonly noun: string } {
  switch (result.kind) {
    case "series":
      return { count: result.series.length, noun: "series" };
    case "lines":
      return sized(result.lines.length, "log line");
    case "rows":
      return sized(result.rows.length, "row");
    case "objects":
      return sized(result.objects.length, "object");
  }
}

function sized(count: number, noun: string) {
  return { count, noun: count === 1 ? noun : `${noun}s` };
}

/** The values of a field, or of each series, line, row or object itself. */
export function measure(result: Data, field: Field | null): Measurement {
  switch (result.kind) {
    case "series":
      if (field === null) return measureSeries(result.series);
      return measureLabels(
        result.series.map(({ labels }) => labels),
        field,
      );
    case "lines":
      if (field === null) return none("Log lines have no value to compare; only `count` fits them.");
      return measureLabels(
        result.lines.map(({ labels }) => labels),
        field,
      );
    case "rows":
      return measureRows(result.columns, result.rows, field);
    case "objects":
      if (field?.kind !== "path")
        return none("An object has no value of its own; the condition needs a path or `count`.");
      return measureObjects(result.objects, field);
  }
}

function measureSeries(series: readonly Series[]): Measurement {
  const labelled = labelsOf(series.map(({ labels }) => labels));
  return collected(
    series.map(({ points }, i) => {
      const newest = points.at(-1);
      return newest === undefined ? [] : [{ value: newest[1], labels: labelled[i] ?? [] }];
    }),
  );
}

function measureLabels(sets: readonly Readonly<Record<string, string>>[], field: Field): Measurement {
  if (field.kind === "path") return none("Series and log lines have labels; a path fits objects only.");
  const { name } = field;
  const labelled = labelsOf(sets);
  const read = collected(
    sets.map((labels, i) => {
      const value = Object.hasOwn(labels, name) ? labels[name] : undefined;
      const others = labelled[i]?.filter(([label]) => label !== name) ?? [];
      return value === undefined ? [] : [{ value, labels: others }];
    }),
  );
  return read.ok && read.values.length === 0 ? none(`The result has no label "${name}".`) : read;
}

function measureRows(columns: readonly string[], rows: readonly (readonly Cell[])[], field: Field | null): Measurement {
  if (field?.kind === "path") return none("Rows have columns; a path fits objects only.");
  const column = field === null ? valueColumn(columns, rows) : columns.indexOf(field.name);
  if (typeof column === "string") return none(column);
  if (column === -1) return none(`The result has no column "${field?.name}".`);
  const labelled = labelsOf(
    rows.map((row) =>
      Object.fromEntries(
        columns.flatMap((name, i) => {
          const cell = row[i] ?? null;
          return i === column || cell === null ? [] : [[name, String(cell)]];
        }),
      ),
    ),
  );
  return collected(
    rows.map((row, i) => {
      const value = row[column] ?? null;
      return value === null ? [] : [{ value, labels: labelled[i] ?? [] }];
    }),
  );
}

/** The column `value`, else the only one of numbers; a sentence if there is none. */
function valueColumn(columns: readonly string[], rows: readonly (readonly Cell[])[]): number | string {
  const named = columns.indexOf("value");
  if (named !== -1 || columns.length === 1) return Math.max(named, 0);
  const numeric = columns.flatMap((_, i) => {
    const cells = rows.map((row) => row[i] ?? null).filter((cell) => cell !== null);
    return cells.length > 0 && cells.every((cell) => typeof cell === "number") ? [i] : [];
  });
  const [only] = numeric;
  if (only !== undefined && numeric.length === 1) return only;
  return only === undefined
    ? "The rows have no column of numbers; name a column in the condition."
    : "The rows have several columns of numbers; name one in the condition, or name one `value` in the query.";
}

function measureObjects(
  objects: readonly unknown[],
  { path, text }: { readonly path: FieldPath; readonly text: string },
) {
  const reached = objects.map((object) => {
    const labels = objectLabels(object);
    return valuesAt(object, path).map((value) => ({ value, labels }));
  });
  const isPlain = (value: unknown) => ["number", "string", "boolean"].includes(typeof value);
  if (reached.flat().some(({ value }) => !isPlain(value)))
    return none(`\`${text}\` reaches a list or an object, not a plain value.`);
  const read = collected(reached as Measured[][]);
  return read.values.length === 0 ? none(`No object has \`${text}\`.`) : read;
}

function collected(values: readonly (readonly Measured[])[]) {
  return { ok: true as const, values: values.flat(), missing: values.filter(({ length }) => length === 0).length };
}

function none(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** The labels of each set, those first that tell the sets apart. */
function labelsOf(sets: readonly Readonly<Record<string, string>>[]): (readonly [string, string])[][] {
  const values = new Map<string, Set<string>>();
  for (const set of sets)
    for (const [name, value] of Object.entries(set)) values.set(name, (values.get(name) ?? new Set()).add(value));
  const isSame = (name: string) => Number((values.get(name)?.size ?? 0) < 2);
  return sets.map((set) =>
    Object.entries(set)
      .filter(([name]) => name !== "__name__")
      .sort(([a], [b]) => isSame(a) - isSame(b)),
  );
}

function objectLabels(object: unknown): (readonly [string, string])[] {
  const [kind, name, namespace] = [
    [{ kind: "name" as const, name: "kind" }],
    METADATA("name"),
    METADATA("namespace"),
  ].map((path) => valuesAt(object, path).find((value) => typeof value === "string"));
  return [
    ...(typeof name === "string" ? [[typeof kind === "string" ? kind : "name", name] as const] : []),
    ...(typeof namespace === "string" ? [["namespace", namespace] as const] : []),
  ];
}

const METADATA = (name: string): FieldPath => [
  { kind: "name", name: "metadata" },
  { kind: "name", name },
];
