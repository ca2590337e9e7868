// POST /v1/sources/{name}/try against a real PostgreSQL, and a stand-in for a server of metrics.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { sendJson } from "../support/api.ts";
import { createHarness, emptyStores, info } from "../support/harness.ts";
import { metricsServer } from "../support/servers/metrics-server.ts";
import { problemOf } from "../support/tokens.ts";

const metrics = await metricsServer();
afterAll(() => metrics[Symbol.asyncDispose]());
const database = new URL(info.urls.postgres);
const harness = createHarness({
  EVIDENCE_DB: `${decodeURIComponent(database.username)}:${decodeURIComponent(database.password)}`,
});
harness.expireHung(metrics, "evidence_source");

beforeEach(async () => {
  await emptyStores(harness.services);
  metrics.misbehaviour = undefined;
  metrics.requests.length = 0;
  metrics.series = [];
  await sendJson(harness, "PUT", "/v1/sources/metrics", { kind: "prometheus", url: metrics.url });
  await sendJson(harness, "PUT", "/v1/sources/db", {
    kind: "postgres",
    url: `postgres://${database.host}${database.pathname}?sslmode=disable`,
    credential: "EVIDENCE_DB",
  });
});

async function tried(name: string, body: object, on = harness): Promise<unknown> {
  const response = await on.post(`/v1/sources/${name}/try`, body);
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
}

async function refused(name: string, body: object) {
  const { errors = [] } = await problemOf(await harness.post(`/v1/sources/${name}/try`, body), 422, "invalid-request");
  expect(metrics.requests).toEqual([]);
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

/** The queries that the stand-in received. */
const queries = () =>
  metrics.requests.map((request) => new URL(request.split(" ")[1] ?? "", metrics.url).searchParams.get("query"));

describe("a query that is tried", () => {
  it("is scoped to the labels, judged by the rules, and shown with its result", async () => {
    metrics.series = [{ metric: { instance: "db-1" }, value: "0.97" }];
    const rule = (condition: string, meaning: string) => ({ condition, meaning });
    const answer = await tried("metrics", {
      query: "max by (instance) (used / total)",
      labels: { instance: "db-1" },
      match: ["instance"],
      confirms: rule("any > 0.9", "the slots are nearly used up"),
      refutes: rule("all < 0.7", "the slots are free"),
    });
    const query = 'max by (instance) (used{instance="db-1"} / total{instance="db-1"})';
    expect(answer).toMatchObject({
      ...{ source: "metrics", language: "promql", query, failure: null },
      result: { kind: "series", series: [{ labels: { instance: "db-1" }, points: [[1_772_334_000, 0.97]] }] },
      ...{ verdict: "confirmed", statement: "the slots are nearly used up", rule: "any > 0.9" },
      value: "0.97 (instance=db-1)",
      link: expect.stringContaining("g0.expr"),
    });
    expect(queries()).toEqual([query]);
  });

  it("runs as it is written where there are neither labels nor names", async () => {
    await tried("metrics", { query: "sum(up)" });
    expect(queries()).toEqual(["sum(up)"]);
  });

  it("keeps a hostile label a value", async () => {
    const hostile = '"} or vector(1) # \\';
    await tried("metrics", { query: "up", labels: { pod: hostile }, match: ["pod"] });
    expect(queries()).toEqual([`up{pod="\\"} or vector(1) # \\\\"}`]);
  });

  it("shows values that JSON cannot hold, and none of them decides", async () => {
    metrics.series = ["NaN", "+Inf", "-Inf"].map((value) => ({ metric: {}, value }));
    expect(await tried("metrics", { query: "up", confirms: { condition: "any > 0" } })).toMatchObject({
      verdict: "inconclusive",
      result: { series: ["NaN", "+Inf", "-Inf"].map((value) => ({ points: [[1_772_334_000, value]] })) },
    });
  });

  it("reads a real server's statistics in SQL, with labels as parameters", async () => {
    const query = "select datname, numbackends from pg_stat_database where datname = :datname";
    const answer = await tried("db", {
      query,
      labels: { datname: database.pathname.slice(1) },
      confirms: { condition: "any numbackends > 0", meaning: "somebody is connected" },
    });
    expect(answer).toMatchObject({
      ...{ language: "sql", verdict: "confirmed", link: null },
      result: {
        kind: "rows",
        columns: ["datname", "numbackends"],
        rows: [[database.pathname.slice(1), expect.any(Number)]],
      },
    });
    expect(await tried("db", { query, labels: { datname: "x' or 'a'='a" } })).toMatchObject({ result: { rows: [] } });
  });

  it("returns no secrets and personal data of the source", async () => {
    metrics.series = [
      { metric: { user: "dana@example.com", password: "hunter2hunter2", pod: "checkout-1" }, value: "1" },
    ];
    const answer = await tried("metrics", { query: "up", confirms: { condition: 'any user != "x"' } });
    const text = JSON.stringify(answer);
    expect(text).not.toContain("dana@example.com");
    expect(text).not.toContain("hunter2");
    expect(text).toContain("checkout-1");
    expect(answer).toMatchObject({ verdict: "confirmed" });
  });

  it("is answered with the size and a narrower query where the result is too large", async () => {
    metrics.series = Array.from({ length: 21 }, (_, i) => ({ metric: { pod: `pod-${i}` }, value: "1" }));
    expect(await tried("metrics", { query: "up", confirms: { condition: "any > 0" } })).toMatchObject({
      ...{ verdict: "inconclusive", result: { kind: "too_large", size: "21 series", hint: expect.any(String) } },
    });
  });

  it.each([
    ["hangs", "hang", "timeout"],
    ["drips", "drip", "timeout"],
    ["closes the connection", "cut", "unreachable"],
    ["lies", { body: '{"status":"success"}' }, "invalid_response"],
    ["refuses", { status: 403, body: "secret reason" }, "refused"],
  ] as const)("is inconclusive when the source %s", async (_, misbehaviour, code) => {
    metrics.misbehaviour = misbehaviour;
    const answer = await tried("metrics", { query: "up", refutes: { condition: "all < 1" } });
    expect(answer).toMatchObject({ result: null, failure: { code }, verdict: "inconclusive", value: null });
    expect(JSON.stringify(answer)).not.toContain("secret reason");
    expect(metrics.requests).toHaveLength(1);
  });

  it("is not sent without the credential that the source names", async () => {
    await sendJson(harness, "PUT", "/v1/sources/metrics", {
      ...{ kind: "prometheus", url: metrics.url, credential: "EVIDENCE_NONE" },
    });
    expect(await tried("metrics", { query: "up" })).toMatchObject({
      failure: { code: "missing_credential", detail: expect.stringContaining("EVIDENCE_NONE") },
      verdict: null,
    });
    expect(metrics.requests).toEqual([]);
  });

  it.each([
    ["metrics", { query: '{__name__=~".+"}' }, "query: line 1: "],
    ["metrics", { query: "up)" }, "query: line 1: "],
    ["db", { query: "select pg_sleep(10)" }, "query: line 1: "],
    ["db", { query: "select 1;\ndelete from pg_class" }, "query: "],
    ["db", { query: "select rolpassword from pg_authid" }, "query: line 1: "],
    ["metrics", { query: "up", labels: { pod: "a" }, match: ["namespace"] }, "labels: The alert has no label"],
    ["metrics", { query: "up", labels: { severity: "page" } }, "labels: The alert has no label"],
    ["metrics", { query: "up", language: "sql" }, "language: must be promql"],
    ["metrics", { query: "up", confirms: { condition: "some > 1" } }, "confirms.condition: "],
    ["metrics", { query: "  " }, "query: "],
    ["metrics", { query: "up", extra: 1 }, ""],
  ])("is refused by %s before anything is sent: %j", async (name, body, problem) => {
    expect(await refused(name, body)).toContainEqual(expect.stringContaining(problem));
  });

  it("is answered with 404 for a source that does not exist", async () => {
    await problemOf(await harness.post("/v1/sources/none/try", { query: "up" }), 404, "not-found");
  });
});
