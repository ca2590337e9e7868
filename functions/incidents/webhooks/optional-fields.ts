// Fields that a payload may lack. A value of another type counts as missing: it is no reason to lose an alert.

import { z } from "@hono/zod-openapi";

/** @param type as JSON Schema names it: the fallback hides the type of the schema from the OpenAPI document */
export function optional<Schema extends z.ZodType>(schema: Schema, type: "string" | "number" | "array" | "object") {
  return schema
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined)
    .openapi({ type: [type, "null"] });
}

export const optionalText = optional(z.string(), "string");
export const optionalNumber = optional(z.number(), "number");
/** Texts by name; other values are left out. */
export const optionalTexts = optional(
  z
    .record(z.string(), z.unknown())
    .transform((values) =>
      Object.fromEntries(
        Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
      ),
    ),
  "object",
);
