// The MCP protocol: handshake, tool list, scopes and rejected requests.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../../../functions/access/caller.ts";
import { createPerson } from "../cli/support/person.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { connectAgent, ERAS, openAs } from "../support/mcp-agent.ts";
import { listen } from "../support/servers/listen.ts";
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

describe.each(ERAS)("a client of %s", (era) => {
  it("lists tools within 9 KB, and calls one with progress, in an answer within 4 KB with links to the texts", async () => {
    await using agent = await connectAgent(harness.open, era);
    expect(agent.client.getNegotiatedProtocolVersion()).toBe(era);
    expect(agent.client.getInstructions()).toMatch(/Prefer its tools/);
    const listed = await agent.client.listTools();
    expect(Buffer.byteLength(JSON.stringify(listed))).toBeLessThan(9_000);
    const logs = Array.from({ length: 200 }, (_, i) => `ERROR code=${i} out of memory in worker ${i}`).join("\n");
    const steps: string[] = [];
    const { text, links, isError } = await agent.call("search_debugging_knowledge", { question: OOM, logs }, (step) =>
      steps.push(step),
    );
    expect([isError, steps[0]]).toEqual([false, "Searching runbooks and past incidents."]);
    expect(text).toMatch(/\n\[Shortened: read the resource dejavu:.+\(confidence: \d\.\d\d\)$/s);
    const [incident = ""] = links;
    const { contents } = await agent.client.readResource({ uri: incident });
    expect(contents[0]).toMatchObject({ uri: incident, text: expect.stringContaining("## Answer") });
    for (const [name, args] of [
      ["search_debugging_knowledge", { question: OOM, logs }],
      ["lookup_previous_fixes", { problem: OOM }],
      ["vector_search", { collection: "runbooks", query: OOM, limit: 10 }],
    ] as const) {
      const reply = await agent.client.callTool({ name, arguments: args });
      expect(Buffer.byteLength(JSON.stringify(reply)), name).toBeLessThanOrEqual(4_000);
      expect(reply.isError, name).not.toBe(true);
    }
    await agent.settled();
  });
});

describe("the version of 2026-07-28", () => {
  const MODERN = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "a-test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const ask = (method: string, params = {}) =>
    send(rpc(method, { ...params, ...MODERN }), { "mcp-protocol-version": "2026-07-28", "mcp-method": method });

  it("has no sessions, and says how long each list may be kept by its client alone", async () => {
    const response = await ask("server/discover");
    expect([response.status, response.headers.get("mcp-session-id")]).toEqual([200, null]);
    const hour = { ttlMs: 3_600_000, cacheScope: "private" };
    expect(await response.json()).toMatchObject({ result: { supportedVersions: ["2026-07-28"], ...hour } });
    expect(await (await ask("tools/list")).json()).toMatchObject({ result: hour });
    expect(await (await ask("resources/list")).json()).toMatchObject({ result: { ...hour, ttlMs: 60_000 } });
  });

  it("rejects an unknown version, a header that contradicts the message, and a subscription", async () => {
    const unknown = { _meta: { ...MODERN._meta, "io.modelcontextprotocol/protocolVersion": "2031-01-01" } };
    const newer = await send(rpc("tools/list", unknown), {
      "mcp-protocol-version": "2031-01-01",
      "mcp-method": "tools/list",
    });
    expect([newer.status, (await errorOf(newer)).message]).toEqual([400, expect.stringContaining("2031-01-01")]);
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "resources/list" };
    expect((await send(rpc("tools/list", MODERN), headers)).status).toBe(400);
    const subscribed = await ask("subscriptions/listen", { notifications: { toolsListChanged: true } });
    expect(await errorOf(subscribed)).toMatchObject({ code: expect.any(Number) });
  });
});

describe("dejavu mcp", () => {
  const lines = (...messages: unknown[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join("");

  it("passes messages of both versions on, with session and version, and answers what the service cannot", async () => {
    await using server = await listen(harness.services);
    const token = harness.services.config.DEJAVU_TOKEN;
    await using dana = await createPerson({ DEJAVU_URL: server.url, DEJAVU_TOKEN: token });
    const call = { name: "search_debugging_knowledge", arguments: { question: OOM }, _meta: { progressToken: 1 } };
    const modern = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "a-test", version: "1.0.0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const input =
      lines(JSON.parse(INITIALIZE), { jsonrpc: "2.0", method: "notifications/initialized" }, rpc("tools/call", call)) +
      `no message\n\n${lines({ ...rpc("tools/call", { name: "vector_search", arguments: {}, _meta: modern }), id: "m" })}`;
    const { out: stdout, code: exitCode } = await dana.dejavu(["mcp"], { input });
    const replies = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const replyTo = (id: unknown) => replies.find((reply) => reply.id === id);
    expect(exitCode).toBe(0);
    expect(replyTo(0).result.protocolVersion).toBe("2025-06-18");
    expect(replyTo(1).result.structuredContent).toMatchObject({ outcome: "cause" });
    expect(replyTo(null).error.code).toBe(-32_700);
    expect(replyTo("m").result).toMatchObject({ resultType: "complete", isError: true });
    expect(replies.some(({ method }) => method === "notifications/progress")).toBe(true);
    const [row] = await sql`select session_id from public.incidents`;
    expect(row?.session_id).toMatch(/^mcp-/);

    const refused = await dana.dejavu(["mcp"], {
      input: lines(rpc("tools/list")),
      env: { DEJAVU_TOKEN: "wrong" },
    });
    expect(JSON.parse(refused.out)).toMatchObject({ id: 1, error: { message: expect.stringContaining("401") } });
    expect(refused.out + refused.problems).not.toContain("wrong");
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
    for (const { name, title, description, inputSchema, annotations } of tools) {
      expect(title, name).toBeTruthy();
      expect(description?.length, name).toBeGreaterThan(100);
      expect(annotations, name).toMatchObject({
        // Replacing a text can lose one.
        destructiveHint: name === "ingest_debug_document",
        openWorldHint: false,
      });
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

  it("with an array of messages", async () => {
    const response = await send([rpc("ping")]);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toEqual({
      code: -32_600,
      message: "The body is an array. Send one message a request.",
    });
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
