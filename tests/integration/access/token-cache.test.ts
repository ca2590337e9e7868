// The token cache of an isolate, and tokens while the database is unavailable.

import { beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../../functions/app.ts";
import { createServices } from "../../../functions/services.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { createHarness, emptyStores, type Harness, info, sql, workerEnv } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const UNREACHABLE_URL = "http://127.0.0.1:9";
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const UNKNOWN_TOKEN = `djv_${"A".repeat(43)}`;
const DAY_MS = 86_400_000;

let harness: Harness;
beforeEach(async () => {
  // A new isolate with an empty cache.
  harness = createHarness();
  await emptyStores(harness.services);
});

function get(path: string, token: string, on: Harness = harness) {
  return on.request(path, { headers: bearer(token) });
}

function revoke(id: string, on: Harness = harness) {
  return on.request(`/v1/admin/tokens/${id}`, { method: "DELETE" });
}

describe("an isolate", () => {
  it("asks the database once a minute for a token, and every ten seconds for an unknown one", async () => {
    const { token } = await makeToken(harness, ["read"]);
    await using gateway = await lyingServer({ forwardTo: info.urls.supabase });
    const watched = createHarness({ SUPABASE_URL: gateway.url });
    const lookups = () => gateway.requests.filter((line) => line.includes("find_access_token")).length;
    for (let i = 0; i < 3; i++) await get("/v1/incidents", token, watched);
    expect(lookups()).toBe(1);
    for (let i = 0; i < 3; i++) await get("/v1/incidents", UNKNOWN_TOKEN, watched);
    expect(lookups()).toBe(2);
    watched.clock.advance(10_000);
    await get("/v1/incidents", UNKNOWN_TOKEN, watched);
    await get("/v1/incidents", token, watched);
    expect(lookups()).toBe(3);
    watched.clock.advance(50_000);
    await get("/v1/incidents", token, watched);
    expect(lookups()).toBe(4);
  });

  it("does not look up the service token or malformed tokens", async () => {
    await using gateway = await lyingServer({ forwardTo: info.urls.supabase });
    const watched = createHarness({ SUPABASE_URL: gateway.url });
    await watched.request("/v1/nothing");
    await get("/v1/nothing", "wrong", watched);
    expect(gateway.requests).toEqual([]);
  });
});

describe("while Postgres is unavailable", () => {
  it("the service token is still accepted", async () => {
    const cut = createHarness({ SUPABASE_URL: UNREACHABLE_URL });
    expect((await cut.request("/v1/nothing")).status).toBe(404);
  });

  it.each(["unreachable", "hanging"])("a token that is not cached gets 503 with retry-after: %s", async (how) => {
    const { token } = await makeToken(harness, ["read"]);
    await using hanging = await lyingServer({ hang: true });
    const SUPABASE_URL = how === "unreachable" ? UNREACHABLE_URL : hanging.url;
    const cut = createHarness({ SUPABASE_URL });
    cut.expireHung(hanging, "database");
    for (const presented of [token, UNKNOWN_TOKEN]) {
      const response = await get("/v1/incidents", presented, cut);
      const problem = await problemOf(response, 503, "dependency-unavailable");
      expect(problem.dependencies).toEqual(["database"]);
      expect(response.headers.get("retry-after")).toBe("5");
    }
  });

  it("a cached token is accepted for an hour, and its unrecorded use is logged", async () => {
    const { id, token } = await makeToken(harness, ["read"]);
    let isCut = false;
    await using gateway = await lyingServer({
      forwardTo: info.urls.supabase,
      before: () => (isCut ? "cut" : undefined),
    });
    const isolate = createHarness({ SUPABASE_URL: gateway.url });
    expect((await get("/v1/nothing", token, isolate)).status).toBe(404);
    isCut = true;
    for (const minutes of [5, 30, 24]) {
      isolate.clock.advance(minutes * 60_000);
      expect((await get("/v1/nothing", token, isolate)).status).toBe(404);
    }
    expect(isolate.log.find(({ event }) => event === "token.use_not_recorded")?.fields).toMatchObject({ token_id: id });
    isolate.clock.advance(60_000);
    await problemOf(await get("/v1/nothing", token, isolate), 503, "dependency-unavailable");
  });

  it("a cached token that expires is refused", async () => {
    const { token } = await makeToken(harness, ["read"], { expires_in_days: 1 });
    let isCut = false;
    await using gateway = await lyingServer({
      forwardTo: info.urls.supabase,
      before: () => (isCut ? "cut" : undefined),
    });
    const isolate = createHarness({ SUPABASE_URL: gateway.url });
    isolate.clock.advance(DAY_MS - 60_000);
    await get("/v1/nothing", token, isolate);
    isCut = true;
    isolate.clock.advance(60_000);
    await problemOf(await get("/v1/nothing", token, isolate), 401, "unauthorized");
  });

  it("no token is created, listed or revoked", async () => {
    const cut = createHarness({ SUPABASE_URL: UNREACHABLE_URL });
    const made = await cut.post("/v1/admin/tokens", { name: "a", scopes: ["read"] });
    await problemOf(made, 503, "dependency-unavailable");
    await problemOf(await cut.request("/v1/admin/tokens"), 503, "dependency-unavailable");
    await problemOf(await revoke(UNKNOWN_ID, cut), 503, "dependency-unavailable");
  });

  it("a token is created once when the result of the first call is lost", async () => {
    let calls = 0;
    await using gateway = await lyingServer({
      forwardTo: info.urls.supabase,
      before: async (path) => {
        if (!path.includes("create_access_token") || ++calls > 1) return undefined;
        // The first call arrives, and its answer does not come back.
        await harness.services.database.call("create_access_token", { p: firstCall });
        return "cut";
      },
    });
    const id = "00000000-0000-4000-8000-0000000000aa";
    const firstCall = {
      ...{ id, name: "a", scopes: ["read"], token_hash: "0".repeat(64), expires_at: null },
      ...{ now: "2026-03-01T03:00:00Z", actor: "service", request_id: "r" },
    };
    const services = createServices(
      { ...workerEnv, SUPABASE_URL: gateway.url },
      { now: harness.clock.now, newId: () => id, log: () => {} },
    );
    const request = new Request("http://dejavu.test/v1/admin/tokens", {
      method: "POST",
      headers: { ...bearer(services.config.DEJAVU_TOKEN ?? ""), "content-type": "application/json" },
      body: JSON.stringify({ name: "a", scopes: ["read"] }),
    });
    expect((await createApp(services).fetch(request, {}, createExecutionContext())).status).toBe(201);
    expect(calls).toBe(2);
    expect(await sql`select 1 from public.access_tokens`).toHaveLength(1);
    expect(await sql`select 1 from public.audit_events where action = 'created'`).toHaveLength(1);
  });
});

describe("without a configured token, the service", () => {
  it("accepts stored tokens and reports that no service token is configured", async () => {
    const { token } = await makeToken(harness, ["read"]);
    const { DEJAVU_TOKEN: _, ...rest } = workerEnv;
    const app = createApp(createServices(rest, { now: harness.clock.now, log: () => {} }));
    const ask = (authorization: string) =>
      app.fetch(
        new Request("http://dejavu.test/v1/incidents", { headers: { authorization } }),
        {},
        createExecutionContext(),
      );
    expect((await ask(`Bearer ${token}`)).status).toBe(200);
    await problemOf(await ask(`Bearer ${UNKNOWN_TOKEN}`), 401, "unauthorized");
    await problemOf(await ask("Bearer some-other-secret-1234"), 401, "auth-not-configured");
  });
});
