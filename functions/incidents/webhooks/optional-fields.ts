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

/** A blank text counts as missing. */
export const optionalText = optional(
  z.string().transform((text) => (text.trim() === "" ? undefined : text)),
  "string",
);
export const optionalNumber = optional(z.number(), "number");
/** Texts by name. Numbers and booleans become text, and other values are left out. */
export const optionalTexts = optional(
  z.custom<object>((value) => typeof value === "object").transform(textsOf),
  "object",
);

export function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]: [string, unknown]): [string, string][] => {
      if (typeof text === "string") return [[name, text]];
      return typeof text === "number" || typeof text === "boolean" ? [[name, String(text)]] : [];
    }),
  );
}
