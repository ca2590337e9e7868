// Examples in the API document.

import type { z } from "@hono/zod-openapi";

/** Gives fields their examples: schemas that extend this one, or hold one with a name, have them too. */
export function withFieldExamples<Shape extends Readonly<Record<string, z.ZodType>>>(
  schema: z.ZodObject<Shape>,
  examples: { readonly [Name in keyof Shape]?: z.input<Shape[Name]> },
): z.ZodObject<Shape> {
  const fields = Object.entries(examples).map(([name, example]) => [name, schema.shape[name]?.meta({ example })]);
  return schema.extend(Object.fromEntries(fields));
}
