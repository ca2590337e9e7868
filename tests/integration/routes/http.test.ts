import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createApp } from "../../../functions/app.ts";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import { createServices } from "../../../functions/services.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { createHarness, emptyStores, sql, workerEnv } from "../support/harness.ts";
import { seedDomains } from "../support/inventory.ts";

const harness = createHarness();
const TITLE = { title: "container exited with code 137" };
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

async function expectProblem(response: Response, status: number, code: string) {
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const problem = problemSchema.parse(await response.json());
  expect(problem).toMatchObject({ type: `urn:dejavu:problem:${code}`, status });
  expect(problem.request_id).toBe(response.headers.get("x-request-id"));
  return problem;
}

async function expectNothingStored() {
  const [row] =
    await sql`select (select count(*) from public.incidents)::int as incidents, (select count(*) from public.runs)::int as runs,
    (select count(*) from public.idempotency_keys)::int as keys`;
  expect({ ...row }).toEqual({ incidents: 0, runs: 0, keys: 0 });
}

function send(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { "content-type": "application/json" },
) {
  return harness.request("/v1/triage", { method: "POST", body, headers });
}

beforeAll(async () => {
  await emptyStores(harness.services);
  await seedDomains(workerEnv);
});
beforeEach(() => sql`truncate public.incidents, public.runs, public.idempotency_keys, public.outbox cascade`);

describe("bad input", () => {
  it.each([
    ["no title and no question", {}, "title"],
    ["an empty title", { title: "" }, "title"],
    ["an empty question", { question: "" }, "question"],
    ["a title that is a number", { title: 7 }, "title"],
    ["an unknown field", { ...TITLE, sevrity: "high" }, "sevrity"],
    ["a severity out of the list", { ...TITLE, severity: "apocalyptic" }, "severity"],
    ["labels that are a list", { ...TITLE, labels: ["a"] }, "labels"],
    ["a label that is no text", { ...TITLE, labels: { a: 1 } }, "labels.a"],
    [
      "too many labels",
      { ...TITLE, labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`l${i}`, ""])) },
      "labels",
    ],
    ["a NUL byte in the title", { title: "a\0b" }, "title"],
    ["a NUL byte in the logs", { ...TITLE, logs: "a\0b" }, "logs"],
    ["a lone surrogate in the title", { title: "a\ud800b" }, "title"],
    ["a lone surrogate in a label", { ...TITLE, labels: { a: "\udfff" } }, "labels.a"],
    ["a NUL byte in a label's name", { ...TITLE, labels: { "a\0": "b" } }, "labels.a\0"],
    ["a title beyond its limit", { title: "x".repeat(1_001) }, "title"],
    ["logs beyond their limit", { ...TITLE, logs: "x".repeat(500_001) }, "logs"],
    [
      "an incident type with metacharacters",
      { ...TITLE, incident_type: "a'; drop table incidents; --" },
      "incident_type",
    ],
    ["a session id with metacharacters", { ...TITLE, session_id: "or=(a.eq.1)" }, "session_id"],
    ["a body that is a list", [TITLE], "body"],
    ["a body that is text", "title", "body"],
    ["a body that is null", null, "body"],
  ])("%s is rejected by field, and nothing is stored", async (_, body, field) => {
    const problem = await expectProblem(await send(JSON.stringify(body)), 422, "invalid-request");
    expect(problem.errors?.map((error) => error.field)).toContain(field);
    await expectNothingStored();
  });

  it.each([
    ["broken JSON", "{"],
    ["no body", ""],
    ["bytes that are not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ])("%s is reported as malformed", async (_, body) => {
    await expectProblem(await send(body), 400, "malformed-body");
    await expectNothingStored();
  });

  it.each([["text/plain"], ["application/x-www-form-urlencoded"], ["application/jsonp"]])(
    "content type %s is refused",
    async (type) => {
      await expectProblem(await send(JSON.stringify(TITLE), { "content-type": type }), 415, "unsupported-media-type");
      await expectNothingStored();
    },
  );

  it.each([
    "application/json; charset=utf-8",
    "application/json ; charset=utf-8",
    "application/json;",
    "Application/JSON",
    "application/a+json",
  ])("accepts %s", async (type) => {
    expect((await send(JSON.stringify(TITLE), { "content-type": type })).status).toBe(200);
  });

  it("bounds the problem document for any request", async () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${"x".repeat(150)}${i}`, 1]));
    const problem = await expectProblem(await send(JSON.stringify({ ...TITLE, ...body })), 422, "invalid-request");
    expect(problem.errors).toHaveLength(20);
    expect(JSON.stringify(problem).length).toBeLessThan(10_000);
  });

  it("stores a title whose cue ends in the middle of a character", async () => {
    const title = `mount ${"x".repeat(53)}😀 permission`;
    expect(await (await harness.post("/v1/triage", { title })).json()).toMatchObject({ persisted: true, warnings: [] });
  });

  it("processes a log with many combining marks in bounded time", async () => {
    const logs = `error a${"\u0301\u0316".repeat(200_000)}`;
    expect((await harness.post("/v1/triage", { ...TITLE, logs })).status).toBe(200);
  });

  it("rejects 10 MB, with or without a content length, and reads only up to the limit", async () => {
    const huge = JSON.stringify({ title: "x", logs: "x".repeat(10_000_000) });
    await expectProblem(await send(huge), 413, "body-too-large");
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    const init = {
      method: "POST",
      body: endless,
      duplex: "half" as const,
      headers: { "content-type": "application/json" },
    };
    await expectProblem(await harness.request("/v1/triage", init), 413, "body-too-large");
    expect(pulled).toBeLessThan(2_000_000);
    await expectNothingStored();
  });

  it.each([
    "'; drop table public.incidents; --",
    '"),or(id.not.is.null',
    "*,id.eq.1)&select=*",
    "a%00b%27",
    "\\x00 \\' $1 {} () [] , . : ;",
    "مرحبا 🚨 日本語 ‮",
    "$\u007bjndi:ldap://127.0.0.1/a\u007d",
  ])("stores %j unchanged in every text field", async (hostile) => {
    const body = { title: hostile, target: hostile, labels: { [hostile]: hostile }, logs: hostile, question: hostile };
    const response = await harness.post("/v1/triage", body);
    expect(response.status).toBe(200);
    const listed = await harness.request(`/v1/incidents?target=${encodeURIComponent(hostile)}`);
    expect(await listed.json()).toMatchObject({
      incidents: [{ title: hostile, target: hostile, labels: { [hostile]: hostile } }],
    });
  });

  it.each([
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?limit=ten", "limit"],
    ["?cursor=nonsense", "cursor"],
    [`?cursor=${btoa('["2026-01-01","x"]')}`, "cursor"],
    [`?cursor=${btoa('["0000-01-01T00:00:00Z","00000000-0000-4000-8000-000000000000"]')}`, "cursor"],
    [`?cursor=${btoa('["9999-12-31T23:59:59-23:59","00000000-0000-4000-8000-000000000000"]')}`, "cursor"],
    ["?domain=Not%20a%20domain", "domain"],
    ["?status=sleeping", "status"],
    ["?nonsense=1", "nonsense"],
  ])("GET /v1/incidents%s names the parameter", async (query, field) => {
    const problem = await expectProblem(await harness.request(`/v1/incidents${query}`), 422, "invalid-request");
    expect(problem.errors?.map((error) => error.field)).toEqual([field]);
  });

  it("an id that is not a UUID is invalid, and an unknown id is not found", async () => {
    await expectProblem(await harness.request("/v1/incidents/1%20or%201=1"), 422, "invalid-request");
    await expectProblem(await harness.request(`/v1/incidents/${UNKNOWN_ID}`), 404, "not-found");
    await expectProblem(
      await harness.post(`/v1/incidents/${UNKNOWN_ID}/resolve`, { resolution: "x" }),
      404,
      "not-found",
    );
  });

  it.each([{}, { resolution: "" }, { resolution: "x", fixed: true }, { resolution: "a\0" }])(
    "a resolution of %j is rejected",
    async (body) => {
      const { incident_id } = z
        .object({ incident_id: z.string() })
        .parse(await (await harness.post("/v1/triage", TITLE)).json());
      await expectProblem(await harness.post(`/v1/incidents/${incident_id}/resolve`, body), 422, "invalid-request");
      const [row] = await sql`select status from public.incidents where id = ${incident_id}`;
      expect(row?.status).toBe("triaged");
    },
  );

  it("an invalid Idempotency-Key is rejected", async () => {
    const response = await harness.post("/v1/triage", TITLE, { "idempotency-key": "a b" });
    await expectProblem(response, 422, "invalid-request");
    await expectNothingStored();
  });

  it("an unknown path and an unsupported method get a problem document", async () => {
    await expectProblem(await harness.request("/v2/triage"), 404, "not-found");
    const wrongMethod = await harness.request("/v1/triage");
    expect(wrongMethod.headers.get("allow")).toBe("POST");
    await expectProblem(wrongMethod, 405, "method-not-allowed");
    await expectProblem(
      await harness.request(`/v1/incidents/${UNKNOWN_ID}`, { method: "PUT" }),
      405,
      "method-not-allowed",
    );
  });
});

describe("authentication", () => {
  const paths = ["/v1/triage", "/v1/incidents", `/v1/incidents/${UNKNOWN_ID}`, "/health/ready", "/anything"];
  const token = harness.services.config.DEJAVU_TOKEN ?? "";

  it.each(paths)("%s rejects a missing, wrong, shortened or malformed token", async (path) => {
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      "Bearer wrong",
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token}x`,
      `Basic ${token}`,
      token,
    ]) {
      const response = await harness.request(path, { headers: { authorization } });
      await expectProblem(response, 401, "unauthorized");
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
    }
  });

  it("is not needed for /health", async () => {
    const response = await harness.request("/health", { headers: { authorization: "" } });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok", version: harness.services.version });
  });

  it.each([undefined, "", "  "])("rejects everything when the configured token is %j", async (configured) => {
    const { DEJAVU_TOKEN: _, ...rest } = workerEnv;
    const services = createServices(
      { ...rest, ...(configured === undefined ? {} : { DEJAVU_TOKEN: configured }) },
      { log: () => {} },
    );
    for (const authorization of ["", "Bearer ", "Bearer undefined", "Bearer  "]) {
      const request = new Request("http://dejavu.test/v1/incidents", { headers: { authorization } });
      const response = await createApp(services).fetch(request, {}, createExecutionContext());
      await expectProblem(response, 401, "auth-not-configured");
    }
  });
});

describe("the list of incidents", () => {
  const pageSchema = z.object({
    incidents: z.array(z.object({ id: z.string(), title: z.string(), domain: z.object({ name: z.string() }) })),
    next_cursor: z.string().nullable(),
  });
  const list = async (query: string) => pageSchema.parse(await (await harness.request(`/v1/incidents${query}`)).json());

  it("is paged newest first without gaps or repeats, also for incidents of the same time", async () => {
    for (let i = 0; i < 7; i++) {
      if (i % 3 === 0) harness.clock.advance(1_000);
      await harness.post("/v1/triage", { title: `incident ${i}` });
    }
    const titles: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: z.infer<typeof pageSchema> = await list(
        `?limit=3${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect(page.incidents.length).toBeLessThanOrEqual(3);
      titles.push(...page.incidents.map(({ title }) => title));
      cursor = page.next_cursor;
    }
    expect(new Set(titles).size).toBe(7);
    expect(titles[0]).toBe("incident 6");
    expect(new Set(titles.slice(1, 4))).toEqual(new Set(["incident 3", "incident 4", "incident 5"]));
  });

  it("can be filtered by domain, status, severity, target and session", async () => {
    await harness.post("/v1/triage", {
      title: "postgres deadlock detected",
      target: "orders-db",
      severity: "high",
      session_id: "s1",
    });
    await harness.post("/v1/triage", { title: "container exited", target: "web", severity: "low", session_id: "s2" });
    for (const query of [
      "?domain=postgres",
      "?severity=high",
      "?target=orders-db",
      "?session_id=s1",
      "?domain=postgres&severity=high&status=triaged",
    ]) {
      expect((await list(query)).incidents.map(({ title }) => title)).toEqual(["postgres deadlock detected"]);
    }
    expect((await list("?domain=docker&severity=high")).incidents).toEqual([]);
    expect((await list("?status=resolved")).incidents).toEqual([]);
  });
});

describe("one incident", () => {
  it("has a timeline, a triage and a resolution", async () => {
    const triage = z
      .object({ incident_id: z.string(), triage_id: z.string() })
      .loose()
      .parse(await (await harness.post("/v1/triage", { ...TITLE, logs: "oom" })).json());
    harness.clock.advance(60_000);
    await harness.post(`/v1/incidents/${triage.incident_id}/resolve`, {
      resolution: "restarted it",
      resolved_by: "dana",
    });
    const incident = z
      .object({
        status: z.string(),
        logs: z.string(),
        events: z.array(z.object({ kind: z.string(), detail: z.unknown() })),
        triage: z.unknown(),
      })
      .parse(await (await harness.request(`/v1/incidents/${triage.incident_id}`)).json());
    expect(incident).toMatchObject({ status: "resolved", logs: "oom", triage });
    expect(incident.events.map(({ kind }) => kind)).toEqual(["reported", "triaged", "resolved"]);
    expect(incident.events[2]?.detail).toEqual({ resolution: "restarted it", resolved_by: "dana" });
  });

  it("marks a stored triage result of another format as unreadable", async () => {
    const { incident_id } = await harness.triage(TITLE);
    await sql`update public.triages set result = '{"verdict": "of another version"}' where incident_id = ${incident_id}`;
    const response = await harness.request(`/v1/incidents/${incident_id}`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ triage: null, triage_unreadable: true });
  });
});

describe("health", () => {
  it("names each dependency with its version and latency", async () => {
    const response = await harness.request("/health/ready");
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: "ready",
      mode: "extractive",
      dependencies: {
        database: {
          vendor: expect.stringMatching(/^Postgre/),
          status: "ok",
          version: expect.stringMatching(/^18\./),
          latency_ms: expect.any(Number),
          reason: null,
        },
        vector_store: { vendor: "Chroma", status: "ok", version: expect.stringMatching(/^1\./) },
        embedder: { status: "ok", version: harness.services.embedder.model },
      },
    });
  });
});

describe("readiness", () => {
  it.each([
    ["an unknown vector database", { CHROMA_DATABASE: "nope" }],
    ["vectors of another index fingerprint", { CHUNK_SIZE: "200" }],
  ])("is degraded with %s", async (_, environment) => {
    await harness.services.vectors.store("runbooks", [
      { id: "a", vector: Array(harness.services.embedder.dimensions).fill(0.1), text: "a", metadata: {} },
    ]);
    const response = await createHarness(environment).request("/health/ready");
    expect(await response.json()).toMatchObject({
      status: "degraded",
      dependencies: { vector_store: { status: "failing" } },
    });
  });
});

describe("a response", () => {
  it("holds no stack trace, and the log holds no secret and no body", async () => {
    const secret = "sk-planted-secret-4242";
    await harness.post("/v1/triage", { title: `failure ${secret}`, logs: secret });
    await harness.post("/v1/triage", { title: secret, nonsense: secret });
    await harness.request(`/v1/incidents?target=${secret}`);
    await harness.request("/v1/incidents", { headers: { authorization: `Bearer ${secret}` } });
    expect(harness.log.length).toBeGreaterThan(4);
    expect(JSON.stringify(harness.log)).not.toContain("planted");
    expect(JSON.stringify(harness.log)).not.toContain(harness.services.config.DEJAVU_TOKEN);
    expect(JSON.stringify(harness.log)).not.toContain(harness.services.config.SUPABASE_SERVICE_ROLE_KEY);
  });

  it("carries a request id and the security headers", async () => {
    const response = await harness.request("/v1/incidents");
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });
});
