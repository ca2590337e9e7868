// Servers of metrics and logs that fail: each costs one call, within its timeout, and nothing of it enters a message.

import { describe, expect, it } from "vitest";
import type { CreateEvidenceClient, QueryCall } from "../../../functions/adapters/evidence/client.ts";
import { createLokiClient } from "../../../functions/adapters/evidence/loki.ts";
import { createPrometheusClient } from "../../../functions/adapters/evidence/prometheus.ts";
import type { EvidenceQuery } from "../../../functions/schemas/evidence/query.ts";
import { evidenceSourceSchema } from "../../../functions/schemas/evidence/source.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";

const AT = new Date("2026-03-01T03:00:00Z");
const PLANTED = "s3cret-content";
const MEGABYTES_50 = 50_000_000;

interface Case {
  readonly name: string;
  readonly create: CreateEvidenceClient;
  readonly query: EvidenceQuery;
}
const CASES: readonly Case[] = [
  {
    name: "prometheus",
    create: createPrometheusClient,
    query: { language: "promql", expression: `x{a="${PLANTED}"}`, at: AT },
  },
  {
    name: "loki",
    create: createLokiClient,
    query: { language: "logql", expression: `{a="${PLANTED}"}`, start: new Date(0), end: AT },
  },
];

const success = (data: unknown, more = {}) => ({ body: JSON.stringify({ status: "success", data, ...more }) });
const vector = (result: unknown) => ({ resultType: "vector", result });
const series = (value: unknown) => vector([{ metric: { a: PLANTED }, value }]);

describe.each(CASES)("the adapter for $name", ({ name, create, query }) => {
  const definition = (url: string) => evidenceSourceSchema.parse({ name, kind: name, url });
  async function outcome(answer: Answer, call: QueryCall = { timeoutMs: 10_000 }) {
    await using server = await lyingServer({ answer: () => answer });
    const run = create(definition(server.url), PLANTED).run(query, call);
    const result: unknown = await run.catch((error: unknown) => error);
    return { result, requests: server.requests.length };
  }

  it.each<Answer>(["hang", "drip"])("ends at its timeout when the server does: %s", async (answer) => {
    const { result, requests } = await outcome(answer, { timeoutMs: 200 });
    expect(result).toMatchObject({ name: "DependencyError", dependency: "evidence_source", failure: "timeout" });
    expect(requests).toBe(1);
  });

  it("ends when the caller disconnects", async () => {
    const caller = new AbortController();
    await using server = await lyingServer({
      answer: () => {
        caller.abort();
        return "hang";
      },
    });
    const run = create(definition(server.url), null).run(query, { timeoutMs: 60_000, cancelled: caller.signal });
    await expect(run).rejects.toMatchObject({ failure: "cancelled" });
  });

  it.each([
    ["of unknown length", {}, "more than 256 KB"],
    ["that announces its length", { "content-length": `${MEGABYTES_50}` }, "48829 KB"],
  ])("reads no more than 256 KB of 50 MB %s", async (_, headers, size) => {
    const { result } = await outcome({ body: "x".repeat(MEGABYTES_50), headers });
    expect(result).toEqual({ kind: "too_large", size, hint: expect.stringMatching(/sum by/) });
  });

  it.each<[string, Answer]>([
    ["HTML", { body: `<html>${PLANTED}</html>` }],
    ["nothing", { body: "" }],
    ["half of it", { body: '{"status":"success","data":{"resultType":"vector","result":[' }],
    ["null", { body: "null" }],
    ["another API", { body: `{"items":["${PLANTED}"]}` }],
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
    const { result } = await outcome(answer);
    expect(result).toMatchObject({ name: "DependencyError", failure: "invalid_response" });
    expect(String(result)).not.toContain(PLANTED);
  });

  it.each([
    [400, "refused"],
    [401, "refused"],
    [403, "refused"],
    [404, "refused"],
    [422, "refused"],
    [429, "busy"],
    [500, "unreachable"],
    [502, "unreachable"],
    [503, "unreachable"],
    [504, "unreachable"],
  ])("reports status %i as %s, once and without its text", async (status, failure) => {
    const { result, requests } = await outcome({ status, body: `{"status":"error","error":"${PLANTED}"}` });
    expect(result).toMatchObject({ name: "DependencyError", failure, message: expect.stringContaining(`${status}`) });
    expect(String(result)).not.toContain(PLANTED);
    expect(requests).toBe(1);
  });

  it.each([
    ["timeout", "timeout"],
    ["bad_data", "refused"],
    ["execution", "refused"],
  ])("reads the error type %s as %s", async (errorType, failure) => {
    const { result } = await outcome({
      status: 503,
      body: JSON.stringify({ status: "error", errorType, error: PLANTED }),
    });
    expect(result).toMatchObject({ failure });
    expect(String(result)).not.toContain(PLANTED);
  });

  it("reports a connection that is cut", async () => {
    expect((await outcome("cut")).result).toMatchObject({ failure: "unreachable" });
  });

  it("counts more than 20 series", async () => {
    const many = Array.from({ length: 21 }, (_, i) => ({ metric: { i: `${i}` }, value: [1, "2"] }));
    expect((await outcome(success(vector(many)))).result).toMatchObject({ kind: "too_large", size: "21 series" });
  });

  it("counts more than 100 points", async () => {
    const values = Array.from({ length: 101 }, (_, i) => [i, "1"]);
    const data = { resultType: "matrix", result: [{ metric: {}, values }] };
    expect((await outcome(success(data))).result).toMatchObject({ kind: "too_large", size: "101 points a series" });
  });

  it("takes a histogram for no number", async () => {
    const data = vector([{ metric: {}, histogram: [1, { count: "1" }] }]);
    expect((await outcome(success(data))).result).toEqual({
      kind: "series",
      series: [{ labels: {}, points: [[0, Number.NaN]] }],
    });
  });

  it.each(["ftp://server", "not a url", "http://user:s3cret-content@127.0.0.1:9/"])(
    "refuses the address %s without a request",
    async (url) => {
      const error: unknown = await create(definition(url), null)
        .run(query, { timeoutMs: 5_000 })
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({ failure: "refused", message: expect.stringMatching(/url/) });
      expect(String(error)).not.toContain(PLANTED);
    },
  );

  it("reports a ping that another server answers", async () => {
    await using server = await lyingServer({ answer: () => ({ body: '{"hello":"world"}' }) });
    await expect(create(definition(server.url), null).ping({ timeoutMs: 5_000 })).rejects.toMatchObject({
      failure: "invalid_response",
    });
  });

  it("answers a ping without a version when the server reports none", async () => {
    await using server = await lyingServer({
      answer: (_body, _call, _headers, path) =>
        path.includes("buildinfo") ? { status: 404, body: "no" } : success(vector([])),
    });
    expect(await create(definition(server.url), null).ping({ timeoutMs: 5_000 })).toEqual({ version: null });
  });

  it.each([
    ["a-token", "Bearer a-token"],
    ["user:password", `Basic ${btoa("user:password")}`],
    ["Token glsa_abc", "Token glsa_abc"],
    ["Basic dXNlcjpw", "Basic dXNlcjpw"],
  ])("sends the credential %s as %s", async (credential, header) => {
    const sent: unknown[] = [];
    await using server = await lyingServer({
      answer: (_body, _call, headers) => {
        sent.push(headers.authorization);
        return success(vector([]));
      },
    });
    await create(definition(server.url), credential).run(query, { timeoutMs: 5_000 });
    expect(sent).toEqual([header]);
  });
});
