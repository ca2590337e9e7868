// Owns how every front door is built: one OpenAPI router with one way to refuse invalid input.

import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./app-env.ts";
import { problem, problemSchema } from "./problem.ts";

export function createRouter() {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result, c) => {
      if (result.success) return undefined;
      const errors = result.error.issues.flatMap((issue) =>
        issue.code === "unrecognized_keys"
          ? issue.keys.map((key) => ({ field: [...issue.path, key].join("."), message: "is not a known field" }))
          : [{ field: issue.path.join(".") || "body", message: issue.message }],
      );
      return problem(
        c,
        "invalid-request",
        `Correct ${errors.map(({ field }) => field).join(", ")} and send it again.`,
        { errors },
      );
    },
  });
}

export function problemContent(description: string) {
  return { description, content: { "application/problem+json": { schema: problemSchema } } };
}
