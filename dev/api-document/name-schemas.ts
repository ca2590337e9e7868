// Gives names to the schemas that several operations hold, so that the document states each once. Pure functions.

import { OpenAPIHono, z } from "@hono/zod-openapi";

/** Schemas by their names in the document. */
export type SharedSchemas = Readonly<Record<string, z.ZodType>>;
type JsonObject = Readonly<Record<string, unknown>>;
/** An object schema is stated as a named one and more from this number of common properties on. */
const MIN_COMMON_PROPERTIES = 5;

type NamedSchemas = NonNullable<NonNullable<ReturnType<OpenAPIHono["getOpenAPI31Document"]>["components"]>["schemas"]>;

/**
 * @param generated schemas that have names already
 * @returns all named schemas, and a function that replaces each copy of one by a reference; an object that has all
 * properties of one becomes that reference and its other properties
 */
export function nameSchemas(generated: NamedSchemas, shared: SharedSchemas) {
  const named: NamedSchemas = { ...generated, ...jsonSchemasOf(shared) };
  const names = new Map(Object.entries(named).map(([name, schema]) => [contentOf({ ...schema }), name]));
  const bases = Object.entries(named)
    .map(([name, schema]) => ({ name, properties: propertiesOf({ ...schema }), required: requiredOf({ ...schema }) }))
    .filter(({ properties }) => properties.size >= MIN_COMMON_PROPERTIES)
    .toSorted((a, b) => b.properties.size - a.properties.size);
  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer);
    if (!isObject(value)) return value;
    const isNullable = Array.isArray(value.type) && value.type.includes("null");
    const object = isNullable ? { ...value, type: "object" } : value;
    const name = value.properties === undefined ? undefined : names.get(contentOf(object));
    if (name === undefined) return mapValues(extended(value, bases), refer);
    const reference = { $ref: `#/components/schemas/${name}` };
    return {
      ...(isNullable ? { anyOf: [reference, { type: "null" }] } : reference),
      ...notesOf(value, { ...named[name] }),
    };
  };
  return {
    schemas: mapValues(named, (schema) => mapValues(extended({ ...schema }, bases), refer)),
    refer: <T>(value: T) => refer(value) as T,
  };
}

interface Base {
  readonly name: string;
  /** Each as JSON. */
  readonly properties: ReadonlyMap<string, string>;
  readonly required: readonly string[];
}

/** The schema as the largest named one that it extends, and its other properties. */
function extended(schema: JsonObject, bases: readonly Base[]): JsonObject {
  const { type, properties, required: _, ...rest } = schema;
  if (type !== "object" || !isObject(properties) || "additionalProperties" in rest) return schema;
  const own = propertiesOf(schema);
  const required = requiredOf(schema);
  const base = bases.find(
    (each) =>
      each.properties.size < own.size &&
      [...each.properties].every(([key, property]) => own.get(key) === property) &&
      each.required.every((key) => required.includes(key)),
  );
  if (base === undefined) return schema;
  const others = Object.entries(properties).filter(([key]) => !base.properties.has(key));
  const more = {
    type,
    properties: Object.fromEntries(others),
    required: required.filter((key) => !base.required.includes(key)),
  };
  return { allOf: [{ $ref: `#/components/schemas/${base.name}` }, more], ...rest };
}

function propertiesOf({ properties, additionalProperties }: JsonObject): Map<string, string> {
  const isExtensible = isObject(properties) && additionalProperties === undefined;
  return new Map(isExtensible ? Object.entries(properties).map(([key, each]) => [key, JSON.stringify(each)]) : []);
}

function requiredOf({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.map(String) : [];
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
