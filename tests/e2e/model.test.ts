// The language model and the reranker through the whole stack: the Worker in workerd, the stores, and fake model servers.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readEvents, type StreamedEvent } from "../../cli/service/event-stream.ts";
import { followTriage, postTriage } from "../../cli/service/triage-client.ts";
import { seedSomeRunbooks } from "../integration/support/inventory.ts";
import type { ModelReply } from "../integration/support/servers/model-server.ts";
import { type RerankServer, rerankServer } from "../integration/support/servers/rerank-server.ts";
import { draftOf, json, type ScriptedModel, scriptedModel } from "../integration/support/servers/scripted-model.ts";
import { type RunningStack, startWorker } from "./support/stacks.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };

let stack: RunningStack;
let model: ScriptedModel;
let reranker: RerankServer;
let synthesise: ModelReply = json(draftOf());
let classify: ModelReply = json({ domain: "docker", incident_type: "oom_killed", search_query: "container killed" });

beforeAll(async () => {
  model = await scriptedModel({ classify: () => classify, synthesise: () => synthesise });
  reranker = await rerankServer((document) => (document.startsWith("Container killed") ? 0.9 : 0.1), { wire: "jina" });
  stack = await startWorker({
    // The second heartbeat that fails shows that the client has disconnected.
    variables: { ...model.env(), ...reranker.env, STREAM_HEARTBEAT_MS: "200" },
  });
  await seedSomeRunbooks(stack.workerEnv);
});
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await reranker[Symbol.asyncDispose]();
});

it("returns the model's answer, in one body and streamed", async () => {
  synthesise = json(draftOf());
  const { worker } = stack.info.urls;
  const result = await postTriage(worker, stack.info.token, OOM);
  expect(result).toMatchObject({ mode: "model", outcome: "cause", confidence: 0.8, warnings: [], persisted: true });
  const events: StreamedEvent[] = [];
  const streamed = await followTriage(worker, stack.info.token, OOM, (event) => events.push(event));
  const kinds = events.map(({ event }) => event).filter((event, i, all) => event !== all[i - 1]);
  expect(kinds).toEqual(["recall", "token", "critique", "done"]);
  expect(streamed.answer.summary).toEqual(result.answer.summary);
});

it("calls the reranker once for each triage and shows the new order", async () => {
  synthesise = json(draftOf());
  const before = reranker.inputs.length;
  const { recalled, warnings } = await postTriage(stack.info.urls.worker, stack.info.token, OOM);
  expect(reranker.inputs.slice(before)).toMatchObject([{ authorization: "Bearer rerank-key" }]);
  expect(warnings).toEqual([]);
  expect(recalled.reranking?.documents[0]).toMatchObject({
    source: "docker/exit-137-out-of-memory.md",
    after: { place: 1, score: 0.9 },
  });
});

it("stops the model when the client disconnects and keeps the incident", async () => {
  synthesise = { kind: "stall", text: JSON.stringify(draftOf()), afterPieces: 40 };
  const controller = new AbortController();
  const response = await fetch(new URL("/v1/triage", stack.info.urls.worker), {
    method: "POST",
    headers: {
      authorization: `Bearer ${stack.info.token}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: JSON.stringify(OOM),
    signal: controller.signal,
  });
  let incident = "";
  for await (const event of readEvents(response.body ?? new ReadableStream())) {
    if (event.event === "recall") incident = event.data.incident_id;
    if (event.event === "token") break;
  }
  controller.abort();
  const call = model.callsOf("synthesise").at(-1);
  await call?.ended;
  expect(call?.aborted).toBe(true);
  await expect
    .poll(
      async () => {
        const stored = await fetch(new URL(`/v1/incidents/${incident}`, stack.info.urls.worker), {
          headers: { authorization: `Bearer ${stack.info.token}` },
        });
        return stored.json();
      },
      { timeout: 120_000 },
    )
    .toMatchObject({ status: "triaged", triage: { mode: "extractive", warnings: [{ code: "cancelled" }] } });
});

it("makes no further model call when the client disconnects before the first event", async () => {
  classify = { kind: "hang" };
  const controller = new AbortController();
  const before = model.steps.length;
  const request = fetch(new URL("/v1/triage", stack.info.urls.worker), {
    method: "POST",
    headers: {
      authorization: `Bearer ${stack.info.token}`,
      "content-type": "application/json",
      accept: "text/event-stream",
    },
    body: JSON.stringify({ question: "why does my container keep dying?" }),
    signal: controller.signal,
  }).catch(() => undefined);
  await expect.poll(() => model.steps.length, { timeout: 120_000 }).toBe(before + 1);
  controller.abort();
  await request;
  const call = model.callsOf("classify").at(-1);
  await call?.ended;
  expect(call?.aborted).toBe(true);
  expect(model.steps.slice(before)).toEqual(["classify"]);
});

it("answers an MCP client, reports progress, and stops the model when the client disconnects", async () => {
  synthesise = json(draftOf());
  classify = json({ domain: "docker", incident_type: "oom_killed", search_query: "container killed" });
  const client = new Client({ name: "a-test", version: "1.0.0" });
  const headers = { authorization: `Bearer ${stack.info.token}` };
  const url = new URL("/mcp", stack.info.urls.worker);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  expect(client.getServerVersion()).toMatchObject({ name: "dejavu" });
  await client.listTools();
  const ask = { name: "search_debugging_knowledge", arguments: { question: OOM.title } };
  const steps: string[] = [];
  const onprogress = ({ message = "" }) => void steps.push(message);
  const answer = await client.callTool(ask, undefined, { onprogress });
  expect(answer).toMatchObject({ structuredContent: { mode: "model", outcome: "cause", confidence: 0.8 } });
  expect(steps[0]).toMatch(/^Searching/);
  expect(steps.at(-1)).toBe("A critic gives draft 1 0.80.");

  synthesise = { kind: "stall", text: JSON.stringify(draftOf()), afterPieces: 40 };
  const { promise: writing, resolve } = Promise.withResolvers<void>();
  const outcome = client
    .callTool(ask, undefined, { onprogress: ({ message }) => message?.startsWith("Writing") && resolve() })
    .catch(() => "disconnected");
  await writing;
  await client.close();
  expect(await outcome).toBe("disconnected");
  const call = model.callsOf("synthesise").at(-1);
  await call?.ended;
  expect(call?.aborted).toBe(true);
});

it("shows its models in the readiness response", async () => {
  const ready = await fetch(new URL("/health/ready", stack.info.urls.worker), {
    headers: { authorization: `Bearer ${stack.info.token}` },
  });
  expect(await ready.json()).toMatchObject({ mode: "model", model: { answer: "anthropic:claude-haiku-4-5" } });
});
