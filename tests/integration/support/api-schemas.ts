// Owns how a value is held against a schema of the API document: with ajv, and strictly, so that a field which the
// document does not mention is a fault too.

import { Ajv2020 } from "ajv/dist/2020.js";

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });

/** What is wrong with the value, in words; empty where nothing is. @param schema without references */
export function faultsOf(schema: unknown, value: unknown): string[] {
  const closed = close(schema);
  if (typeof closed !== "object" || closed === null) throw new Error("The document has no schema here.");
  const validate = ajv.compile(closed);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath || "the whole", message, JSON.stringify(params)].join(" "),
  );
}

/** The same schema without room for unknown properties, where it does not ask for them. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (!isRecord(schema)) return schema;
  const { allOf, ...rest } = schema;
  const parts = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, close(value)]));
  const leavesRoom = "additionalProperties" in schema || !("properties" in schema || allOf);
  return {
    ...parts,
    // Each part of an allOf sees the properties of the others.
    ...(allOf !== undefined && { allOf }),
    ...(!leavesRoom && { unevaluatedProperties: false }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
