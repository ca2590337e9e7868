// Access tokens and the platform's rate limits in the real Worker.

import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { problemSchema } from "../../functions/routes/http/problem-schema.ts";
import { type RunningStack, startWorker } from "./support/stacks.ts";

const LIMIT = 10;
/** So many requests in less than a minute span at most two windows and exceed the limit in one of them. */
const TOO_MANY = 2 * LIMIT + 1;

let stack: RunningStack;
beforeAll(async () => {
  stack = await startWorker({ requestsPerMinute: LIMIT });
});
afterAll(() => stack?.[Symbol.asyncDispose]());

function call(path: string, token: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(new URL(path, stack.info.urls.worker), { ...init, headers });
}

async function makeToken(scopes: readonly string[]): Promise<string> {
  const body = JSON.stringify({ name: "grafana", scopes });
  const response = await call("/v1/admin/tokens", stack.info.token, { method: "POST", body });
  expect(response.status, await response.clone().text()).toBe(201);
  return z.object({ token: z.string() }).parse(await response.json()).token;
}

async function expectLimit(responses: readonly Response[], otherwise: number): Promise<void> {
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([otherwise, 429]));
  const refused = responses.find(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toBe("60");
  expect(problemSchema.parse(await refused?.json()).type).toBe("urn:dejavu:problem:rate-limited");
}

it("a new token works within its scopes up to the rate limit", async () => {
  const token = await makeToken(["read"]);
  expect((await call("/v1/incidents", token)).status).toBe(200);
  expect((await call("/v1/admin/tokens", token)).status).toBe(403);
  await expectLimit(await Promise.all(Array.from({ length: TOO_MANY }, () => call("/v1/incidents", token))), 200);
});

it("wrong tokens from one address are limited", async () => {
  const guesses = Array.from({ length: TOO_MANY }, (_, i) => call("/v1/incidents", `wrong-secret-${i}`));
  await expectLimit(await Promise.all(guesses), 401);
});
