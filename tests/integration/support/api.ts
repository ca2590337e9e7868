// Requests and assertions for tests of the HTTP API.

import { expect } from "vitest";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import type { Harness } from "./harness.ts";

/** Sends JSON and returns status and body. */
export async function sendJson(harness: Harness, method: string, path: string, body: unknown) {
  const response = await harness.request(path, {
    method,
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return { status: response.status, body: await response.json() };
}

/** Sends a text body. */
export function sendText(
  harness: Harness,
  path: string,
  text: string | Uint8Array<ArrayBuffer>,
  type = "text/markdown",
) {
  return harness.request(path, { method: "PUT", body: text, headers: { "content-type": type } });
}

export async function expectProblem(response: Response, status: number, code: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = problemSchema.parse(await response.json());
  expect(problem).toMatchObject({ type: `urn:dejavu:problem:${code}`, status });
  return problem;
}
