// The log of the real Worker: its lines, the ids on them also after a response, and no secrets.

import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type RunningStack, startWholeStack } from "../../e2e/support/stacks.ts";
import { seedSomeRunbooks } from "../../integration/support/inventory.ts";
import { createPlanter } from "../../integration/support/planted-secrets.ts";
import { commandBody, fakeSlack, signed } from "../../integration/support/servers/slack-server.ts";

const TITLE = "api-gateway docker container exited with code 137";
const planter = createPlanter();
const { plant, word } = planter;
const lineSchema = z.looseObject({ at: z.iso.datetime(), level: z.string(), event: z.string() });

const slack = await fakeSlack();
let directory: string;
let stack: RunningStack;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "dejavu-log-"));
  const variables = { ...slack.environment, LOG_LEVEL: "debug" };
  stack = await startWholeStack({ dir: directory, variables });
  await seedSomeRunbooks(stack.workerEnv);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await slack[Symbol.asyncDispose]();
});

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${stack.info.token}`, "content-type": "application/json" };
  return fetch(new URL(path, stack.info.urls.worker), { ...init, headers: { ...headers, ...init.headers } });
}

const post = (path: string, body: unknown) =>
  call(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });

/** What the Worker wrote, without wrangler's colours, level names and own lines, which the platform does not add. */
async function written(): Promise<string[]> {
  const text = await readFile(join(directory, "logs", "worker.log"), "utf8");
  const [, sinceReady = ""] = stripVTControlCharacters(text).split(/Ready on .*/);
  const own = sinceReady.split("\n").map((line) => line.replace(/^\S+ \[(?:WARNING|ERROR)\] /, "").trim());
  return own.filter((line) => line !== "" && !line.startsWith("[wrangler:"));
}

async function lines(): Promise<z.infer<typeof lineSchema>[]> {
  return (await written()).filter((line) => line.startsWith("{")).map((line) => lineSchema.parse(JSON.parse(line)));
}

it("has the ids of a request on the lines of its background tasks, and no secret of its input", async () => {
  const title = `${TITLE} ${plant("title")}`;
  const triaged = await post("/v1/triage", {
    title,
    logs: plant("logs"),
    labels: { app: plant("label") },
    session_id: word("session"),
  });
  const { incident_id, triage_id } = z
    .object({ incident_id: z.string(), triage_id: z.string() })
    .parse(await triaged.json());
  stack.service("chroma").pause();
  const resolved = await post(`/v1/incidents/${incident_id}/resolve`, {
    resolution: plant("resolution"),
    resolved_by: plant("person"),
  });
  expect(resolved.status).toBe(200);
  const request_id = resolved.headers.get("x-request-id");
  const deferred = async () =>
    (await lines()).filter((line) => line.event === "outbox.deferred" && line.request_id === request_id);
  await expect.poll(deferred, { timeout: 120_000 }).toMatchObject([{ incident_id, level: "warn" }]);
  stack.service("chroma").resume();

  await post(`/v1/triages/${triage_id}/feedback`, { rating: "up", comment: plant("comment"), by: plant("by") });
  await post("/v1/incidents", { title: plant("report") });
  await post("/v1/triage", `{"title": "${plant("broken")}`);
  await post("/v1/triage", { [word("field")]: plant("unknown") });
  await call(`/v1/incidents/${word("id")}?${word("query")}=${word("value")}`);
  await call(`/${word("path")}`, { headers: { authorization: `Bearer ${word("token")}`, cookie: word("cookie") } });
  await post("/mcp", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: word("tool"), arguments: { x: plant("argument") } },
  });
  const command = commandBody(`${TITLE} ${plant("Slack")}`, `${slack.server.url}/commands/1`, {
    user_name: plant("user"),
  });
  await fetch(new URL("/slack", stack.info.urls.worker), signed(command, new Date()));
  await expect.poll(() => slack.posted.length, { timeout: 120_000 }).toBe(1);
  const investigated = async () => (await lines()).filter(({ event }) => event === "outbox.flushed").length;
  await expect.poll(investigated, { timeout: 120_000 }).toBeGreaterThanOrEqual(2);

  const all = await written();
  expect(all.flatMap((line) => planter.foundIn(line).map((where) => [where, line]))).toEqual([]);
  expect(all.filter((line) => !line.startsWith("{"))).toEqual([]);
  const answered = (await lines()).filter(({ event }) => event === "request.answered");
  expect(answered.length).toBeGreaterThanOrEqual(9);
  for (const { request_id } of await lines()) expect(request_id).toMatch(/^[0-9a-f-]{36}$/);
});
