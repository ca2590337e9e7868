// Sessions of the console: signing in, what a session allows, and everything that ends it.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { tokenHash } from "../../../functions/access/token-format.ts";
import { createHarness, emptyStores, type Harness, info, sql } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { createBrowser, createCode } from "../support/session-browser.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let harness: Harness;
beforeEach(async () => {
  // A new isolate with an empty cache.
  harness = createHarness();
  await emptyStores(harness.services);
});

/** The token of the harness. */
const serviceToken = () => harness.services.config.DEJAVU_TOKEN ?? "";

const whoSchema = z.object({
  name: z.string(),
  person: z.string().nullable(),
  scopes: z.array(z.string()),
  domains: z.array(z.string()).nullable(),
  session_id: z.string().nullable(),
  expires_at: z.string().nullable(),
});
const listSchema = z.object({
  sessions: z.array(z.object({ id: z.string(), name: z.string(), credential: z.string() })),
});

async function who(response: Response | Promise<Response>) {
  const answer = await response;
  expect(answer.status, await answer.clone().text()).toBe(200);
  return whoSchema.parse(await answer.json());
}

async function sessionOf(token: string, on: Harness = harness) {
  const browser = createBrowser(on);
  const signedIn = await who(browser.signIn({ token }));
  return { browser, id: signedIn.session_id ?? "" };
}

/** The status of a request that needs `read`. */
async function statusOf(browser: ReturnType<typeof createBrowser>) {
  return (await browser.request("/v1/incidents")).status;
}

describe("signing in", () => {
  it("with a token makes a session with its scopes and domains", async () => {
    const { token } = await makeToken(harness, ["read"], { name: "on-call", domains: ["checkout"] });
    const browser = createBrowser(harness);
    const signedIn = await who(browser.signIn({ token }));
    expect(signedIn).toMatchObject({ name: "on-call", person: null, scopes: ["read"], domains: ["checkout"] });
    expect(await who(browser.request("/v1/session"))).toEqual(signedIn);
    expect(await statusOf(browser)).toBe(200);
    const triage = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    await problemOf(await browser.request("/v1/triage", triage), 403, "insufficient-scope");
    await problemOf(await browser.request("/metrics"), 401, "unauthorized");
  });

  it("sets a cookie that scripts, other sites and other hosts cannot use", async () => {
    const response = await createBrowser(harness).signIn({ token: serviceToken() });
    expect(response.headers.get("set-cookie")).toMatch(
      /^__Host-dejavu_session=djs_[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it.each(["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"])(
    "on this machine needs no TLS: %s",
    async (origin) => {
      const browser = createBrowser(harness, origin);
      const response = await browser.signIn({ token: serviceToken() });
      expect(response.headers.get("set-cookie")).toMatch(
        /^dejavu_session=djs_[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      expect(await statusOf(browser)).toBe(200);
      const elsewhere = createBrowser(harness, "https://dejavu.test");
      elsewhere.cookie = browser.cookie;
      expect(await statusOf(elsewhere)).toBe(401);
    },
  );

  it("over http from another machine is refused, and uses no code up", async () => {
    const { code } = await createCode(harness);
    const { detail } = await problemOf(
      await createBrowser(harness, "http://10.0.0.9:8787").signIn({ code }),
      403,
      "https-required",
    );
    expect(detail).toContain("PUBLIC_URL");
    expect((await createBrowser(harness).signIn({ code })).status).toBe(200);
  });

  it("works behind a proxy that ends TLS, when PUBLIC_URL is its address", async () => {
    const proxied = createHarness({ PUBLIC_URL: "https://dejavu.test" });
    const browser = createBrowser(proxied, "http://dejavu.test");
    const headers = { origin: "https://dejavu.test", "sec-fetch-site": "same-origin" };
    const response = await browser.signIn({ token: serviceToken() }, headers);
    expect(response.headers.get("set-cookie")).toContain("__Host-");
    expect(await statusOf(browser)).toBe(200);
  });

  it("stores digests only", async () => {
    const { browser } = await sessionOf(serviceToken());
    const { code } = await createCode(harness);
    const rows = await sql`select (select jsonb_agg(s) from public.console_sessions s)::text
      || (select jsonb_agg(c) from public.sign_in_codes c)::text || (select jsonb_agg(a) from public.audit_events a)::text as all`;
    const stored = z.object({ all: z.string() }).parse(rows[0]).all;
    const secret = browser.cookie.split("=")[1] ?? "";
    expect(stored).toContain(tokenHash(secret));
    for (const each of [secret, code, serviceToken(), tokenHash(serviceToken())]) expect(stored).not.toContain(each);
    expect(JSON.stringify(harness.log)).not.toContain(secret);
    expect(JSON.stringify(harness.log)).not.toContain(code);
  });

  it("with a wrong token is refused, and too many of them are not checked", async () => {
    let allowed = 2;
    const limited = createHarness({ FAILED_AUTH_RATE_LIMIT: { limit: async () => ({ success: allowed-- > 0 }) } });
    const browser = createBrowser(limited);
    const headers = { "cf-connecting-ip": "192.0.2.1" };
    await problemOf(await browser.signIn({ token: `djv_${"A".repeat(43)}` }, headers), 401, "unauthorized");
    await problemOf(await browser.signIn({ code: "a".repeat(26) }, headers), 401, "invalid-code");
    await problemOf(await browser.signIn({ code: "not a code" }, headers), 429, "rate-limited");
    const { code } = await createCode(harness);
    await problemOf(await browser.signIn({ code }, headers), 429, "rate-limited");
    expect((await browser.signIn({ code }, { "cf-connecting-ip": "192.0.2.2" })).status).toBe(200);
  });

  it("needs a token or a code, and not both", async () => {
    for (const body of [{}, { token: "a", code: "b" }, { token: "" }])
      await problemOf(await createBrowser(harness).signIn(body), 422, "invalid-request");
  });
});

describe("a one-time link", () => {
  it("has its code in the fragment, and signs in with the scopes of the token that made it", async () => {
    const { token } = await makeToken(harness, ["feedback"]);
    const { code, url, expires_at } = await createCode(harness, bearer(token));
    expect(code).toMatch(/^[a-z2-7]{26}$/);
    // The request names the host, so no link leads there.
    expect(url).toBeNull();
    expect(Date.parse(expires_at) - harness.clock.now().getTime()).toBe(600_000);
    const browser = createBrowser(harness);
    expect(await who(browser.signIn({ code: ` ${code.toUpperCase()} ` }))).toMatchObject({ scopes: ["feedback"] });
  });

  it("signs in the person that it names, in whose name the session records and rates", async () => {
    const { code } = await createCode(harness, {}, "?name=Dana");
    const browser = createBrowser(harness);
    expect(await who(browser.signIn({ code }))).toMatchObject({ name: "Dana", person: "Dana", domains: null });
    const triage = await harness.post("/v1/triage", { title: "It was OOMKilled" });
    const ids = z.object({ incident_id: z.string(), triage_id: z.string() }).parse(await triage.json());
    const send = (method: string, path: string, body: object) =>
      browser.request(path, { method, body: JSON.stringify(body), headers: { "content-type": "application/json" } });
    expect((await send("PATCH", `/v1/incidents/${ids.incident_id}`, { acknowledged: true })).status).toBe(200);
    expect(await sql`select acknowledged_by from public.incidents`).toEqual([{ acknowledged_by: "Dana" }]);
    // The same person at the command line: one rating.
    await send("POST", `/v1/triages/${ids.triage_id}/feedback`, { rating: "up" });
    await harness.post(`/v1/triages/${ids.triage_id}/feedback`, { rating: "down", by: "Dana" });
    expect(await sql`select rating from public.feedback`).toEqual([{ rating: -1 }]);
  });

  it("has the address that people open, or that of this machine", async () => {
    const named = createHarness({ PUBLIC_URL: "https://dejavu.example.com/" });
    const { code, url } = await createCode(named);
    expect(url).toBe(`https://dejavu.example.com/console#code=${code}`);
    const local = await createBrowser(harness, "http://127.0.0.1:8787").request("/v1/session/codes", {
      method: "POST",
      headers: bearer(serviceToken()),
    });
    expect(await local.json()).toMatchObject({ url: expect.stringContaining("http://127.0.0.1:8787/console#code=") });
  });

  it("works once, also when two requests use it at the same time", async () => {
    const { code } = await createCode(harness);
    const responses = await Promise.all([1, 2, 3].map(() => createBrowser(harness).signIn({ code })));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
    const { detail } = await problemOf(await createBrowser(harness).signIn({ code }), 401, "invalid-code");
    expect(detail).toContain("was used");
    expect(await sql`select 1 from public.console_sessions`).toHaveLength(1);
  });

  it("works for ten minutes", async () => {
    const { code } = await createCode(harness);
    harness.clock.advance(600_000);
    const { detail } = await problemOf(await createBrowser(harness).signIn({ code }), 401, "invalid-code");
    expect(detail).toContain("has expired");
  });

  it("ends with the token that made it", async () => {
    const { id, token } = await makeToken(harness, ["read"]);
    const { code } = await createCode(harness, bearer(token));
    await harness.request(`/v1/admin/tokens/${id}`, { method: "DELETE" });
    const { detail } = await problemOf(await createBrowser(harness).signIn({ code }), 401, "invalid-code");
    expect(detail).toContain("no longer valid");
    const ofService = await createCode(harness);
    const rotated = createHarness({ DEJAVU_TOKEN: "another-service-token" });
    await problemOf(await createBrowser(rotated).signIn({ code: ofService.code }), 401, "invalid-code");
  });

  it("makes one session when the first answer of the database is lost and the call is repeated", async () => {
    const { code } = await createCode(harness, bearer((await makeToken(harness, ["read"])).token));
    const p = {
      ...{ id: "00000000-0000-4000-8000-0000000000aa", session_hash: "0".repeat(64), code_hash: tokenHash(code) },
      ...{ code_proofs: {}, session_proofs: {}, ends_at: { token: "2026-03-02T03:00:00Z" } },
      ...{ now: harness.clock.now().toISOString(), request_id: "r" },
    };
    for (let i = 0; i < 2; i++)
      expect(await harness.services.database.call("redeem_sign_in_code", { p })).toMatchObject({ state: "signed_in" });
    expect(await sql`select 1 from public.audit_events where kind = 'console_session'`).toHaveLength(1);
  });

  it("cannot be made by a session, which would outlive its end", async () => {
    const { browser } = await sessionOf(serviceToken());
    await problemOf(await browser.request("/v1/session/codes", { method: "POST" }), 403, "insufficient-scope");
  });
});

describe("a session", () => {
  it("ends after 12 hours without use, and its use is written once a minute", async () => {
    const { browser } = await sessionOf(serviceToken());
    for (let i = 0; i < 3; i++) {
      harness.clock.advance(11 * HOUR_MS);
      expect(await statusOf(browser)).toBe(200);
    }
    const lastUse = () => sql`select last_used_at from public.console_sessions`;
    const before = await lastUse();
    const isolate = createHarness({ TOKEN_CACHE_SECONDS: "0" });
    isolate.clock.advance(33 * HOUR_MS + 59_000);
    const same = createBrowser(isolate);
    same.cookie = browser.cookie;
    expect(await statusOf(same)).toBe(200);
    expect(await lastUse()).toEqual(before);
    harness.clock.advance(12 * HOUR_MS);
    const { detail } = await problemOf(await browser.request("/v1/incidents"), 401, "unauthorized");
    expect(detail).toContain("session has ended");
  });

  it("ends after 30 days, however often it is used", async () => {
    const { browser } = await sessionOf(serviceToken());
    for (let i = 0; i < 59; i++) {
      harness.clock.advance(DAY_MS / 2 - 1);
      expect(await statusOf(browser)).toBe(200);
    }
    harness.clock.advance(DAY_MS / 2 + 59);
    expect(await statusOf(browser)).toBe(401);
  });

  it("ends with its token: expired, revoked, or its parent revoked", async () => {
    const parent = await makeToken(harness, ["admin", "read"]);
    const created = await harness.post("/v1/admin/tokens", { name: "child", scopes: ["read"] }, bearer(parent.token));
    const child = z.object({ token: z.string() }).parse(await created.json());
    const { browser } = await sessionOf(child.token);
    expect(await statusOf(browser)).toBe(200);
    await harness.request(`/v1/admin/tokens/${parent.id}`, { method: "DELETE" });
    expect(await statusOf(browser)).toBe(401);
    const short = await makeToken(harness, ["read"], { expires_in_days: 1 });
    harness.clock.advance(DAY_MS - HOUR_MS);
    const later = (await sessionOf(short.token)).browser;
    expect(await who(later.request("/v1/session"))).toMatchObject({ expires_at: short.expires_at });
    harness.clock.advance(HOUR_MS);
    expect(await statusOf(later)).toBe(401);
  });

  it("of the service token ends when the secret is replaced or removed", async () => {
    const { browser } = await sessionOf(serviceToken());
    for (const DEJAVU_TOKEN of ["another-service-token", undefined]) {
      const rotated = createBrowser(createHarness({ DEJAVU_TOKEN }));
      rotated.cookie = browser.cookie;
      expect(await statusOf(rotated)).toBe(401);
    }
    expect(await statusOf(browser)).toBe(200);
  });

  it("ends by signing out", async () => {
    const { browser } = await sessionOf(serviceToken());
    const response = await browser.request("/v1/session", { method: "DELETE" });
    expect(response.status).toBe(204);
    expect(response.headers.get("set-cookie")).toMatch(/^__Host-dejavu_session=; Max-Age=0; /);
    expect(await statusOf(browser)).toBe(401);
    expect((await harness.request("/v1/session", { method: "DELETE" })).status).toBe(204);
  });

  it("is listed and revoked by an admin", async () => {
    const { token } = await makeToken(harness, ["read"], { name: "on-call" });
    const ended = await sessionOf(token);
    harness.clock.advance(HOUR_MS);
    const { browser, id } = await sessionOf(token);
    harness.clock.advance(11 * HOUR_MS);
    await statusOf(browser);
    const list = async () => listSchema.parse(await (await harness.request("/v1/admin/sessions")).json()).sessions;
    expect(await list()).toEqual([expect.objectContaining({ id, name: "on-call", credential: "token" })]);
    expect(await statusOf(ended.browser)).toBe(401);
    expect((await harness.request(`/v1/admin/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await harness.request(`/v1/admin/sessions/${id}`, { method: "DELETE" })).status).toBe(204);
    expect(await statusOf(browser)).toBe(401);
    expect(await list()).toEqual([]);
    const nobody = "00000000-0000-4000-8000-000000000000";
    await problemOf(await harness.request(`/v1/admin/sessions/${nobody}`, { method: "DELETE" }), 404, "not-found");
    await problemOf(await harness.request("/v1/admin/sessions", { headers: bearer(token) }), 403, "insufficient-scope");
  });

  it("of another domain is neither listed nor revoked by a restricted admin", async () => {
    const admin = await makeToken(harness, ["admin"], { domains: ["checkout"] });
    const own = await makeToken(harness, ["read"], { name: "own", domains: ["checkout"] });
    const foreign = await makeToken(harness, ["read"], { name: "foreign", domains: ["ledger"] });
    const ownSession = await sessionOf(own.token);
    const sessions = [await sessionOf(foreign.token), await sessionOf(serviceToken())];
    const headers = bearer(admin.token);
    const listed = listSchema.parse(await (await harness.request("/v1/admin/sessions", { headers })).json());
    expect(listed.sessions.map(({ id }) => id)).toEqual([ownSession.id]);
    for (const { id, browser } of sessions) {
      const response = await harness.request(`/v1/admin/sessions/${id}`, { method: "DELETE", headers });
      await problemOf(response, 404, "not-found");
      expect(await statusOf(browser)).toBe(200);
    }
    const ownOne = await harness.request(`/v1/admin/sessions/${ownSession.id}`, { method: "DELETE", headers });
    expect(ownOne.status).toBe(204);
  });

  it("leaves audit events when it begins and ends", async () => {
    const { token, id: tokenId } = await makeToken(harness, ["read"]);
    const { browser, id } = await sessionOf(token);
    await browser.request("/v1/session", { method: "DELETE" });
    const events =
      await sql`select action, kind, subject_id, actor from public.audit_events where kind <> 'token' order by id`;
    expect([...events]).toEqual([
      { action: "created", kind: "console_session", subject_id: id, actor: tokenId },
      { action: "revoked", kind: "console_session", subject_id: id, actor: tokenId },
    ]);
  });

  it("is looked up once a minute, and works for an hour while the database is unavailable", async () => {
    let isCut = false;
    await using gateway = await lyingServer({
      forwardTo: info.urls.supabase,
      before: () => (isCut ? "cut" : undefined),
    });
    const isolate = createHarness({ SUPABASE_URL: gateway.url });
    const { browser } = await sessionOf(serviceToken(), isolate);
    const lookups = () => gateway.requests.filter((line) => line.includes("use_console_session")).length;
    for (let i = 0; i < 3; i++) await browser.request("/v1/session");
    expect(lookups()).toBe(1);
    isCut = true;
    for (const minutes of [5, 30, 24]) {
      isolate.clock.advance(minutes * 60_000);
      expect((await browser.request("/v1/session")).status).toBe(200);
    }
    isolate.clock.advance(60_000);
    await problemOf(await browser.request("/v1/session"), 503, "dependency-unavailable");
  });

  it("that has ended is deleted after the retention", async () => {
    await sessionOf(serviceToken());
    await createCode(harness);
    harness.clock.advance(91 * DAY_MS);
    const { id } = await sessionOf(serviceToken());
    await harness.request("/v1/admin/jobs/delete-expired", { method: "POST" });
    expect([...(await sql`select id from public.console_sessions`)]).toEqual([{ id }]);
    expect(await sql`select 1 from public.sign_in_codes`).toHaveLength(0);
  });
});
