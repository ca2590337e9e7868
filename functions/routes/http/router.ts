// Creates OpenAPI routers that reject invalid input with a problem document.

import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./app-env.ts";
import { describeInvalidFields, invalidFields } from "./invalid-fields.ts";
import { problem } from "./problem.ts";
import { problemSchema } from "./problem-schema.ts";

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

export function problemContent(description: string) {
  return { description, content: { "application/problem+json": { schema: problemSchema } } };
}
