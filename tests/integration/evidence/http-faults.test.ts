// Servers of metrics and logs that fail or lie in the form of their API; evidence-client-contract.ts has what holds for
// every HTTP API.

import { describe, expect, it } from "vitest";
import { createLokiClient } from "../../../functions/adapters/evidence/loki.ts";
import { createPrometheusClient } from "../../../functions/adapters/evidence/prometheus.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";
import { describeEvidenceClient, type EvidenceClientCase, PLANTED } from "./evidence-client-contract.ts";

const { startTimer } = createTestTimers();
const AT = new Date("2026-03-01T03:00:00Z");

const success = (data: unknown, more = {}) => ({ body: JSON.stringify({ status: "success", data, ...more }) });
const vector = (result: unknown) => ({ resultType: "vector", result });
const series = (value: unknown) => vector([{ metric: { a: PLANTED }, value }]);

const promql = { language: "promql", expression: `x{a="${PLANTED}"}`, at: AT } as const;
const logql = { language: "logql", expression: `{a="${PLANTED}"}`, start: new Date(0), end: AT } as const;
const empty = success(vector([]));
const CASES: readonly EvidenceClientCase[] = [
  { kind: "prometheus", create: createPrometheusClient, query: promql, foreignQuery: logql, empty },
  { kind: "loki", create: createLokiClient, query: logql, foreignQuery: promql, empty },
];

for (const each of CASES) describeEvidenceClient(each);

describe.each(CASES)("the query API of $kind", ({ kind, create, query }) => {
  const definition = (url: string) => evidenceSourceSchema.parse({ name: kind, kind, url });
  async function resultOf(answer: Answer) {
    await using server = await lyingServer({ answer: () => answer });
    return await create(definition(server.url), PLANTED, startTimer)
      .run(query, { timeoutMs: 10_000 })
      .catch((error: unknown) => error);
  }

  it.each<[string, Answer]>([
    ["no type", success({ result: [] })],
    ["an unknown type", success({ resultType: PLANTED, result: [] })],
    ["a text for the series", success(vector(PLANTED))],
    ["a number for the value", success(series([1, 2]))],
    ["a word for the value", success(series([1, PLANTED]))],
    ["an empty value", success(series([1, ""]))],
    ["a text for the time", success(series(["1", "2"]))],
    ["a number for a label", success(vector([{ metric: { a: 1 }, value: [1, "2"] }]))],
    ["a failure with status 200", { body: `{"status":"error","error":"${PLANTED}"}` }],
    ["a warning", success(series([1, "2"]), { warnings: [PLANTED] })],
    ["a part of the result", success(series([1, "2"]), { isPartial: true })],
  ])("refuses a response with %s", async (_, answer) => {
    const result = await resultOf(answer);
    expect(result).toMatchObject({ name: "DependencyError", failure: "invalid_response" });
    expect(String(result)).not.toContain(PLANTED);
  });

  it.each([
    ["timeout", "timeout"],
    ["bad_data", "refused"],
    ["execution", "refused"],
  ])("reads the error type %s as %s", async (errorType, failure) => {
    const result = await resultOf({
      status: 503,
      body: JSON.stringify({ status: "error", errorType, error: PLANTED }),
    });
    expect(result).toMatchObject({ failure });
    expect(String(result)).not.toContain(PLANTED);
  });

  it("counts more than 20 series", async () => {
    const many = Array.from({ length: 21 }, (_, i) => ({ metric: { i: `${i}` }, value: [1, "2"] }));
    expect(await resultOf(success(vector(many)))).toMatchObject({ kind: "too_large", size: "21 series" });
  });

  it("counts more than 100 points", async () => {
    const values = Array.from({ length: 101 }, (_, i) => [i, "1"]);
    const data = { resultType: "matrix", result: [{ metric: {}, values }] };
    expect(await resultOf(success(data))).toMatchObject({ kind: "too_large", size: "101 points a series" });
  });

  it("takes a histogram for no number", async () => {
    const data = vector([{ metric: {}, histogram: [1, { count: "1" }] }]);
    expect(await resultOf(success(data))).toEqual({
      kind: "series",
      series: [{ labels: {}, points: [[0, Number.NaN]] }],
    });
  });

  it("names a narrower query for a result that is too large", async () => {
    expect(await resultOf({ body: "x".repeat(1_000_000) })).toMatchObject({ hint: expect.stringMatching(/sum by/) });
  });

  it("answers a ping without a version when the server reports none", async () => {
    await using server = await lyingServer({
      answer: (_body, _call, _headers, path) =>
        path.includes("buildinfo") ? { status: 404, body: "no" } : success(vector([])),
    });
    expect(await create(definition(server.url), null, startTimer).ping({ timeoutMs: 5_000 })).toEqual({
      version: null,
    });
  });
});
