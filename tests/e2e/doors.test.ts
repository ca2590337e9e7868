// The front doors as the platform has them: its queues, its limits, its files, under the real Worker.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Stack, startStack } from "../../dev/stack/index.ts";
import { seedSomeRunbooks } from "../integration/support/knowledge.ts";

const OOM = { title: "api-gateway container exited with code 137", target: "api-gateway" };

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ dir: await mkdtemp(join(tmpdir(), "dejavu-doors-")), ephemeral: true });
  await seedSomeRunbooks(stack.workerEnv);
});
afterAll(() => stack?.stop());

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" };
  return fetch(new URL(path, stack.info.urls.worker), { ...init, headers: { ...headers, ...init.headers } });
}

it("investigates what was reported, by the platform's queue", async () => {
  const receipt = await call("/v1/incidents", { method: "POST", body: JSON.stringify(OOM) });
  expect(receipt.status).toBe(202);
  const location = receipt.headers.get("location") ?? "";
  const incident = async () => (await call(location)).json();
  await expect.poll(incident, { timeout: 60_000 }).toMatchObject({ status: "triaged", triage: { outcome: "cause" } });
});
