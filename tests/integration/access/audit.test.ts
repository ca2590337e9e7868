import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { auditEventSchema } from "../../../functions/memory/memory-lists.ts";
import { createHarness, emptyStores, info, sql } from "../support/harness.ts";
import { plantIncident, plantMemory, plantObservation } from "../support/sample-memory.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { bearer, makeToken } from "../support/tokens.ts";

const harness = createHarness();
const { services } = harness;
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const TITLE = { title: "container exited with code 137" };

beforeEach(() => emptyStores(services));

async function events() {
  const response = await harness.request("/v1/memory/audit");
  expect(response.status).toBe(200);
  return z.object({ events: z.array(auditEventSchema) }).parse(await response.json()).events;
}

describe("a change through the API", () => {
  it("writes an event with actor, time, route and subject, and without content", async () => {
    const { incident_id, triage_id } = await harness.triage(TITLE);
    const dana = await makeToken(harness, ["feedback"]);
    const resolution = { resolution: "Raised the limit of zanzibar.", resolved_by: "dana" };
    const resolved = await harness.post(`/v1/incidents/${incident_id}/resolve`, resolution, bearer(dana.token));
    await harness.post(`/v1/triages/${triage_id}/feedback`, { rating: "up", comment: "zanzibar" });
    await harness.request("/v1/admin/jobs/recover-stuck-runs", { method: "POST" });
    const [job, feedback, resolve] = await events();
    expect(resolve).toMatchObject({
      at: "2026-03-01T03:00:00+00:00",
      action: "changed",
      kind: "request",
      subject_id: incident_id,
      actor: dana.id,
      request_id: resolved.headers.get("x-request-id"),
      detail: { method: "POST", route: "/v1/incidents/:id/resolve", status: 200 },
    });
    expect(feedback).toMatchObject({ subject_id: triage_id, actor: "service" });
    expect(job).toMatchObject({ subject_id: "recover-stuck-runs", detail: { route: "/v1/admin/jobs/:name" } });
    expect(JSON.stringify(await sql`select * from public.audit_events`)).not.toContain("zanzibar");
  });

  it("writes no event when it was refused or the record does not exist", async () => {
    const { incident_id } = await harness.triage(TITLE);
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "" });
    await harness.post(`/v1/incidents/${UNKNOWN_ID}/resolve`, { resolution: "restarted it" });
    await harness.request("/v1/admin/jobs/make-coffee", { method: "POST" });
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "restarted it" }, bearer("wrong"));
    await harness.request("/v1/nothing", { method: "PUT" });
    expect(await events()).toEqual([]);
  });

  it("writes no event for reads and reports", async () => {
    await harness.triage(TITLE);
    await harness.request("/v1/incidents");
    await harness.request("/v1/memory/search?query=exit+137");
    expect(await events()).toEqual([]);
  });

  it("never writes an event that marks the incident as deleted", async () => {
    const { incident_id } = await harness.triage(TITLE);
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "restarted it" });
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "raised the limit" });
    expect(await events()).toHaveLength(2);
    const response = await harness.request(`/v1/incidents/${incident_id}`);
    expect(await response.json()).toMatchObject({ status: "resolved", resolution: "raised the limit" });
    const insert = (action: string, kind: string) => sql`insert into public.audit_events (at, action, kind, subject_id)
      values (now(), ${action}, ${kind}, ${incident_id})`;
    await expect(insert("changed", "incident")).rejects.toThrow("audit_events_action_and_kind");
    await expect(insert("deleted", "request")).rejects.toThrow("audit_events_action_and_kind");
  });
});

describe("an event in the transaction of its change", () => {
  it("is written once when a token is created and once when it is revoked", async () => {
    const { id } = await makeToken(harness, ["read", "triage"]);
    await harness.request(`/v1/admin/tokens/${id}`, { method: "DELETE" });
    await harness.request(`/v1/admin/tokens/${id}`, { method: "DELETE" });
    const token = {
      kind: "token",
      subject_id: id,
      actor: "service",
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    };
    expect(await events()).toMatchObject([
      { ...token, action: "revoked", detail: {} },
      { ...token, action: "created", detail: { scopes: ["triage", "read"] } },
    ]);
  });

  it("is written for a deletion, with the actor and without the name of a session", async () => {
    const planted = await plantIncident(services, { sessionId: "call-with-zanzibar" });
    await plantObservation(services, planted);
    await plantMemory(services, planted);
    const admin = await makeToken(harness, ["admin"]);
    const deleteRecord = (path: string) => harness.request(path, { method: "DELETE", headers: bearer(admin.token) });
    const first = await deleteRecord("/v1/memory/sessions/call-with-zanzibar");
    await deleteRecord(`/v1/memory/observations/${planted.incidentId}`);
    await deleteRecord(`/v1/incidents/${planted.incidentId}`);
    await deleteRecord(`/v1/incidents/${planted.incidentId}`);
    const [incident, observation, session, created, ...more] = await events();
    expect([incident?.kind, observation?.kind, session?.kind, created?.kind]).toEqual([
      ...["incident", "observation", "session"],
      "token",
    ]);
    expect(more).toEqual([]);
    for (const event of [incident, observation, session])
      expect(event).toMatchObject({ action: "deleted", actor: admin.id });
    expect(session?.request_id).toBe(first.headers.get("x-request-id"));
    expect(JSON.stringify(await sql`select * from public.audit_events`)).not.toContain("zanzibar");
  });
});

describe("an event that could not be written", () => {
  const cutting = async (before: (call: number) => "cut" | undefined) => {
    let calls = 0;
    const gateway = await lyingServer({
      forwardTo: info.urls.supabase,
      before: (path) => (path.includes("record_change") ? before(++calls) : undefined),
    });
    const cut = createHarness({ SUPABASE_URL: gateway.url });
    return { gateway, cut };
  };

  it("is written at the second attempt", async () => {
    const { gateway, cut } = await cutting((call) => (call === 1 ? "cut" : undefined));
    await using _ = gateway;
    const response = await cut.request("/v1/admin/jobs/recover-stuck-runs", { method: "POST" });
    expect(await events()).toMatchObject([{ request_id: response.headers.get("x-request-id") }]);
    expect(cut.log.some(({ event }) => event === "audit.event_lost")).toBe(false);
  });

  it("is logged with its ids after the second attempt, and the caller gets the normal response", async () => {
    const { gateway, cut } = await cutting(() => "cut");
    await using _ = gateway;
    const response = await cut.request("/v1/admin/jobs/recover-stuck-runs", { method: "POST" });
    expect(response.status).toBe(200);
    expect(await events()).toEqual([]);
    expect(gateway.requests.filter((line) => line.includes("record_change"))).toHaveLength(2);
    expect(cut.log.find(({ event }) => event === "audit.event_lost")).toMatchObject({
      level: "error",
      fields: {
        request_id: response.headers.get("x-request-id"),
        actor: "service",
        method: "POST",
        route: "/v1/admin/jobs/:name",
        status: 200,
      },
    });
  });

  it("is written once when both attempts arrive", async () => {
    const p = { now: "2026-03-01T03:00:00Z", subject_id: "s", actor: "service", request_id: "r", detail: {} };
    for (let i = 0; i < 2; i++) await services.database.call("record_change", { p });
    expect(await events()).toHaveLength(1);
  });
});
