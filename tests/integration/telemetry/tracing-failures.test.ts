// Limits of tracing: a failing collector does not affect answers, spans contain no secrets, and nothing is sent when tracing
// is off.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { spanOf, startCollector } from "../support/servers/collector.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";
import { rerankServer } from "../support/servers/rerank-server.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };
const PROTOBUF = { "content-type": "application/x-protobuf" };
/** An ExportTraceServiceResponse with 3 rejected spans. */
const PARTIAL_SUCCESS = "\u000a\u0002\u0008\u0003";

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

function droppedBy({ log }: Harness) {
  return log.filter(({ event }) => event === "traces.dropped");
}

describe("a collector that", () => {
  it.each<[how: string, answer: Answer, reason: RegExp]>([
    ["cuts the connection", "cut", /connection failed/],
    ["hangs", "hang", /no answer within 5000 ms/],
    ["fails", { status: 500, body: "" }, /answered 500/],
    ["is overloaded", { status: 429, body: "", headers: { "retry-after": "60" } }, /answered 429/],
    ["refuses", { status: 401, body: "who are you?" }, /answered 401/],
    ["redirects", { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } }, /answered 302/],
    [
      "returns the HTML page of a proxy",
      { body: "<html>", headers: { "content-type": "text/html" } },
      /protocol's form/,
    ],
    ["sends an invalid response", { body: "\u000a\u00ff", headers: PROTOBUF }, /protocol's form/],
  ])("%s costs only spans, and each of them is counted", async (_how, answer, reason) => {
    await using collector = await lyingServer({ answer: () => answer });
    const harness = createHarness({ OTLP_ENDPOINT: collector.url });
    harness.expireHung(collector, "trace_collector");
    const result = await harness.triage(OOM);
    expect(result).toMatchObject({ outcome: "cause", warnings: [], persisted: true });
    expect(collector.requests.length).toBeGreaterThanOrEqual(2);
    expect(new Set(collector.requests)).toEqual(new Set(["POST /v1/traces"]));
    const dropped = droppedBy(harness);
    expect(dropped).toHaveLength(2);
    expect(dropped.every(({ level }) => level === "debug")).toBe(true);
    expect(dropped.reduce((sum, { fields }) => sum + Number(fields.spans), 0)).toBe(10);
    for (const { fields } of dropped) expect(fields.error).toMatch(reason);
    const metrics = await (await harness.request("/metrics")).text();
    expect(metrics).toContain("\ndejavu_spans_dropped_total 10\n");
    expect(harness.log.some(({ level }) => level === "error")).toBe(false);
  });

  it("does not exist costs only spans", async () => {
    const harness = createHarness({ OTLP_ENDPOINT: "http://127.0.0.1:1" });
    expect(await harness.triage(OOM)).toMatchObject({ outcome: "cause", persisted: true });
    expect(droppedBy(harness)).toHaveLength(2);
  });

  it.each<[how: string, answer: Answer]>([
    ["in Protocol Buffers", { body: PARTIAL_SUCCESS, headers: PROTOBUF }],
    ["in JSON", { body: '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}' }],
    ["in JSON, as a number", { body: '{"partialSuccess":{"rejectedSpans":3}}' }],
  ])("rejects some spans and reports that %s has the rejected ones counted", async (_how, answer) => {
    await using collector = await lyingServer({ answer: () => answer });
    const harness = createHarness({ OTLP_ENDPOINT: collector.url });
    await harness.triage(OOM);
    expect(droppedBy(harness).map(({ fields }) => fields.spans)).toEqual([3, 3]);
  });

  it.each<[how: string, answer: Answer]>([
    ["an empty answer", { body: "", headers: PROTOBUF }],
    ["JSON, as Phoenix does", { body: "null" }],
    ["JSON without the field", { body: "{}" }],
    ["JSON without a count", { body: '{"partialSuccess":{"errorMessage":"deprecated"}}' }],
    ["invalid JSON", { body: '{"partialSuccess":{"rejectedSpans":' }],
  ])("accepts the spans with %s has none counted as dropped", async (_how, answer) => {
    await using collector = await lyingServer({ answer: () => answer });
    const harness = createHarness({ OTLP_ENDPOINT: `${collector.url}/` });
    await harness.triage(OOM);
    expect(collector.requests).toEqual(["POST /v1/traces", "POST /v1/traces"]);
    expect(droppedBy(harness)).toEqual([]);
  });

  it("hangs does not delay the response", async () => {
    await using collector = await lyingServer({ hang: true });
    const harness = createHarness({ OTLP_ENDPOINT: collector.url });
    const { response, context } = await harness.open("/v1/triage", {
      method: "POST",
      body: JSON.stringify(OOM),
      headers: { "content-type": "application/json" },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ outcome: "cause", persisted: true });
    harness.expireHung(collector, "trace_collector");
    await context.settled();
  });
});

describe("spans", () => {
  const SECRET_REPORT = {
    title: "narwhal: deadlock detected",
    target: "api-walrus",
    labels: { job: "teller-pg" },
    logs: "a penguin was cancelled",
  };
  /** Words of the report that occur in no answer. */
  const REPORT_WORDS = ["narwhal", "walrus", "teller", "penguin"];

  const SECRETS = [
    "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB",
    "ann.other@example.com",
    "AKIAIOSFODNN7EXAMPLE",
    "hunter2-very-long-password",
  ] as const;
  const [token, mail, key, password] = SECRETS;
  const LEAKY = {
    title: `api-gateway docker container exited with code 137 ${token}`,
    question: `why does it die for ${mail}?`,
    target: `api-gateway-${key}`,
    labels: { db_password: password, owner: mail },
    logs: `FATAL token=${token}\nconnect postgres://app:${password}@db/app\nuser ${mail} ${key}`,
    session_id: "on-call-1",
  };

  it("contain no secret of any input field", async () => {
    await using collector = await startCollector();
    await using model = await scriptedModel();
    await using reranker = await rerankServer(() => 0.5);
    const harness = createHarness({ ...collector.env, ...model.env(), ...reranker.env });
    await harness.triage(LEAKY);
    // This includes a text that was stored before its secret was recognised.
    await sql`update public.documents set body = body || ${`\nstored before: ${token}`} where source like 'docker/%'`;
    try {
      await harness.triage(LEAKY);
    } finally {
      await sql`update public.documents set body = replace(body, ${`\nstored before: ${token}`}, '') where source like 'docker/%'`;
    }
    const sent = JSON.stringify(collector.traces());
    for (const secret of SECRETS) expect(sent).not.toContain(secret);
    expect(sent).toContain("stored before: [REDACTED");
    expect(collector.traces()).toHaveLength(2);
  });

  it("contain neither inputs nor outputs when texts are hidden, but the other attributes", async () => {
    await using collector = await startCollector();
    await using model = await scriptedModel();
    await using reranker = await rerankServer(() => 0.5);
    const environment = { ...collector.env, ...model.env(), ...reranker.env, HIDE_TRACE_TEXTS: "true" };
    const harness = createHarness(environment);
    const result = await harness.triage({ ...OOM, logs: "a revealing line" });
    const trace = collector.only();
    const sent = JSON.stringify(trace);
    for (const text of [OOM.title, "a revealing line", "exited with code", result.answer.summary.text])
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

  it("contain no word of the report when texts are hidden, nor where it is recalled", async () => {
    await using collector = await startCollector();
    await using model = await scriptedModel();
    await using reranker = await rerankServer(() => 0.5);
    const environment = { ...collector.env, ...model.env(), ...reranker.env, HIDE_TRACE_TEXTS: "true" };
    const harness = createHarness(environment);
    const result = await harness.triage(SECRET_REPORT);
    const again = await harness.triage(SECRET_REPORT);
    expect(again.recalled.incidents.map(({ id }) => id)).toContain(result.incident_id);
    const traces = collector.traces();
    expect(traces).toHaveLength(2);
    for (const text of REPORT_WORDS) expect(JSON.stringify(traces)).not.toContain(text);
    for (const trace of traces)
      expect(spanOf(trace, "guard input").attributes).toMatchObject({ "input.value": "__REDACTED__" });
  });

  it("are not sent without an endpoint, and the result has no trace", async () => {
    await using collector = await startCollector();
    const harness = createHarness();
    expect((await harness.triage(OOM)).trace).toBeNull();
    expect(collector.requests).toEqual([]);
    expect(droppedBy(harness)).toEqual([]);
  });
});
