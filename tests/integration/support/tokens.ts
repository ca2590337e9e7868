// Access tokens for tests: creation over the API, the header, and the assertion of a problem response.

import { expect } from "vitest";
import { z } from "zod";
import { accessTokenSchema } from "../../../functions/access/access-tokens.ts";
import type { Scope } from "../../../functions/access/caller.ts";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import type { Harness } from "./harness.ts";

export const createdSchema = accessTokenSchema.extend({ token: z.string() });
export type Created = z.infer<typeof createdSchema>;

export function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

/** Creates a token over the API. */
export async function makeToken(
  harness: Harness,
  scopes: readonly Scope[],
  more: { readonly name?: string; readonly expires_in_days?: number; readonly domains?: readonly string[] } = {},
): Promise<Created> {
  const response = await harness.post("/v1/admin/tokens", { name: "grafana", scopes, ...more });
  expect(response.status, await response.clone().text()).toBe(201);
  return createdSchema.parse(await response.json());
}

/** Asserts the status and type of a problem response. @returns the problem */
export async function problemOf(response: Response, status: number, code: string) {
  expect(response.status, await response.clone().text()).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = problemSchema.parse(await response.json());
  expect(problem.type).toBe(`urn:dejavu:problem:${code}`);
  return problem;
}
