// Creates OpenAPI routers that reject invalid input with a problem document.

import { OpenAPIHono, type z } from "@hono/zod-openapi";
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
      const errors = result.error.issues
        .flatMap(issuesOf)
        .flatMap((issue) =>
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

type Issue = z.core.$ZodIssue;

/** Of a value with several allowed forms, the issues of the one form whose type it has; else the issue itself. */
function issuesOf(issue: Issue): Issue[] {
  if (issue.code !== "invalid_union") return [issue];
  const forms = issue.errors.filter(
    (errors) => !errors.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  const [form] = forms;
  if (form === undefined || forms.length > 1) return [issue];
  return form.flatMap((inner) => issuesOf({ ...inner, path: [...issue.path, ...inner.path] }));
}

export function problemContent(description: string) {
  return { description, content: { "application/problem+json": { schema: problemSchema } } };
}
