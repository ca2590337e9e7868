// RFC 9457 problem documents: the body of every error response.

import { z } from "@hono/zod-openapi";

export const PROBLEM_TYPE = "application/problem+json";

/** A named schema: the API document holds it once. */
export const problemSchema = z
  .object({
    type: z.string().describe("Stable code of the error. Compare this, not the text."),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().describe("What is wrong and what to do."),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
    dependencies: z.array(z.string()).optional().describe("Roles of the dependencies that failed, such as `database`."),
    request_id: z.string(),
  })
  .openapi("Problem", {
    example: {
      type: "urn:dejavu:problem:invalid-request",
      title: "The request is not valid",
      status: 422,
      detail: "The request is not valid. Correct it and send it again: `limit` must be at most 100.",
      errors: [{ field: "limit", message: "must be at most 100" }],
      request_id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    },
  });
