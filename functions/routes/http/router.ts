// Creates OpenAPI routers that reject invalid input with a problem document.

import { OpenAPIHono, type z } from "@hono/zod-openapi";
import type { AppEnv } from "./app-env.ts";
import { describeInvalidFields, invalidFields } from "./invalid-fields.ts";
import { problem } from "./problem.ts";
import { PROBLEM_TYPE, problemSchema } from "./problem-schema.ts";

export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const errors = invalidFields(result.error, "body");
      const detail = `The request is not valid. Correct it and send it again: ${describeInvalidFields(errors)}`;
      return problem(c, "invalid-request", detail, { errors });
    },
  });
}

/** A JSON response of a route. @param example by default, one is built from the schema */
export function jsonContent<S extends z.ZodType>(description: string, schema: S, example?: unknown) {
  return { description, content: { "application/json": media(schema, example) } };
}

/** The JSON body that a route requires. @param options.example by default, one is built from the schema */
export function bodyContent<S extends z.ZodType>(schema: S, options: { description?: string; example?: unknown } = {}) {
  const { description, example } = options;
  return {
    required: true,
    ...(description !== undefined && { description }),
    content: { "application/json": media(schema, example) },
  };
}

function media<S extends z.ZodType>(schema: S, example: unknown) {
  return { schema, ...(example !== undefined && { example }) };
}

export function problemContent(description: string) {
  return { description, content: { [PROBLEM_TYPE]: { schema: problemSchema } } };
}
