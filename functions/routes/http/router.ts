// Creates OpenAPI routers that reject invalid input with a problem document.

import { OpenAPIHono } from "@hono/zod-openapi";
import { problemSchema } from "../../schemas/problem.ts";
import type { AppEnv } from "./app-env.ts";
import { problem } from "./problem.ts";

/** Bounds the size of the problem document for any request. */
const MAX_ERRORS = 20;
const MAX_FIELD_LENGTH = 100;

export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const errors = result.error.issues.flatMap((issue) =>
        issue.code === "unrecognized_keys"
          ? issue.keys.map((key) => ({ field: [...issue.path, key].join("."), message: "is not a known field" }))
          : [{ field: issue.path.join(".") || "body", message: issue.message }],
      );
      const shown = errors
        .slice(0, MAX_ERRORS)
        .map(({ field, message }) => ({ field: field.slice(0, MAX_FIELD_LENGTH), message }));
      const fields = shown.map(({ field }) => field).join(", ");
      return problem(c, "invalid-request", `Correct ${fields} and send it again.`, { errors: shown });
    },
  });
}

export function problemContent(description: string) {
  return { description, content: { "application/problem+json": { schema: problemSchema } } };
}
