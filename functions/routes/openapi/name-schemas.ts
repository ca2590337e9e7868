// Gives names to the schemas that several operations hold, so that the document states each once. Pure functions.

import { OpenAPIHono, z } from "@hono/zod-openapi";

/** Schemas by their names in the document. */
export type SharedSchemas = Readonly<Record<string, z.ZodType>>;
type JsonObject = Readonly<Record<string, unknown>>;
type NamedSchemas = NonNullable<NonNullable<ReturnType<OpenAPIHono["getOpenAPI31Document"]>["components"]>["schemas"]>;

/**
 * @param generated schemas that have names already
 * @returns all named schemas, and a function that replaces each copy of one by a reference
 */
export function nameSchemas(generated: NamedSchemas, shared: SharedSchemas) {
  const named: NamedSchemas = { ...generated, ...jsonSchemasOf(shared) };
  const names = new Map(Object.entries(named).map(([name, schema]) => [contentOf({ ...schema }), name]));
  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer);
    if (!isObject(value)) return value;
    const isNullable = Array.isArray(value.type) && value.type.includes("null");
    const object = isNullable ? { ...value, type: "object" } : value;
    const name = value.properties === undefined ? undefined : names.get(contentOf(object));
    if (name === undefined) return mapValues(value, refer);
    const reference = { $ref: `#/components/schemas/${name}` };
    return {
      ...(isNullable ? { anyOf: [reference, { type: "null" }] } : reference),
      ...notesOf(value, { ...named[name] }),
    };
  };
  return {
    schemas: mapValues(named, (schema) => mapValues({ ...schema }, refer)),
    refer: <T>(value: T) => refer(value) as T,
  };
}

/** The description and the example of a copy where they are its own. */
function notesOf(copy: JsonObject, original: JsonObject): JsonObject {
  const own = ["description", "example"].filter(
    (key) => copy[key] !== undefined && JSON.stringify(copy[key]) !== JSON.stringify(original[key]),
  );
  return Object.fromEntries(own.map((key) => [key, copy[key]]));
}

/** The library can name a schema too, but takes the description, default and null of its first use for the schema's own. */
function jsonSchemasOf(shared: SharedSchemas): NamedSchemas {
  const router = new OpenAPIHono();
  router.openAPIRegistry.register("Shared", z.object(shared));
  const { components } = router.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } });
  const { Shared } = components?.schemas ?? {};
  return Shared !== undefined && "properties" in Shared ? { ...Shared.properties } : {};
}

function contentOf({ description: _, example: __, ...content }: JsonObject): string {
  return JSON.stringify(content);
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null;
}
