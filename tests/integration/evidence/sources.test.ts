// Sources of evidence over the API: definitions, health, and what becomes of their secrets.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { MAX_SOURCES } from "../../../functions/evidence-sources/source-definition.ts";
import { loadSources } from "../../../functions/evidence-sources/source-records.ts";
import { sendJson } from "../support/api.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { metricsServer } from "../support/servers/metrics-server.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const SECRET = "planted-metrics-token-4711";
const metrics = await metricsServer(`Bearer ${SECRET}`);
afterAll(() => metrics[Symbol.asyncDispose]());
const harness = createHarness({
  EVIDENCE_PROD: SECRET,
  EVIDENCE_WRONG: "another-token-4712",
});
harness.expireHung(metrics, "evidence_source");
const { services } = harness;

const INPUT = { kind: "prometheus", url: metrics.url, credential: "EVIDENCE_PROD" };
const healthSchema = z.looseObject({
  status: z.string(),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
});
const recordSchema = z.looseObject({ name: z.string(), health: healthSchema.nullable() });
const listSchema = z.object({ sources: z.array(recordSchema) });

beforeEach(async () => {
  await emptyStores(services);
  metrics.misbehaviour = undefined;
  metrics.requests.length = 0;
  harness.log.length = 0;
});

function put(name: string, body: object, on = harness) {
  return sendJson(on, "PUT", `/v1/sources/${name}`, body);
}

async function list(path = "/v1/sources", on = harness) {
  return listSchema.parse(await (await on.request(path)).json()).sources;
}

async function healthOf(name: string) {
  const response = await harness.request(`/v1/sources/${name}`);
  expect(response.status).toBe(200);
  return recordSchema.parse(await response.json()).health;
}

describe("a source of evidence", () => {
  it("is defined, read, replaced and deleted", async () => {
    const created = await put("prod", { ...INPUT, labels: { cluster: ["eu", "us"] }, domains: ["orders", "kafka"] });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      name: "prod",
      ...INPUT,
      headers: {},
      labels: { cluster: ["eu", "us"] },
      domains: ["kafka", "orders"],
      open_url: null,
      language: "promql",
      credential_exists: true,
      defined_by: "api",
      health: null,
      created_at: expect.stringMatching(/^2026-/),
      updated_at: expect.stringMatching(/^2026-/),
    });
    expect((await put("prod", { ...INPUT, credential: null })).status).toBe(200);
    expect(await (await harness.request("/v1/sources/prod?health=false")).json()).toMatchObject({
      ...{ credential: null, credential_exists: null, labels: {}, domains: [], health: null },
    });
    expect(metrics.requests).toEqual([]);
    expect((await harness.request("/v1/sources/prod", { method: "DELETE" })).status).toBe(204);
    await problemOf(await harness.request("/v1/sources/prod"), 404, "not-found");
    await problemOf(await harness.request("/v1/sources/prod", { method: "DELETE" }), 404, "not-found");
  });

  it("changes the version with each change, and with nothing else", async () => {
    const version = async () => (await loadSources(services.database, null)).version;
    const versions = [await version()];
    for (const url of ["http://127.0.0.1:1", "http://127.0.0.1:2"]) {
      await put("prod", { ...INPUT, url });
      versions.push(await version());
      await put("prod", { ...INPUT, url });
      expect(await version()).toBe(versions.at(-1));
    }
    await put("other", INPUT);
    versions.push(await version());
    expect(new Set(versions).size).toBe(4);
    const { sources } = await loadSources(services.database, versions[3] ?? null);
    expect(sources).toBeNull();
    await harness.request("/v1/sources/other", { method: "DELETE" });
    expect(await version()).toBe(versions[2]);
  });

  it("is known to the isolate after the next read", async () => {
    await put("prod", INPUT);
    await list();
    expect(services.evidenceSources.store.current().definitions.map(({ name }) => name)).toEqual(["prod"]);
  });

  it.each([
    ["a secret of Dejavu", { credential: "SUPABASE_SERVICE_ROLE_KEY" }, "credential"],
    ["a password in its address", { url: "http://a:b@127.0.0.1" }, "url"],
    ["the metadata service of a cloud", { url: "http://169.254.169.254" }, "url"],
    ["a credential in clear text", { url: "http://metrics.corp.com" }, "url"],
    ["an unknown field", { password: "x" }, ""],
    ["an unknown kind", { kind: "carbon" }, "kind"],
  ])("is refused with %s", async (_, parts, field) => {
    const response = await harness.request("/v1/sources/prod", {
      method: "PUT",
      body: JSON.stringify({ ...INPUT, ...parts }),
      headers: { "content-type": "application/json" },
    });
    const { errors = [] } = await problemOf(response, 422, "invalid-request");
    expect(errors.map((error) => error.field)).toEqual([expect.stringContaining(field)]);
    expect(await list("/v1/sources?health=false")).toEqual([]);
  });

  it(`is refused beyond ${MAX_SOURCES}; those that exist may change`, async () => {
    await sql`insert into public.evidence_sources (name, kind, url)
      select 'source-' || i, 'prometheus', 'http://127.0.0.1:9' from generate_series(1, ${MAX_SOURCES}) i`;
    const response = await harness.request("/v1/sources/one-more", {
      method: "PUT",
      body: JSON.stringify(INPUT),
      headers: { "content-type": "application/json" },
    });
    await problemOf(response, 409, "too-many-sources");
    expect((await put("source-1", INPUT)).status).toBe(200);
  });

  it("leaves an audit event when it is defined or deleted, and none when it is tried", async () => {
    await put("prod", INPUT);
    await harness.post("/v1/sources/prod/try", { query: "up" });
    await harness.request("/v1/sources/prod", { method: "DELETE" });
    const events = await sql`select subject_id, detail ->> 'method' as method from public.audit_events order by id`;
    expect(events.map((event) => ({ ...event }))).toEqual([
      { subject_id: "prod", method: "PUT" },
      { subject_id: "prod", method: "DELETE" },
    ]);
  });
});

describe("the health of a source", () => {
  it("shows version and latency, with the credential sent", async () => {
    await put("prod", INPUT);
    const latency_ms = expect.any(Number);
    expect(await healthOf("prod")).toEqual({ status: "ok", reason: null, detail: null, version: "2.42.0", latency_ms });
    expect(new Set(metrics.headers.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${SECRET}`]));
  });

  it.each([
    ["a wrong credential", { credential: "EVIDENCE_WRONG" }, "refused", /401: check the credential/],
    ["a credential that the Worker lacks", { credential: "EVIDENCE_NONE" }, "missing_credential", /EVIDENCE_NONE/],
    ["no server", { url: "http://127.0.0.1:9" }, "unreachable", /connection failed/],
  ])("is failing with %s", async (_, parts, reason, detail) => {
    await put("prod", { ...INPUT, ...parts });
    expect(await healthOf("prod")).toMatchObject({ status: "failing", reason, detail: expect.stringMatching(detail) });
  });

  it.each([
    ["hangs", "hang", "timeout"],
    ["drips", "drip", "timeout"],
    ["closes the connection", "cut", "unreachable"],
    ["lies", { body: "<html>" }, "invalid_response"],
  ] as const)("is failing when the server %s", async (_, misbehaviour, reason) => {
    await put("prod", INPUT);
    metrics.misbehaviour = misbehaviour;
    expect(await healthOf("prod")).toMatchObject({ status: "failing", reason });
  });

  it("is failing when the server redirects, and the credential goes nowhere else", async () => {
    await using thief = await lyingServer({ answer: () => ({ body: "{}" }) });
    await put("prod", INPUT);
    metrics.misbehaviour = { status: 302, body: "", headers: { location: `${thief.url}/` } };
    expect(await healthOf("prod")).toMatchObject({ reason: "refused", detail: expect.stringContaining("redirect") });
    expect(thief.requests).toEqual([]);
  });

  it("is asked of 8 sources at once, and all are shown", async () => {
    const [waiting, counts]: [(() => void)[], number[]] = [[], []];
    let total = 0;
    await using slow = await lyingServer({
      answer: async (_body, _call, _headers, path) => {
        // The other request of a check of the health.
        if (path.endsWith("/buildinfo")) return "cut" as const;
        await new Promise<void>((resolve) => {
          counts.push(waiting.push(resolve));
          total += 1;
          // As many as may run at once, or the rest.
          if (waiting.length === 8 || total === 30) for (const release of waiting.splice(0)) release();
        });
        return "cut" as const;
      },
    });
    await sql`insert into public.evidence_sources (name, kind, url)
      select 'source-' || i, 'loki', ${slow.url} from generate_series(10, 39) i`;
    const sources = await list("/v1/sources", createHarness());
    expect(sources.map(({ name }) => name)).toEqual(Array.from({ length: 30 }, (_, i) => `source-${i + 10}`));
    expect([total, Math.max(...counts)]).toEqual([30, 8]);
  });

  it("is no part of the readiness of Dejavu", async () => {
    await put("prod", { ...INPUT, url: "http://127.0.0.1:9" });
    const response = await harness.request("/health/ready");
    expect(await response.json()).toMatchObject({ status: "ready" });
  });
});

describe("the secret of a source", () => {
  it("is in no answer, no row and no line of the log", async () => {
    const answers: string[] = [];
    const send = async (path: string, init?: RequestInit) => {
      const response = await harness.request(path, init);
      answers.push(await response.text(), JSON.stringify([...response.headers]));
    };
    const json = (method: string, body: unknown) => ({
      method,
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
    await send("/v1/sources/prod", json("PUT", INPUT));
    for (const misbehaviour of [undefined, { status: 401, body: `no ${SECRET}` }, { body: SECRET }, "cut"] as const) {
      metrics.misbehaviour = misbehaviour;
      await send("/v1/sources");
      await send("/v1/sources/prod");
      await send("/v1/sources/prod/try", json("POST", { query: "up" }));
    }
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter((text) => text.includes(SECRET))).toEqual([]);
    expect(JSON.stringify(harness.log)).not.toContain(SECRET);
    const rows = await sql`select to_jsonb(s)::text as t from public.evidence_sources s
      union all select to_jsonb(a)::text from public.audit_events a`;
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain(SECRET);
  });
});

describe("a source of the environment", () => {
  const withSettings = createHarness({
    PROMETHEUS_URL: metrics.url,
    PROMETHEUS_CREDENTIAL: SECRET,
    POSTGRES_CHECKS_URL: "postgres://127.0.0.1:9/postgres",
    POSTGRES_CHECKS_CREDENTIAL: { connectionString: "postgres://u:p@127.0.0.1:9/postgres" },
  });

  it("is listed with its settings, without their secrets", async () => {
    const sources = await list("/v1/sources", withSettings);
    expect(sources).toMatchObject([
      {
        name: "postgres",
        credential: "POSTGRES_CHECKS_CREDENTIAL",
        health: { status: "failing", reason: "unreachable" },
      },
      {
        name: "prometheus",
        ...{
          credential: "PROMETHEUS_CREDENTIAL",
          credential_exists: true,
          defined_by: "environment",
          created_at: null,
        },
        health: { status: "ok", version: "2.42.0" },
      },
    ]);
    expect(JSON.stringify(sources)).not.toContain(SECRET);
  });

  it("is neither replaced nor deleted by the API, which names its setting", async () => {
    for (const method of ["PUT", "DELETE"]) {
      const init = method === "PUT" ? { body: JSON.stringify(INPUT) } : {};
      const headers = { "content-type": "application/json" };
      const response = await withSettings.request("/v1/sources/prometheus", { method, headers, ...init });
      const { detail } = await problemOf(response, 409, "source-fixed");
      expect(detail).toContain("PROMETHEUS_URL");
    }
  });

  it("hides a row of its name, which can be deleted", async () => {
    await put("prometheus", { ...INPUT, url: "http://127.0.0.1:9" });
    expect((await list("/v1/sources?health=false", withSettings)).map(({ name, url }) => [name, url])).toEqual([
      ["postgres", "postgres://127.0.0.1:9/postgres"],
      ["prometheus", metrics.url],
    ]);
    expect((await withSettings.request("/v1/sources/prometheus", { method: "DELETE" })).status).toBe(204);
  });
});

describe("the scopes", () => {
  it.each([
    ["ingest", 200, 403],
    ["read", 403, 403],
    ["admin", 403, 201],
  ] as const)("%s: reading is answered with %i, defining with %i", async (scope, reads, defines) => {
    const { token } = await makeToken(harness, [scope]);
    const headers = { ...bearer(token), "content-type": "application/json" };
    expect((await harness.request("/v1/sources?health=false", { headers })).status).toBe(reads);
    const body = JSON.stringify(INPUT);
    expect((await harness.request("/v1/sources/prod", { method: "PUT", body, headers })).status).toBe(defines);
  });

  it("of a restricted caller shows the sources that name one of its domains", async () => {
    await put("all", INPUT);
    await put("own", { ...INPUT, domains: ["orders", "payments"] });
    await put("foreign", { ...INPUT, domains: ["payments"] });
    const { token } = await makeToken(harness, ["ingest"], { domains: ["orders"] });
    const response = await harness.request("/v1/sources", { headers: bearer(token) });
    const { sources } = listSchema.parse(await response.json());
    expect(sources.map(({ name, health }) => [name, health?.status])).toEqual([["own", "ok"]]);
  });
});
