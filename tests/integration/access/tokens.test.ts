import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { accessTokenSchema } from "../../../functions/access/access-tokens.ts";
import { SCOPES, type Scope } from "../../../functions/access/caller.ts";
import { createApp } from "../../../functions/app.ts";
import { createHarness, emptyStores, type Harness, sql } from "../support/harness.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

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

async function list(query = ""): Promise<{ tokens: z.infer<typeof accessTokenSchema>[]; next_cursor: string | null }> {
  const response = await harness.request(`/v1/admin/tokens${query}`);
  expect(response.status).toBe(200);
  return z
    .object({ tokens: z.array(accessTokenSchema), next_cursor: z.string().nullable() })
    .parse(await response.json());
}

function revoke(id: string, on: Harness = harness) {
  return on.request(`/v1/admin/tokens/${id}`, { method: "DELETE" });
}

describe("a new token", () => {
  it("is shown once, is stored as a digest only, and is valid at once", async () => {
    const { token, ...record } = await makeToken(harness, ["read", "triage"], { expires_in_days: 90 });
    expect(token).toMatch(/^djv_[A-Za-z0-9_-]{43}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "grafana",
      scopes: ["triage", "read"],
      created_at: "2026-03-01T03:00:00.000Z",
      domains: null,
      created_by: "service",
      owner_id: record.id,
      expires_at: "2026-05-30T03:00:00.000Z",
      revoked_at: null,
      last_used_at: null,
    });
    expect((await get("/v1/incidents", token)).status).toBe(200);
    expect((await list()).tokens).toEqual([{ ...record, last_used_at: "2026-03-01T03:00:00.000Z" }]);
    const rows = JSON.stringify(await sql`select * from public.access_tokens`);
    expect(rows).not.toContain(token.slice("djv_".length));
    expect(JSON.stringify(harness.log)).not.toContain(token.slice("djv_".length));
  });

  it("is returned with cache-control no-store", async () => {
    const response = await harness.post("/v1/admin/tokens", { name: "grafana", scopes: ["read"] });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("is unique", async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => makeToken(harness, ["read"])));
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(20);
  });

  it("has a scrubbed name", async () => {
    const { name } = await makeToken(harness, ["read"], { name: `for dana@example.com ${UNKNOWN_TOKEN}` });
    expect(name).toBe("for [REDACTED_EMAIL] [REDACTED_DEJAVU]");
    const longest = await makeToken(harness, ["read"], { name: "a@b.co ".repeat(14) });
    expect(longest.name.length).toBeLessThanOrEqual(128);
  });

  it.each([
    ["no name", { scopes: ["read"] }, "name"],
    ["a blank name", { name: " ", scopes: ["read"] }, "name"],
    ["a name that is too long", { name: "x".repeat(101), scopes: ["read"] }, "name"],
    ["no scopes", { name: "a" }, "scopes"],
    ["an empty list of scopes", { name: "a", scopes: [] }, "scopes"],
    ["a scope that does not exist", { name: "a", scopes: ["read", "write"] }, "scopes.1"],
    ["an end in the past", { name: "a", scopes: ["read"], expires_in_days: -1 }, "expires_in_days"],
    ["an end today", { name: "a", scopes: ["read"], expires_in_days: 0 }, "expires_in_days"],
    ["an end in the next century", { name: "a", scopes: ["read"], expires_in_days: 36_500 }, "expires_in_days"],
    ["an unknown field", { name: "a", scopes: ["read"], token: UNKNOWN_TOKEN }, "token"],
  ])("is refused with %s", async (_, body, field) => {
    const problem = await problemOf(await harness.post("/v1/admin/tokens", body), 422, "invalid-request");
    expect(problem.errors?.map((error) => error.field)).toContain(field);
    expect((await list()).tokens).toEqual([]);
  });

  it("has only scopes of its creator", async () => {
    const admin = await makeToken(harness, ["admin", "read"]);
    const ask = (scopes: readonly Scope[]) =>
      harness.post("/v1/admin/tokens", { name: "made by an admin", scopes }, bearer(admin.token));
    const problem = await problemOf(await ask(["triage", "read", "ingest"]), 403, "insufficient-scope");
    expect(problem.detail).toContain("`triage`, `ingest`");
    const response = await ask(["read", "admin"]);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ created_by: admin.id, scopes: ["read", "admin"] });
    expect((await list()).tokens).toHaveLength(2);
  });
});

describe("the list of tokens", () => {
  it("is paginated, newest first, and contains neither tokens nor digests", async () => {
    for (let i = 0; i < 5; i++) {
      if (i % 2 === 0) harness.clock.advance(1_000);
      await makeToken(harness, ["read"], { name: `token ${i}` });
    }
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await list(`?limit=2${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`);
      names.push(...page.tokens.map(({ name }) => name));
      cursor = page.next_cursor;
    }
    expect([...names].sort()).toEqual(["token 0", "token 1", "token 2", "token 3", "token 4"]);
    expect(names[0]).toBe("token 4");
    const text = await (await harness.request("/v1/admin/tokens")).text();
    expect(text).not.toMatch(/hash|djv_|[0-9a-f]{64}/);
  });
});

describe("a scope", () => {
  const operations = Object.entries(
    z
      .object({
        paths: z.record(
          z.string(),
          z.record(
            z.string(),
            z.looseObject({ security: z.array(z.record(z.string(), z.array(z.string()))).optional() }),
          ),
        ),
      })
      .parse(
        createApp(createHarness().services).getOpenAPI31Document({
          openapi: "3.1.0",
          info: { title: "", version: "" },
        }),
      ).paths,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security = [] }]) => {
      const scopes = security.flatMap((each) => Object.values(each).flat());
      // One of them will do.
      return { method: method.toUpperCase(), path, scopes: z.array(z.enum(SCOPES)).parse(scopes) };
    }),
  );

  it.each(SCOPES)("%s is required where it is declared, also with all other scopes", async (scope) => {
    for (const { method, path, scopes } of operations) {
      const url = path.replace(/\{\w+\}/g, UNKNOWN_ID);
      if (!scopes.includes(scope)) continue;
      const others = await makeToken(
        harness,
        SCOPES.filter((each) => !scopes.includes(each)),
      );
      const response = await harness.request(url, { method, headers: bearer(others.token) });
      const problem = await problemOf(response, 403, "insufficient-scope");
      expect(problem.detail).toContain(`\`${scope}\``);
      const challenge = `error="insufficient_scope", scope="${scopes.join(" ")}"`;
      expect(response.headers.get("www-authenticate")).toContain(challenge);
    }
  });

  it("is sufficient when it is the declared one", async () => {
    const { token } = await makeToken(harness, ["read"]);
    for (const path of ["/v1/incidents", "/v1/memory/audit", "/health/ready"])
      expect((await get(path, token)).status).toBe(200);
    const ask = await makeToken(harness, ["triage"]);
    const response = await harness.post("/v1/triage", { title: "container exited with code 137" }, bearer(ask.token));
    expect(response.status).toBe(200);
  });
});

describe("a refused token", () => {
  it.each([
    ["unknown", UNKNOWN_TOKEN],
    ["too short", UNKNOWN_TOKEN.slice(0, -1)],
    ["too long", `${UNKNOWN_TOKEN}A`],
    ["without its prefix", "A".repeat(43)],
    ["in capitals", UNKNOWN_TOKEN.toUpperCase()],
  ])("is one that is %s", async (_, token) => {
    const response = await get("/v1/incidents", token);
    const problem = await problemOf(response, 401, "unauthorized");
    expect(problem.detail).toContain("This token is unknown");
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="dejavu", error="invalid_token"');
    expect(harness.log.find(({ event }) => event === "auth.refused")?.fields).toMatchObject({ reason: "unknown" });
  });

  it("is a revoked one: at once in this isolate, in others after their cache expires", async () => {
    const { id, token } = await makeToken(harness, ["read"]);
    const elsewhere = createHarness();
    for (const isolate of [harness, elsewhere]) expect((await get("/v1/incidents", token, isolate)).status).toBe(200);
    expect((await revoke(id)).status).toBe(204);
    const problem = await problemOf(await get("/v1/incidents", token), 401, "unauthorized");
    expect(problem.detail).toContain("revoked");
    elsewhere.clock.advance(59_000);
    expect((await get("/v1/incidents", token, elsewhere)).status).toBe(200);
    elsewhere.clock.advance(1_000);
    await problemOf(await get("/v1/incidents", token, elsewhere), 401, "unauthorized");
  });

  it("is an expired one, to the second, also when it is cached", async () => {
    const { token } = await makeToken(harness, ["read"], { expires_in_days: 1 });
    harness.clock.advance(DAY_MS - 1_000);
    expect((await get("/v1/incidents", token)).status).toBe(200);
    harness.clock.advance(1_000);
    const problem = await problemOf(await get("/v1/incidents", token), 401, "unauthorized");
    expect(problem.detail).toContain("expired");
  });

  it("gets the same response for every path", async () => {
    for (const path of ["/v1/triage", "/v1/nothing", "/health/ready"])
      await problemOf(await get(path, UNKNOWN_TOKEN), 401, "unauthorized");
  });
});

describe("a revocation", () => {
  it("can be repeated and keeps its first time", async () => {
    const { id } = await makeToken(harness, ["read"]);
    expect((await revoke(id)).status).toBe(204);
    harness.clock.advance(60_000);
    expect((await revoke(id)).status).toBe(204);
    expect((await list()).tokens[0]?.revoked_at).toBe("2026-03-01T03:00:00.000Z");
    expect(await sql`select 1 from public.audit_events where action = 'revoked'`).toHaveLength(1);
  });

  it("responds with 404 to an unknown token and with 422 to a malformed id", async () => {
    await problemOf(await revoke(UNKNOWN_ID), 404, "not-found");
    await problemOf(await revoke("grafana"), 422, "invalid-request");
  });

  it("can be requested with the token itself", async () => {
    const { id, token } = await makeToken(harness, ["admin"]);
    const response = await harness.request(`/v1/admin/tokens/${id}`, { method: "DELETE", headers: bearer(token) });
    expect(response.status).toBe(204);
    await problemOf(await get("/v1/admin/tokens", token), 401, "unauthorized");
  });
});

describe("the last use", () => {
  const lastUse = async () =>
    (await sql`select last_used_at from public.access_tokens`)[0]?.last_used_at?.toISOString();

  it("is recorded at most once a minute", async () => {
    const { token } = await makeToken(harness, ["read"]);
    expect(await lastUse()).toBeUndefined();
    for (const [wait, expected] of [
      [0, "2026-03-01T03:00:00.000Z"],
      [59_000, "2026-03-01T03:00:00.000Z"],
      [1_000, "2026-03-01T03:01:00.000Z"],
    ] as const) {
      harness.clock.advance(wait);
      await get("/v1/incidents", token);
      expect(await lastUse()).toBe(expected);
    }
  });

  it("never decreases, also when the clock of another isolate is behind", async () => {
    const { token } = await makeToken(harness, ["read"]);
    harness.clock.advance(120_000);
    await get("/v1/incidents", token);
    await get("/v1/incidents", token, createHarness());
    expect(await lastUse()).toBe("2026-03-01T03:02:00.000Z");
  });

  it("is not changed by a refused request", async () => {
    const { id, token } = await makeToken(harness, ["read"]);
    await revoke(id);
    await get("/v1/incidents", token);
    expect(await lastUse()).toBeUndefined();
  });
});
