// The MCP protocol: handshake, tool list, scopes and rejected requests.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../../../functions/access/caller.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { connectAgent, openAs } from "../support/mcp-agent.ts";
import { errorOf, INITIALIZE, OOM, rpc, sender, UNKNOWN_ID, UUID } from "./support.ts";

const harness = createHarness();
const send = sender(harness);

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));
beforeEach(() => deleteIncidents(harness.services));

describe("the handshake", () => {
  it("returns name, capabilities and instructions to a real client", async () => {
    const response = await harness.request("/mcp", {
      method: "POST",
      body: INITIALIZE,
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(response.headers.get("mcp-session-id")).toMatch(UUID);
    expect(await response.json()).toEqual({
      jsonrpc: "2.0",
      id: 0,
      result: {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {}, resources: {}, completions: {} },
        serverInfo: { name: "dejavu", title: "Dejavu", version: harness.services.version },
        instructions: expect.stringMatching(/Prefer its tools over general knowledge.+submit_feedback/s),
      },
    });
  });

  it("gives every client a session of its own, and accepts the following notification", async () => {
    const ids = await Promise.all([send(INITIALIZE), send(INITIALIZE)]);
    expect(new Set(ids.map(({ headers }) => headers.get("mcp-session-id"))).size).toBe(2);
    const accepted = await send('{"method":"notifications/initialized","jsonrpc":"2.0"}');
    expect([accepted.status, await accepted.text()]).toEqual([202, ""]);
  });

  it("offers its own protocol version to a newer client, and rejects one that insists", async () => {
    const offered = await send(INITIALIZE.replace("2025-06-18", "2031-01-01"));
    expect(await offered.json()).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    const response = await send(rpc("tools/list"), { "mcp-protocol-version": "2031-01-01" });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).message).toContain("2031-01-01");
  });

  it("allows neither GET nor DELETE", async () => {
    for (const method of ["GET", "DELETE"]) {
      const response = await harness.request("/mcp", { method, headers: { accept: "text/event-stream" } });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  it("answers a ping, and a client that accepts any type", async () => {
    expect(await (await send(rpc("ping"))).json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    const response = await harness.post("/mcp", rpc("tools/list"), { accept: "*/*" });
    expect(await response.json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } });
  });
});

describe("the list of tools", () => {
  it("annotates each tool and describes every argument", async () => {
    await using agent = await connectAgent(harness.open);
    const { tools } = await agent.client.listTools();
    const hints = tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.idempotentHint]);
    expect(hints).toEqual([
      ["search_debugging_knowledge", false, false],
      ["lookup_previous_fixes", true, true],
      ["vector_search", true, true],
      ["submit_feedback", false, true],
      ["ingest_debug_document", false, true],
    ]);
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect(title, name).toBeTruthy();
      expect(description?.length, name).toBeGreaterThan(100);
      expect(annotations, name).toMatchObject({
        // Replacing a text can lose one.
        destructiveHint: name === "ingest_debug_document",
        openWorldHint: false,
      });
      expect(outputSchema?.type, name).toBe("object");
      expect(inputSchema, name).toMatchObject({ additionalProperties: false });
      const fields = z.record(z.string(), z.object({ description: z.string().min(10) }));
      expect(() => fields.parse(inputSchema.properties), name).not.toThrow();
    }
    expect(tools[0]?.inputSchema).toMatchObject({
      required: ["question"],
      properties: { question: { type: "string", maxLength: 500_000 }, logs: { maxLength: 500_000 } },
    });
  });

  it.each([
    [["triage"], ["search_debugging_knowledge"]],
    [["read"], ["lookup_previous_fixes", "vector_search"]],
    [["feedback"], ["submit_feedback"]],
    [["ingest"], ["ingest_debug_document"]],
    [["admin"], []],
  ] as const)("shows a token with %j only %j", async (scopes, names) => {
    await using agent = await connectAgent(openAs(harness.services, scopes));
    const listed = (await agent.client.listTools()).tools.map(({ name }) => name);
    expect(listed).toEqual(names);
    const mentioned = agent.client.getInstructions()?.match(/\b[a-z]+_[a-z_]+\b/g) ?? [];
    expect([...new Set(mentioned)]).toEqual(names);
  });
});

describe("a missing scope", () => {
  it.each([
    ["search_debugging_knowledge", { question: OOM }, "triage"],
    ["lookup_previous_fixes", { problem: OOM }, "read"],
    ["vector_search", { collection: "runbooks", query: OOM }, "read"],
    ["submit_feedback", { rating: "up" }, "feedback"],
    ["ingest_debug_document", { text: "a", source: "a", doc_type: "note" }, "ingest"],
  ] as const)("rejects %s and is named", async (name, args, scope) => {
    const others = SCOPES.filter((each) => each !== scope);
    await using agent = await connectAgent(openAs(harness.services, others));
    expect(await agent.call(name, args)).toMatchObject({
      isError: true,
      text: `This operation needs a token with the scope \`${scope}\`.`,
    });
    expect(await sql`select 1 from public.incidents`).toHaveLength(0);
  });

  it("hides the resources, and rejects requests for them", async () => {
    const open = openAs(harness.services, ["triage"]);
    await using agent = await connectAgent(open);
    expect(agent.client.getServerCapabilities()).toEqual({ tools: {} });
    for (const [method, params] of [
      ["resources/list", {}],
      ["resources/templates/list", {}],
      ["resources/read", { uri: `dejavu://incidents/${UNKNOWN_ID}` }],
    ] as const) {
      const headers = { "content-type": "application/json", accept: "application/json" };
      const { response } = await open("/mcp", { method: "POST", headers, body: JSON.stringify(rpc(method, params)) });
      expect((await errorOf(response)).message).toContain("scope `read`");
    }
  });
});

describe("a bug", () => {
  it("is reported with the request id only", async () => {
    const broken = createHarness();
    const services = {
      ...broken.services,
      now: () => {
        throw new TypeError("planted-secret");
      },
    };
    const { response } = await openAs(services, SCOPES)("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify(rpc("tools/call", { name: "lookup_previous_fixes", arguments: { problem: OOM } })),
    });
    const text = await response.clone().text();
    expect(text).not.toContain("planted");
    const failed = broken.log.find(({ event }) => event === "request.failed");
    expect(await errorOf(response)).toEqual({
      code: -32_603,
      message: `Something went wrong. The log has the reason under request ${failed?.fields.request_id}.`,
    });
  });
});

describe("a batch", () => {
  const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
  const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };
  const OLD = { "mcp-protocol-version": "2025-03-26" };

  /** Sends without the headers of a newer client. */
  const sendBatch = (messages: unknown, headers: Record<string, string> = {}) =>
    harness.post("/mcp", messages, { accept: "application/json, text/event-stream", ...headers });

  it.each([{}, OLD, { "mcp-protocol-version": "2024-11-05" }])("is answered with an array for %j", async (headers) => {
    const messages = [PING, INITIALIZED, { ...rpc("tools/list"), id: "b" }, { ...PING, id: 3 }];
    const response = await sendBatch(messages, headers);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await response.json()).toEqual([
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: "b", result: { tools: expect.any(Array) } },
      { jsonrpc: "2.0", id: 3, result: {} },
    ]);
  });

  it("of one request is answered with an array of one response", async () => {
    expect(await (await sendBatch([PING])).json()).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("of notifications only is accepted without a body", async () => {
    const response = await sendBatch([INITIALIZED, INITIALIZED]);
    expect([response.status, await response.text()]).toEqual([202, ""]);
  });

  it("is answered in order, so that feedback may follow its answer", async () => {
    const session = "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a";
    const call = (id: number, name: string, args: object) => ({ ...rpc("tools/call", { name, arguments: args }), id });
    const messages = [
      call(1, "search_debugging_knowledge", { question: OOM }),
      call(2, "submit_feedback", { rating: "up" }),
    ];
    const response = await sendBatch(messages, { "mcp-session-id": session });
    expect(await response.json()).toMatchObject([
      { id: 1, result: { content: [{ text: expect.stringContaining("confidence") }] } },
      { id: 2, result: { structuredContent: { rating: "up" } } },
    ]);
  });

  it("answers an invalid message and an unknown method with an error, and the others as usual", async () => {
    const response = await sendBatch([
      1,
      { jsonrpc: "1.0", id: 2, method: "ping" },
      { ...PING, method: "nothing" },
      PING,
    ]);
    const invalid = (position: number) => ({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_600, message: expect.stringContaining(`Message ${position} of the batch`) },
    });
    expect(await response.json()).toEqual([
      invalid(1),
      invalid(2),
      { jsonrpc: "2.0", id: 1, error: { code: -32_601, message: expect.any(String) } },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
  });

  it("checks the scope of each message", async () => {
    const messages = [
      rpc("tools/call", { name: "lookup_previous_fixes", arguments: { problem: OOM } }),
      rpc("tools/call", { name: "submit_feedback", arguments: { rating: "up" } }),
    ];
    const headers = { "content-type": "application/json", accept: "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(messages) };
    const { response } = await openAs(harness.services, ["read"])("/mcp", init);
    expect(await response.json()).toMatchObject([
      { result: { structuredContent: expect.any(Object) } },
      { result: { isError: true, content: [{ text: expect.stringContaining("scope `feedback`") }] } },
    ]);
  });

  it("counts each message towards the rate limit", async () => {
    // The middleware, which this app lacks, counts the first.
    let left = 1;
    const limits = { ...harness.services.limits, requests: async () => left-- > 0 };
    const init = {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify([PING, { ...PING, id: 2 }, { ...PING, id: 3 }, INITIALIZED]),
    };
    const { response } = await openAs({ ...harness.services, limits }, ["read"])("/mcp", init);
    expect(await response.json()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
      { id: 3, error: { code: -32_000, message: expect.stringContaining("Wait a minute") } },
    ]);
  });

  it.each([
    ["that is empty", [], OLD, "empty"],
    ["of more messages than allowed", Array.from({ length: 11 }, () => PING), OLD, "at most 10"],
    ["with initialize", [PING, JSON.parse(INITIALIZE)], {}, "initialize"],
    ["of a version without batches", [PING], { "mcp-protocol-version": "2025-06-18" }, "MCP 2025-06-18 has no batches"],
    ["of the latest version", [PING], { "mcp-protocol-version": "2025-11-25" }, "MCP 2025-11-25 has no batches"],
  ] as const)("%s is rejected as a whole", async (_, messages, headers, text) => {
    const response = await sendBatch(messages, headers);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toEqual({ code: -32_600, message: expect.stringContaining(text) });
  });
});

describe("a rejected request", () => {
  it.each(["", "Bearer wrong", "Basic abc"])("with the authorization %j", async (authorization) => {
    const response = await send(INITIALIZE, { authorization });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    expect(response.headers.get("mcp-session-id")).toBeNull();
  });

  it.each(["https://evil.example", "http://localhost:3000", "null"])("from the origin %s", async (origin) => {
    const response = await send(INITIALIZE, { origin });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ type: "urn:dejavu:problem:origin-not-allowed" });
  });

  it.each([
    ["a body that is not JSON", "{", 400],
    ["a body that is not JSON-RPC", "{}", 422],
    ["JSON-RPC of another version", '{"jsonrpc":"1.0","method":"ping","id":1}', 422],
    ["a batch, which its protocol version has not", `[${INITIALIZE}]`, 400],
    ["an id that is an object", '{"jsonrpc":"2.0","method":"ping","id":{}}', 422],
    ["neither a method nor a response", '{"jsonrpc":"2.0","id":1}', 400],
  ])("with %s", async (_, body, status) => {
    expect((await send(body)).status).toBe(status);
  });

  it("names the invalid field of a message, and the body if it is no message at all", async () => {
    const fieldsOf = async (body: unknown) => {
      const errors = z.object({ errors: z.array(z.object({ field: z.string() })) });
      return errors.parse(await (await send(body)).json()).errors.map(({ field }) => field);
    };
    expect(await fieldsOf({ jsonrpc: "1.0", method: "ping", id: 1 })).toEqual(["jsonrpc"]);
    expect(await fieldsOf({ jsonrpc: "2.0", method: 7, id: {} })).toEqual(["id", "method"]);
    expect(await fieldsOf("7")).toEqual(["body"]);
  });

  it("with another content type, or a body beyond the limit", async () => {
    expect((await send(INITIALIZE, { "content-type": "text/plain" })).status).toBe(415);
    expect((await send(`"${"x".repeat(1_100_000)}"`)).status).toBe(413);
  });

  it.each([
    ["prompts/list", {}, -32_601],
    ["tools/call", { name: "drop_tables" }, -32_602],
    ["tools/call", {}, -32_602],
    ["resources/read", {}, -32_602],
    ["initialize", {}, -32_602],
  ])("as %s with %j", async (method, params, code) => {
    expect(await errorOf(await send(rpc(method, params)))).toMatchObject({ code });
  });
});
