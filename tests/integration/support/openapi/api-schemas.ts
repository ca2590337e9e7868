// Validates values against schemas of the API document with ajv. A field that the document lacks is an error too.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
/** By schema: compiling one takes as long as validating a thousand values. */
const validators = new Map<unknown, ValidateFunction>();

/** One sentence for each violation; empty for a valid value. @param schema without references */
export function faultsOf(schema: unknown, value: unknown): string[] {
  const validate = validators.get(schema) ?? compiled(schema);
  validators.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath || "the value", message, JSON.stringify(params)].join(" "),
  );
}

function compiled(schema: unknown): ValidateFunction {
  const closed = close(schema);
  if (typeof closed !== "object" || closed === null) throw new Error("The document has no schema here.");
  return ajv.compile(closed);
}

/** The same schema, closed to unknown properties unless it allows them explicitly. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (!isRecord(schema)) return schema;
  const isOpen = "additionalProperties" in schema || !("properties" in schema || "allOf" in schema);
  return { ...closeParts(schema), ...(!isOpen && { unevaluatedProperties: false }) };
}

/** Each part of an allOf sees the properties of the others: only what is in it is closed. */
function closeParts({ allOf, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const parts = Array.isArray(allOf) ? { allOf: allOf.map((part) => (isRecord(part) ? closeParts(part) : part)) } : {};
  return { ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, close(value)])), ...parts };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
