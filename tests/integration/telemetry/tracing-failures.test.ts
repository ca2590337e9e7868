// What tracing must never do: cost an answer, give away what is secret, pile up, or work where it is off.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { spanOf, startCollector } from "../support/servers/collector.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";
import { rerankServer } from "../support/servers/rerank-server.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway container exited with code 137", target: "api-gateway" };
const PROTOBUF = { "content-type": "application/x-protobuf" };
/** An ExportTraceServiceResponse that says: 3 spans rejected. */
const PARTIAL_SUCCESS = "\u000a\u0002\u0008\u0003";

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

function droppedBy({ log }: Harness) {
  return log.filter(({ event }) => event === "traces.dropped");
}

describe("a collector that", () => {
  it.each<[how: string, answer: Answer, reason: RegExp]>([
    ["cuts the connection", "cut", /connection failed/],
    ["hangs", "hang", /no answer within 200 ms/],
    ["fails", { status: 500, body: "" }, /answered 500/],
    ["is overloaded", { status: 429, body: "", headers: { "retry-after": "60" } }, /answered 429/],
    ["refuses", { status: 401, body: "who are you?" }, /answered 401/],
    ["leads elsewhere", { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } }, /answered 302/],
    ["is the page of a proxy", { body: "<html>", headers: { "content-type": "text/html" } }, /protocol's form/],
    ["answers rubbish", { body: "\u000a\u00ff", headers: PROTOBUF }, /protocol's form/],
  ])("%s costs nothing but its spans, and each of them is counted", async (_how, answer, reason) => {
    const timeoutMs = answer === "hang" ? "200" : "20000";
    await using collector = await lyingServer({ answer: () => answer });
    const harness = createHarness({ OTLP_ENDPOINT: collector.url, OTLP_TIMEOUT_MS: timeoutMs });
    const result = await harness.triage(OOM);
    expect(result).toMatchObject({ outcome: "cause", warnings: [], persisted: true });
    expect(collector.requests.length).toBeGreaterThanOrEqual(2);
    expect(new Set(collector.requests)).toEqual(new Set(["POST /v1/traces"]));
    const dropped = droppedBy(harness);
    expect(dropped).toHaveLength(2);
    expect(dropped.every(({ level }) => level === "debug")).toBe(true);
    expect(dropped.reduce((sum, { fields }) => sum + Number(fields.spans), 0)).toBe(11);
    for (const { fields } of dropped) expect(fields.error).toMatch(reason);
    const metrics = await (await harness.request("/metrics")).text();
    expect(metrics).toContain("\ndejavu_spans_dropped_total 11\n");
    expect(harness.log.some(({ level }) => level === "error")).toBe(false);
  });

  it("is not there at all costs nothing either", async () => {
    const harness = createHarness({ OTLP_ENDPOINT: "http://127.0.0.1:1", OTLP_TIMEOUT_MS: "20000" });
    expect(await harness.triage(OOM)).toMatchObject({ outcome: "cause", persisted: true });
    expect(droppedBy(harness)).toHaveLength(2);
  });

  it.each<[how: string, answer: Answer]>([
    ["in Protocol Buffers", { body: PARTIAL_SUCCESS, headers: PROTOBUF }],
    ["in JSON", { body: '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}' }],
    ["in JSON, as a number", { body: '{"partialSuccess":{"rejectedSpans":3}}' }],
  ])("keeps only some of the spans, and says so %s, has the others counted", async (_how, answer) => {
    await using collector = await lyingServer({ answer: () => answer });
    const harness = createHarness({ OTLP_ENDPOINT: collector.url });
    await harness.triage(OOM);
    expect(droppedBy(harness).map(({ fields }) => fields.spans)).toEqual([3, 3]);
  });

  it.each<[how: string, answer: Answer]>([
    ["an empty answer", { body: "", headers: PROTOBUF }],
    ["JSON, as Phoenix does", { body: "null" }],
    ["JSON without a word of it", { body: "{}" }],
    ["JSON that counts none", { body: '{"partialSuccess":{"errorMessage":"deprecated"}}' }],
    ["JSON that is none", { body: '{"partialSuccess":{"rejectedSpans":' }],
  ])("takes them and says so with %s has lost none", async (_how, answer) => {
    await using collector = await lyingServer({ answer: () => answer });
    const harness = createHarness({ OTLP_ENDPOINT: `${collector.url}/` });
    await harness.triage(OOM);
    expect(collector.requests).toEqual(["POST /v1/traces", "POST /v1/traces"]);
    expect(droppedBy(harness)).toEqual([]);
  });

  it("hangs is waited for by nobody: the answer is there before its time is up", async () => {
    await using collector = await lyingServer({ hang: true });
    const harness = createHarness({ OTLP_ENDPOINT: collector.url, OTLP_TIMEOUT_MS: "28000" });
    const { response } = await harness.open("/v1/triage", {
      method: "POST",
      body: JSON.stringify(OOM),
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ outcome: "cause", persisted: true });
  });
});

describe("spans", () => {
  const TELLING = {
    title: "narwhal: deadlock detected",
    target: "api-walrus",
    labels: { job: "teller-pg" },
    logs: "a penguin was cancelled",
  };
  /** Words of the report that are in no answer. */
  const CAME_IN = ["narwhal", "walrus", "teller", "penguin"];

  const SECRETS = [
    "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB",
    "ann.other@example.com",
    "AKIAIOSFODNN7EXAMPLE",
    "hunter2-very-long-password",
  ] as const;
  const [token, mail, key, password] = SECRETS;
  const LEAKY = {
    title: `api-gateway container exited with code 137 ${token}`,
    question: `why does it die for ${mail}?`,
    target: `api-gateway-${key}`,
    labels: { db_password: password, owner: mail },
    logs: `FATAL token=${token}\nconnect postgres://app:${password}@db/app\nuser ${mail} ${key}`,
    session_id: "on-call-1",
  };

  it("hold no secret of any input, wherever it was planted", async () => {
    await using collector = await startCollector();
    await using model = await scriptedModel();
    await using reranker = await rerankServer(() => 0.5);
    const harness = createHarness({ ...collector.env, ...model.env(), ...reranker.env });
    await harness.triage(LEAKY);
    // Also where a text was stored before its secret was known for one.
    await sql`update public.documents set body = body || ${`\nleft behind: ${token}`} where source like 'docker/%'`;
    try {
      await harness.triage(LEAKY);
    } finally {
      await sql`update public.documents set body = replace(body, ${`\nleft behind: ${token}`}, '') where source like 'docker/%'`;
    }
    const sent = JSON.stringify(collector.traces());
    for (const secret of SECRETS) expect(sent).not.toContain(secret);
    expect(sent).toContain("left behind: [REDACTED");
    expect(collector.traces()).toHaveLength(2);
  });

  it("hold neither inputs nor outputs where these are hidden, and still tell how it went", async () => {
    await using collector = await startCollector();
    await using model = await scriptedModel();
    await using reranker = await rerankServer(() => 0.5);
    const hidden = { OPENINFERENCE_HIDE_INPUTS: "true", OPENINFERENCE_HIDE_OUTPUTS: "true" };
    const harness = createHarness({ ...collector.env, ...model.env(), ...reranker.env, ...hidden });
    const result = await harness.triage({ ...OOM, logs: "a telling line" });
    const trace = collector.only();
    const sent = JSON.stringify(trace);
    for (const text of [OOM.title, "a telling line", "exited with code", result.answer.summary.text])
      expect(sent).not.toContain(text);
    for (const hit of result.recalled.runbooks) expect(sent).not.toContain(hit.text.slice(0, 40));
    expect(spanOf(trace, "synthesise").attributes).toMatchObject({
      "input.value": "__REDACTED__",
      "llm.input_messages.1.message.content": "__REDACTED__",
      "llm.output_messages.0.message.content": "__REDACTED__",
      "llm.token_count.total": expect.any(Number),
    });
    expect(spanOf(trace, "triage").attributes).toMatchObject({ "dejavu.outcome": "cause", "dejavu.domain": "docker" });
    expect(spanOf(trace, "recall runbooks").attributes["retrieval.documents.0.document.score"]).toBeGreaterThan(0);
  });

  it("hold nothing that came in where only inputs are hidden, and still the answer", async () => {
    await using collector = await startCollector();
    await using model = await scriptedModel();
    await using reranker = await rerankServer(() => 0.5);
    const harness = createHarness({
      ...collector.env,
      ...model.env(),
      ...reranker.env,
      OPENINFERENCE_HIDE_INPUTS: "true",
    });
    const result = await harness.triage(TELLING);
    const again = await harness.triage(TELLING);
    expect(again.recalled.incidents.map(({ id }) => id)).toContain(result.incident_id);
    const traces = collector.traces();
    expect(traces).toHaveLength(2);
    for (const text of CAME_IN) expect(JSON.stringify(traces)).not.toContain(text);
    for (const trace of traces)
      expect(spanOf(trace, "guard input").attributes).toMatchObject({ "input.value": "__REDACTED__" });
    const shown = traces.map((trace) => spanOf(trace, "triage").attributes["output.value"]);
    expect(shown).toEqual([again.answer.summary.text, result.answer.summary.text]);
  });

  it("hold nothing that went out where only outputs are hidden, and still what was asked", async () => {
    await using collector = await startCollector();
    await using model = await scriptedModel();
    await using reranker = await rerankServer(() => 0.5);
    const harness = createHarness({
      ...collector.env,
      ...model.env(),
      ...reranker.env,
      OPENINFERENCE_HIDE_OUTPUTS: "true",
    });
    const result = await harness.triage(TELLING);
    const trace = collector.only();
    const attributes = trace.spans.flatMap((span) => Object.entries(span.attributes));
    const came = /^(input\.value|llm\.input_messages\..*\.content)$/;
    // A critic is asked about the answer: to it, the answer is an input.
    const others = attributes.filter(([name]) => !came.test(name)).map(([, value]) => JSON.stringify(value));
    for (const text of [result.answer.summary.text, ...result.recalled.runbooks.map((hit) => hit.text.slice(0, 40))])
      expect(others.join("\n")).not.toContain(text);
    expect(spanOf(trace, "triage").attributes).toMatchObject({
      "input.value": expect.stringContaining(TELLING.title),
      "output.value": "__REDACTED__",
      "dejavu.domain_rule": "label job=teller-pg",
    });
    expect(spanOf(trace, "synthesise").attributes["llm.output_messages.0.message.content"]).toBe("__REDACTED__");
  });

  it("are sent nowhere without an address, and the result names no trace", async () => {
    await using collector = await startCollector();
    const harness = createHarness();
    expect((await harness.triage(OOM)).trace).toBeNull();
    expect(collector.requests).toEqual([]);
    expect(droppedBy(harness)).toEqual([]);
  });
});
