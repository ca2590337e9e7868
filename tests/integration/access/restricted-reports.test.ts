// Reports, texts and tokens of a caller that is restricted to a domain, and what the database refuses it.

import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { triageResultSchema } from "../../../functions/schemas/triage-result.ts";
import { investigate, receiptSchema, webhook } from "../alerts/support.ts";
import { createHarness, emptyStores, type Harness, info, sql } from "../support/harness.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { bearer, createdSchema, makeToken, problemOf } from "../support/tokens.ts";
import { as, createWorld, FOREIGN, OWN, type World } from "./domain-world.ts";

const QUERY = "ledger replication stalled";

let harness: Harness;
let world: World;
beforeEach(async () => {
  harness = createHarness();
  await emptyStores(harness.services);
  world = await createWorld(harness);
});

const post = (path: string, body: unknown, on: Harness = harness) => on.post(path, body, as(world.token));
const send = (method: string, path: string, body: string, type = "application/json") =>
  harness.request(path, { method, body, headers: { ...as(world.token), "content-type": type } });

describe("a report of a restricted token", () => {
  it("stays within its domains when nothing decides, and is answered from them", async () => {
    const response = await post("/v1/triage", { title: QUERY });
    const text = await response.clone().text();
    const { domain, incident_id } = triageResultSchema.parse(await response.json());
    expect(domain.name).toBe(OWN);
    expect(text).toContain(world.own.word);
    expect(text).not.toContain(world.foreign.word);
    const read = await harness.request(`/v1/incidents/${incident_id}`, { headers: as(world.token) });
    expect(read.status).toBe(200);
  });

  it("is listed by its title where its record is in a domain of others", async () => {
    const response = await post("/v1/triage", { title: "unheard-of trouble at the depot", labels: { domain: OWN } });
    const { incident_id } = triageResultSchema.parse(await response.json());
    await sql`update public.observations set domain = ${FOREIGN} where incident_id = ${incident_id}`;
    const list = await harness.request("/v1/incidents", { headers: as(world.token) });
    expect([list.status, await list.json()]).toMatchObject([
      200,
      { incidents: expect.arrayContaining([expect.objectContaining({ failure: "unheard-of trouble at the depot" })]) },
    ]);
  });

  it("is answered in the domain to which a person moved it", async () => {
    const response = await post("/v1/incidents", { title: QUERY });
    const { incident_id: id } = z.object({ incident_id: z.string() }).parse(await response.json());
    const moved = await harness.request(`/v1/incidents/${id}`, {
      method: "PATCH",
      body: JSON.stringify({ domain: FOREIGN, by: "dana" }),
      headers: { "content-type": "application/json" },
    });
    expect(moved.ok, await moved.clone().text()).toBe(true);
    await investigate(harness.services, [id]);
    expect(await sql`select i.status, i.domain from public.incidents i where i.id = ${id}`).toEqual([
      { status: "triaged", domain: FOREIGN },
    ]);
  });

  it("is refused when its label names a domain of others, and the problem names it", async () => {
    const labels = { domain: FOREIGN };
    for (const path of ["/v1/triage", "/v1/incidents"]) {
      const { detail } = await problemOf(await post(path, { title: QUERY, labels }), 403, "outside-domains");
      expect(detail).toContain(`\`${FOREIGN}\` (label domain=${FOREIGN})`);
    }
  });

  it("is refused when a rule of others decides for it, and accepted when a rule of its own does too", async () => {
    const define = (name: string, value: string) =>
      harness.request(`/v1/domains/${name}`, {
        method: "PUT",
        body: JSON.stringify({ labels: [{ match: { app: [value] }, weight: 3 }] }),
        headers: { "content-type": "application/json" },
      });
    const defined = await define(FOREIGN, "ledger-db");
    expect(defined.ok, await defined.clone().text()).toBe(true);
    const refused = await post("/v1/incidents", { title: QUERY, labels: { app: "ledger-db" } });
    expect((await problemOf(refused, 403, "outside-domains")).detail).toContain(`\`${FOREIGN}\``);
    expect((await post("/v1/incidents", { title: QUERY, labels: { app: "till" } })).status).toBe(202);
  });

  it("is answered within a session while names are hidden from models", async () => {
    const hiding = createHarness({ PSEUDONYMISE: "true" });
    const report = { title: QUERY, session_id: "on-call", labels: { pod: "ledger-7c9f8d6b5-x2x4z" } };
    for (let turn = 1; turn <= 2; turn++) {
      const response = await post("/v1/triage", report, hiding);
      expect(response.status, await response.clone().text()).toBe(200);
    }
    expect(hiding.log.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("counts towards the token's limit of waiting incidents", async () => {
    const limited = createHarness({ MAX_WAITING_INCIDENTS: "1" });
    expect((await post("/v1/incidents", { title: QUERY }, limited)).status).toBe(202);
    await problemOf(await post("/v1/incidents", { title: QUERY }, limited), 503, "too-many-waiting");
    const alerts = webhook([{ name: "Another", labels: {} }]);
    await problemOf(await post("/v1/alerts/alertmanager", JSON.parse(alerts), limited), 503, "too-many-waiting");
  });

  it("is investigated later with the same restriction, by the queue", async () => {
    const { incident_id } = z
      .object({ incident_id: z.string() })
      .parse(await (await post("/v1/incidents", { title: QUERY })).json());
    await investigate(createHarness().services, [incident_id]);
    const answer = await (await harness.request(`/v1/incidents/${incident_id}`)).text();
    expect(answer).toContain(world.own.word);
    expect(answer).not.toContain(world.foreign.word);
  });

  it("is answered without texts of others while the database is unavailable", async () => {
    let isCut = false;
    await using gateway = await lyingServer({
      forwardTo: info.urls.supabase,
      before: () => (isCut ? "cut" : undefined),
    });
    const isolate = createHarness({ SUPABASE_URL: gateway.url });
    expect((await isolate.request("/v1/incidents", { headers: as(world.token) })).status).toBe(200);
    isCut = true;
    const response = await post("/v1/triage", { title: QUERY }, isolate);
    expect(response.status, await response.clone().text()).toBe(200);
    const answer = await response.text();
    expect(answer).toContain(world.own.word);
    expect(answer).not.toContain(world.foreign.word);
  });

  it("does not lose the token's own alerts of a webhook with alerts of others", async () => {
    const body = webhook([
      { name: "Ours", labels: { domain: OWN } },
      { name: "Theirs", labels: { domain: FOREIGN } },
    ]);
    const response = await send("POST", "/v1/alerts/alertmanager", body);
    const receipt = receiptSchema.parse(await response.json());
    expect(receipt).toMatchObject({ received: 2, stored: 1 });
    expect(receipt.alerts.map(({ decision }) => decision)).toEqual(["created", "ignored"]);
    expect(receipt.alerts[1]?.rule).toBe(`label domain=${FOREIGN}: ${FOREIGN} is outside the token's domains`);
  });
});

describe("a restricted token", () => {
  it("reads, changes and deletes the records of its own domain", async () => {
    const { incident, triage, document, procedure } = world.own;
    const runbook = "# Ledger again\n\n## Causes\n\nThe disk is full.\n";
    expect((await send("PUT", `/v1/runbooks/${OWN}/ledger.md`, runbook, "text/markdown")).status).toBe(200);
    expect((await send("PUT", `/v1/runbooks/${OWN}/new.md`, runbook, "text/markdown")).status).toBe(201);
    expect((await send("PUT", `/v1/domains/${OWN}`, JSON.stringify({ description: "The shop." }))).status).toBe(200);
    for (const path of [`/v1/incidents/${incident}`, `/v1/documents/${document}`, `/v1/runbooks/${OWN}/new.md`])
      expect((await harness.request(path, { headers: as(world.token) })).status, path).toBe(200);
    expect((await post(`/v1/triages/${triage}/feedback`, { rating: "down" })).status).toBe(200);
    expect((await post(`/v1/incidents/${incident}/tries`, { action: "rebooted", helped: false })).status).toBe(200);
    const again = z
      .object({ incident_id: z.string() })
      .parse(await (await post("/v1/triage", { title: QUERY })).json());
    const fix = { resolution: "Grew the volume again." };
    expect((await post(`/v1/incidents/${again.incident_id}/resolve`, fix)).status).toBe(200);
    for (const path of [
      `/v1/memory/procedures/${procedure}`,
      `/v1/memory/past-answers/${triage}`,
      `/v1/memory/observations/${incident}`,
      `/v1/incidents/${incident}`,
      `/v1/documents/${document}`,
      `/v1/runbooks/${OWN}/new.md`,
    ]) {
      const response = await harness.request(path, { method: "DELETE", headers: as(world.token) });
      expect(response.ok, `${path} ${response.status} ${await response.clone().text()}`).toBe(true);
    }
    expect(harness.log.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("is refused labels that another domain claims", async () => {
    const definition = JSON.stringify({ labels: [{ match: { app: ["ledger"] } }] });
    const headers = { "content-type": "application/json" };
    const claimed = await harness.request(`/v1/domains/${FOREIGN}`, { method: "PUT", body: definition, headers });
    expect(claimed.ok, await claimed.clone().text()).toBe(true);
    await problemOf(await send("PUT", `/v1/domains/${OWN}`, definition), 409, "label-conflict");
  });

  it("makes tokens for its own domains only, sees no others, and revokes no others", async () => {
    const child = createdSchema.parse(
      await (await post("/v1/admin/tokens", { name: "child", scopes: ["read"] })).json(),
    );
    expect(child.domains).toEqual([OWN]);
    expect((await harness.request(`/v1/runbooks/${FOREIGN}/ledger.md`, { headers: bearer(child.token) })).status).toBe(
      404,
    );
    const listed = await (await harness.request("/v1/admin/tokens", { headers: as(world.token) })).text();
    expect(listed).toContain(child.id);
    expect(listed).not.toContain(world.foreign.token);
    const all = await makeToken(harness, ["read"]);
    for (const id of [all.id, world.foreign.token]) {
      const response = await harness.request(`/v1/admin/tokens/${id}`, { method: "DELETE", headers: as(world.token) });
      await problemOf(response, 404, "not-found");
    }
    const own = await harness.request(`/v1/admin/tokens/${child.id}`, { method: "DELETE", headers: as(world.token) });
    expect(own.status).toBe(204);
  });

  it("replaces a token only if it has all its domains", async () => {
    const body = { name: "narrower", scopes: ["report"], domains: [OWN], replaces: world.foreign.token };
    const problem = await problemOf(await harness.post("/v1/admin/tokens", body), 422, "invalid-request");
    expect(problem.errors?.map(({ field }) => field)).toEqual(["replaces"]);
  });

  it.each([
    ["no domain", []],
    ["a name that no domain can have", ["Not A Name"]],
    ["too many", Array.from({ length: 21 }, (_, i) => `domain-${i}`)],
  ])("is not created with %s", async (_, domains) => {
    const response = await harness.post("/v1/admin/tokens", { name: "t", scopes: ["read"], domains });
    const problem = await problemOf(response, 422, "invalid-request");
    expect(problem.errors?.[0]?.field).toMatch(/^domains/);
  });
});

describe("the database", () => {
  const callAs = (domains: readonly string[], name: string, args: Record<string, string>) =>
    sql.begin(async (tx) => {
      await tx`set local session authorization authenticator`;
      await tx`set local role service_role`;
      return tx`select public.call_restricted(${[...domains]}, ${name}, ${tx.json(args)})`;
    });

  it("refuses a restricted call of a function that is not listed, and a call without domains", async () => {
    await expect(callAs([OWN], "list_audit_events", { p_limit: "1" })).rejects.toThrow("is not for callers");
    await expect(callAs([OWN], "restricted_domains", {})).rejects.toThrow("is not for callers");
    await expect(callAs([], "list_incidents", { p_limit: "1" })).rejects.toThrow("is not for callers");
    await expect(callAs([OWN], "list_incidents", { p_nothing: "1" })).rejects.toThrow("has no such arguments");
  });

  it("leaves no restriction behind for the next call of the connection", async () => {
    const count = () =>
      sql.begin(async (tx) => {
        await tx`set local role service_role`;
        return (await tx`select * from public.list_incidents(100)`).length;
      });
    const all = await count();
    expect((await callAs([OWN], "list_incidents", { p_limit: "100" }))[0]?.call_restricted).toHaveLength(1);
    expect(await count()).toBe(all);
  });

  it("shows a restricted call nothing of a table without a policy, such as one of a later migration", async () => {
    const tables = await sql`select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not exists (
        select 1 from pg_policy p where p.polrelid = c.oid)`;
    expect(tables.length).toBeGreaterThan(0);
    for (const { name } of tables) {
      const rows = sql.begin(async (tx) => {
        await tx`set local role dejavu_restricted`;
        return tx`select 1 from public.${tx(name)}`;
      });
      expect(await rows, name).toHaveLength(0);
    }
  });
});
