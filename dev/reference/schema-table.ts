// A JSON Schema as a table of fields: one row each, with the fields inside it. Pure.

import { z } from "zod";

const schemaSchema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  required: z.array(z.string()).default([]),
  get properties() {
    return z.record(z.string(), schemaSchema).optional();
  },
  get items() {
    return schemaSchema.optional();
  },
  get anyOf() {
    return z.array(schemaSchema).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaSchema]).optional();
  },
});
type Schema = z.infer<typeof schemaSchema>;

interface Row {
  /** Such as `labels[].match`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly meaning: string;
}

/** @param schema of an object, as `z.toJSONSchema` writes it @returns the table as Markdown */
export function schemaTable(schema: unknown): string {
  const rows = fieldsOf(schemaSchema.parse(schema), { prefix: "", shown: new Map() });
  const lines = rows.map(
    ({ path, type, isRequired, meaning }) => `| \`${path}\` | ${type}${isRequired ? ", required" : ""} | ${meaning} |`,
  );
  return ["| field | type | meaning |", "|---|---|---|", ...lines, ""].join("\n");
}

/** @param shown the path of each list of objects by its fields: they are listed once */
function fieldsOf(
  { properties = {}, required }: Schema,
  { prefix, shown }: { readonly prefix: string; readonly shown: Map<string, string> },
): Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const fields = JSON.stringify(schema.items?.properties);
    const same = shown.get(fields);
    if (fields !== undefined && same === undefined) shown.set(fields, path);
    const row = {
      path,
      type: typeOf(schema),
      isRequired: required.includes(name) && schema.default === undefined,
      meaning: same === undefined ? meaningOf(schema) : `${meaningOf(schema)} The fields of \`${same}\`.`,
    };
    if (same !== undefined) return [row];
    return [
      row,
      ...fieldsOf(schema, { prefix: `${path}.`, shown }),
      ...fieldsOf(schema.items ?? { required: [] }, { prefix: `${path}[].`, shown }),
    ];
  });
}

function meaningOf({ description, items, default: fallback }: Schema): string {
  const isShown = fallback !== undefined && fallback !== null && fallback !== "" && !isEmpty(fallback);
  const text = [description ?? items?.description, isShown ? `Default: \`${JSON.stringify(fallback)}\`.` : undefined];
  return text
    .filter((part) => part !== undefined)
    .map((part) => escapeText(part))
    .join(" ")
    .replaceAll("|", "\\|")
    .replaceAll("\n", " ");
}

/** Outside of code, `<` would begin an element. */
export function escapeText(text: string): string {
  return text
    .split("`")
    .map((part, i) => (i % 2 === 0 ? part.replaceAll("<", "\\<") : part))
    .join("`");
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function typeOf(schema: Schema): string {
  const { type, enum: values, anyOf, items, maxLength, maxItems, additionalProperties } = schema;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(" or ");
  if (anyOf !== undefined) return [...new Set(anyOf.filter(({ type }) => type !== "null").map(typeOf))].join(" or ");
  if (type === "array") return `list of ${items === undefined ? "values" : typeOf(items)}${limit(maxItems, "entries")}`;
  if (type === "object" && typeof additionalProperties === "object")
    return `object with values: ${typeOf(additionalProperties)}`;
  if (type === "string") return `text${limit(maxLength, "characters")}`;
  if (type === "number" || type === "integer") return `${type}${range(schema)}`;
  return [type ?? "any value"].flat().join(" or ");
}

function limit(most: number | undefined, unit: string): string {
  return most === undefined ? "" : ` (≤ ${most.toLocaleString("en")} ${unit})`;
}

/** Bounds that are those of the number format say nothing. */
function range({ minimum, maximum }: Schema): string {
  const isBound = (value: number | undefined) => value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (isBound(minimum) && isBound(maximum)) return ` from ${minimum} to ${maximum}`;
  if (isBound(minimum)) return ` from ${minimum}`;
  return isBound(maximum) ? ` up to ${maximum}` : "";
}
