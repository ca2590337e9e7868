// Notification targets over the API: definitions, who sees them, and what becomes of their secrets.

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { sendJson } from "../support/api.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { notificationServer, WEBHOOK_SECRET } from "../support/servers/notification-server.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const systems = await notificationServer();
afterAll(() => systems[Symbol.asyncDispose]());
const harness = createHarness({ NOTIFY_HOOK: WEBHOOK_SECRET, NOTIFY_DOCKER__HOOK: WEBHOOK_SECRET });
harness.expireHung(systems.server, "chat", "notification_target");

const HOOK = { kind: "webhook", options: { url: `${systems.server.url}/hook` }, credential: "NOTIFY_HOOK" };

beforeEach(async () => {
  await emptyStores(harness.services);
  await sql`truncate public.notification_targets cascade`;
  systems.reset();
  harness.log.length = 0;
});

const put = (name: string, body: object) => sendJson(harness, "PUT", `/v1/notifications/${name}`, body);
const tryIt = (name: string, body: object = {}) => sendJson(harness, "POST", `/v1/notifications/${name}/try`, body);

describe("a notification target", () => {
  it("is defined, listed, replaced and deleted", async () => {
    const { status, body } = await put("bus", { ...HOOK, domains: ["docker"], matchers: ['team="db"'] });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body).toMatchObject({
      ...{
        name: "bus",
        kind: "webhook",
        options: HOOK.options,
        credential: "NOTIFY_HOOK",
        problem: null,
      },
      ...{ domains: ["docker"], matchers: ['team="db"'], min_severity: "info", pending: 0, last_error: null },
    });
    expect((await put("bus", { ...HOOK, credential: "NOTIFY_LATER" })).status).toBe(200);
    const list = await harness.request("/v1/notifications");
    expect(await list.json()).toMatchObject({
      targets: [{ name: "bus", problem: "the Worker has no secret NOTIFY_LATER", domains: [] }],
    });
    expect((await harness.request("/v1/notifications/bus", { method: "DELETE" })).status).toBe(204);
    expect((await put("oncall", { kind: "slack", options: { channel: "C024BE91L" } })).body).toMatchObject({
      problem: "the Worker has no secret SLACK_BOT_TOKEN",
    });
    await problemOf(await harness.request("/v1/notifications/bus"), 404, "not-found");
    await problemOf(await harness.request("/v1/notifications/bus", { method: "DELETE" }), 404, "not-found");
  });

  it("is tried with a sample and with an incident", async () => {
    const { incident_id } = await harness.triage({ title: "Pod is crash looping", severity: "high" });
    await put("bus", HOOK);
    expect(await tryIt("bus")).toMatchObject({ status: 200, body: { delivered: true, failure: null } });
    expect((await tryIt("bus", { incident_id })).body).toMatchObject({ delivered: true });
    expect(systems.webhooks.map(({ body }) => body)).toEqual([
      expect.stringContaining("A test message of Dejavu"),
      expect.stringContaining("Pod is crash looping"),
    ]);
    expect((await tryIt("bus", { incident_id: "3f2a91bc-0d4e-4f5a-8b6c-7d8e9f001122" })).status).toBe(422);
    await put("pd", {
      kind: "pagerduty",
      credential: "NOTIFY_HOOK",
      options: { from: "a@example.com", url: systems.server.url },
    });
    expect((await tryIt("pd", { incident_id })).status).toBe(422);
  });

  it.each([
    ["hangs", "hang", "timeout"],
    ["drips", "drip", "timeout"],
    ["redirects", { status: 302, body: "", headers: { location: "http://evil.example" } }, "refused"],
    ["limits", { status: 429, body: "" }, "busy"],
    ["refuses", { status: 400, body: "secret-of-the-target" }, "refused"],
    ["cuts", "cut", "unreachable"],
  ] as const)("that %s is reported as failing", async (_name, answer, code) => {
    await put("bus", HOOK);
    systems.misbehave = () => answer;
    const { body } = await tryIt("bus");
    expect(body).toMatchObject({ delivered: false, failure: { code } });
    expect(JSON.stringify(body)).not.toContain("secret-of-the-target");
  });

  it("stores no secret and shows none, also when it is missing", async () => {
    await put("bus", HOOK);
    await put("late", { ...HOOK, credential: "NOTIFY_LATER" });
    expect((await tryIt("late")).body).toMatchObject({ failure: { detail: "the Worker has no secret NOTIFY_LATER" } });
    await tryIt("bus");
    const rows = await sql`select to_jsonb(t)::text as text from public.notification_targets t`;
    const all = [rows, harness.log, await (await harness.request("/v1/notifications")).json()];
    expect(JSON.stringify(all)).not.toContain(WEBHOOK_SECRET);
  });
});

it("a token that is limited to domains manages the targets of these alone", async () => {
  for (const name of ["docker", "kafka"])
    expect((await sendJson(harness, "PUT", `/v1/domains/${name}`, { description: `About ${name}.` })).status).toBe(201);
  await put("all", HOOK);
  await put("theirs", { ...HOOK, domains: ["docker", "kafka"] });
  const { token } = await makeToken(harness, ["read", "admin"], { domains: ["docker"] });
  const request = (method: string, path: string, body?: object) =>
    harness.request(`/v1/notifications${path}`, {
      method,
      headers: { ...bearer(token), "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const own = {
    kind: "slack",
    options: { channel: "C024BE91L" },
    credential: "NOTIFY_DOCKER__HOOK",
    domains: ["docker"],
  };
  expect((await request("PUT", "/own", own)).status).toBe(201);
  expect(await (await request("GET", "")).json()).toMatchObject({ targets: [{ name: "own" }] });
  await problemOf(await request("GET", "/all"), 404, "not-found");
  await problemOf(await request("DELETE", "/theirs"), 404, "not-found");
  await problemOf(await request("PUT", "/more", { ...own, domains: [] }), 403, "outside-domains");
  await problemOf(await request("PUT", "/more", { ...own, domains: ["kafka"] }), 403, "outside-domains");
  await problemOf(await request("PUT", "/more", { ...own, credential: "NOTIFY_HOOK" }), 422, "invalid-request");
  await problemOf(await request("PUT", "/all", own), 403, "outside-domains");
  expect((await request("DELETE", "/own")).status).toBe(204);
  expect(await sql`select name from public.notification_targets order by name`).toEqual([
    { name: "all" },
    { name: "theirs" },
  ]);
});
