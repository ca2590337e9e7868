// Fixes and their proofs through the whole application: which record a report belongs to, which fix is active, what did not
// help, and whether the failure came back.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { fixSchema } from "../../../functions/schemas/fix.ts";
import { deliver, investigate, webhook } from "../alerts/support.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const VAGUE = "Service availability disruption";
const OOM_LINE = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
const CERTIFICATE_LINE =
  "ERROR tls handshake with upstream failed: x509: certificate has expired or is not yet valid: current time is after notAfter";

/** Two failures of one service under one vague title. */
const OOM = { title: VAGUE, target: "checkout", labels: { domain: "docker" }, logs: `03:00:01 ${OOM_LINE}` };
const CERTIFICATE = { ...OOM, logs: `03:00:01 ${CERTIFICATE_LINE}` };
/** The first one on another service. */
const OOM_ELSEWHERE = { ...OOM, target: "cart", logs: `04:12:59 ${OOM_LINE}` };

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
});

const observationsSchema = z.object({
  observations: z.array(
    z.looseObject({
      id: z.string(),
      incident_id: z.string(),
      resolution: z.string().nullable(),
      resolved_by: z.string().nullable(),
      occurrences: z.number(),
      targets: z.array(z.string()),
      fixes: z.array(fixSchema),
      why: z.array(z.string()),
    }),
  ),
});

/** Observations, last seen first. */
async function observations() {
  const response = await harness.request("/v1/memory/observations");
  return observationsSchema.parse(await response.json()).observations;
}

async function onlyObservation() {
  const [observation, ...others] = await observations();
  expect(others).toEqual([]);
  if (observation === undefined) throw new Error("There is no observation.");
  return observation;
}

/** Reports the failure, a day after the last report. */
async function report(body: object): Promise<string> {
  harness.clock.advance(DAY_MS);
  return (await harness.triage(body)).incident_id;
}

async function send(incidentId: string, action: "resolve" | "tries", body: object): Promise<void> {
  harness.clock.advance(60_000);
  expect((await harness.post(`/v1/incidents/${incidentId}/${action}`, body)).status).toBe(200);
}

const resolve = (incidentId: string, body: object) => send(incidentId, "resolve", body);
const attempt = (incidentId: string, body: object) => send(incidentId, "tries", body);

describe("the record of a failure", () => {
  it("is another one for another failure of the same service under the same title", async () => {
    await resolve(await report(OOM), { resolution: "Raised the limit." });
    await resolve(await report(CERTIFICATE), { resolution: "Renewed the certificate." });
    await resolve(await report({ ...OOM, logs: `05:31:07 ${OOM_LINE}` }), { resolution: "Bounded the cache." });
    expect(await observations()).toMatchObject([
      { occurrences: 2, resolution: "Bounded the cache." },
      { occurrences: 1, resolution: "Renewed the certificate.", fixes: [{ retired: null }] },
    ]);
  });

  it("is the same one for the same failure of another service", async () => {
    await resolve(await report(OOM), { resolution: "Raised the limit." });
    await report(OOM_ELSEWHERE);
    const { id, targets, occurrences, resolution } = await onlyObservation();
    expect({ targets, occurrences, resolution }).toEqual({
      targets: ["cart", "checkout"],
      occurrences: 2,
      resolution: "Raised the limit.",
    });
    const fingerprints = await sql`select distinct fingerprint, observation_id from public.incidents`;
    expect(fingerprints).toEqual([{ fingerprint: expect.any(String), observation_id: id }]);
  });

  it("explains why it is as it is", async () => {
    await resolve(await report(OOM), { resolution: "Restarted it." });
    await resolve(await report(OOM_ELSEWHERE), {
      resolution: "Raised the limit.",
      did_not_help: ["Emptied the cache."],
    });
    expect((await onlyObservation()).why).toEqual([
      "Identified by 1 error line: the same line on any service is the same failure.",
      "2 reports on 2 services share its error lines.",
      "Its fix was replaced on 2026-03-03 by a newer one.",
      "1 action did not help.",
      expect.stringMatching(/^Shown 1 time, it helped 1 time\.$/),
    ]);
    await report({ title: VAGUE, labels: { domain: "docker" } });
    expect((await observations())[0]?.why).toEqual([
      "Little is known: only a title. It merges with exact repeats only.",
    ]);
  });

  it("of a bare title merges with its exact repeat only", async () => {
    const bare = { title: VAGUE, labels: { domain: "docker" } };
    for (const body of [bare, bare, { ...bare, target: "cart" }, { ...bare, title: `${VAGUE} again` }])
      await report(body);
    expect((await observations()).map(({ occurrences }) => occurrences)).toEqual([1, 1, 2]);
  });

  it("is a new one for a fingerprint that several records have", async () => {
    const first = await report(OOM);
    // Two reports that a person split.
    const second = await report({ title: "another failure", labels: { domain: "docker" } });
    await sql`insert into public.observation_fingerprints (domain, fingerprint, observation_id)
      select domain, fingerprint, ${second} from public.observations where id = ${first}`;
    const third = await report(OOM_ELSEWHERE);
    expect((await observations()).map(({ id, occurrences }) => [id, occurrences])).toEqual([
      [third, 1],
      [second, 1],
      [first, 1],
    ]);
  });

  it("is one for parallel first reports on many services", async () => {
    await Promise.all(["a1", "b1", "c1", "d1", "e1", "f1"].map((target) => harness.triage({ ...OOM, target })));
    const { occurrences, targets } = await onlyObservation();
    expect([occurrences, targets.length]).toEqual([6, 6]);
  });
});

describe("the proof of a fix", () => {
  it("counts all incidents that are resolved at once", async () => {
    const reported = new Set([await report(OOM)]);
    for (let i = 1; i < 10; i++) reported.add(await report({ ...OOM, target: `checkout-${i}` }));
    await Promise.all([...reported].map((id) => resolve(id, { resolution: "Raised the limit." })));
    const { fixes } = await onlyObservation();
    expect(fixes.map(({ worked }) => worked)).toEqual([reported.size]);
  });

  it("counts each incident once, with the last success", async () => {
    const first = await report(OOM);
    for (const by of ["bob", "dana"])
      await resolve(first, { resolution: "Raised the limit.", resolved_by: by, conditions: "gateway 4.1" });
    const { id: fix_id = "" } = (await onlyObservation()).fixes[0] ?? {};
    await resolve(await report(OOM_ELSEWHERE), { fix_id, resolved_by: "eli" });
    await attempt(await report(OOM), { action: "raised the limit", helped: false, by: "finn" });
    const { resolution, resolved_by, fixes } = await onlyObservation();
    expect({ resolution, resolved_by }).toEqual({ resolution: "Raised the limit.", resolved_by: "eli" });
    expect(fixes).toEqual([
      {
        id: fix_id,
        text: "Raised the limit.",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        conditions: "gateway 4.1",
        tried: 3,
        worked: 2,
        first_at: "2026-03-02T03:02:00+00:00",
        last_at: "2026-03-04T03:04:00+00:00",
        last_worked_at: "2026-03-03T03:03:00+00:00",
        last_worked_by: "eli",
        retired: null,
        came_back_at: "2026-03-04T03:03:00+00:00",
        imported_from: null,
      },
    ]);
  });

  it("keeps what did not help, twice", async () => {
    const did_not_help = ["Restarted the container.", "Emptied the cache"];
    await resolve(await report(OOM), { resolution: "Raised the limit.", did_not_help });
    await attempt(await report(OOM_ELSEWHERE), { action: "restarted the container", helped: false });
    expect((await onlyObservation()).fixes).toMatchObject([
      { text: "Raised the limit.", tried: 1, worked: 1 },
      { text: "Restarted the container.", tried: 2, worked: 0, retired: null, last_worked_at: null },
      { text: "Emptied the cache", tried: 1, worked: 0 },
    ]);
    const { recalled } = await harness.triage(OOM);
    expect(recalled.incidents[0]?.fixes[1]).toMatchObject({ text: "Restarted the container.", tried: 2, worked: 0 });
  });

  it("is corrected when the same incident is resolved with another text", async () => {
    const first = await report(OOM);
    await resolve(first, { resolution: "Restarted it." });
    await resolve(first, { resolution: "Raised the limit." });
    expect((await onlyObservation()).fixes).toMatchObject([
      { text: "Raised the limit.", tried: 1, retired: null },
      { text: "Restarted it.", tried: 0, worked: 0, retired: { reason: "corrected" } },
    ]);
    await resolve(first, { resolution: "Restarted it." });
    expect((await onlyObservation()).fixes).toMatchObject([
      { text: "Restarted it.", tried: 1, worked: 1, retired: null },
      { text: "Raised the limit.", retired: { reason: "corrected" } },
    ]);
  });

  it("of an action that helped elsewhere stays when one incident is corrected", async () => {
    await resolve(await report(OOM), { resolution: "Restarted it." });
    const second = await report(OOM_ELSEWHERE);
    await resolve(second, { resolution: "Restarted it." });
    await resolve(second, { resolution: "Raised the limit." });
    expect((await onlyObservation()).fixes).toMatchObject([
      { text: "Raised the limit.", retired: null },
      { text: "Restarted it.", tried: 1, worked: 1, retired: { reason: "a newer fix" } },
    ]);
  });

  it("shows that the failure came back on the same service, not on another one", async () => {
    await resolve(await report(OOM), { resolution: "Restarted it." });
    await report(OOM_ELSEWHERE);
    expect((await onlyObservation()).fixes).toMatchObject([{ came_back_at: null }]);
    await report(OOM);
    await report(OOM);
    expect((await onlyObservation()).fixes).toMatchObject([{ came_back_at: "2026-03-04T03:01:00+00:00" }]);
    expect((await onlyObservation()).why).toContain(
      "It came back on 2026-03-04 after its fix had worked on 2026-03-02.",
    );
  });

  it("is as before when a resolution is taken back that had replaced it", async () => {
    await resolve(await report(OOM), { resolution: "Restarted it." });
    const second = await report(OOM);
    await resolve(second, { resolution: "Raised the limit." });
    expect(await onlyObservation()).toMatchObject({ resolution: "Raised the limit." });
    expect((await harness.post(`/v1/incidents/${second}/reopen`, { mistake: true })).status).toBe(200);
    const { id, resolution, fixes } = await onlyObservation();
    expect(resolution).toBe("Restarted it.");
    const [document] = await sql<{ body: string }[]>`select d.body from public.documents d where d.id = ${id}`;
    expect(document?.body).toMatch(/Resolution: Restarted it\.$/);
    expect(fixes.filter(({ retired }) => retired === null).map(({ text }) => text)).toEqual(["Restarted it."]);
  });

  it("still came back after one of several returns is deleted", async () => {
    const first = await report(OOM);
    await resolve(first, { resolution: "Restarted it." });
    const second = await report(OOM);
    await report(OOM);
    expect((await harness.request(`/v1/incidents/${second}`, { method: "DELETE" })).status).toBe(204);
    expect((await onlyObservation()).fixes).toMatchObject([{ came_back_at: "2026-03-04T03:01:00+00:00" }]);
  });

  it("shows that the failure came back where one alert of a fixed group fires again", async () => {
    const { services, clock } = harness;
    const group = ["api-1", "api-2"].map((pod) => ({ pod, annotations: { description: OOM_LINE } }));
    const { incidents } = await deliver(harness, "alertmanager", webhook(group));
    await investigate(services, incidents);
    for (const id of incidents) await resolve(id, { resolution: "Raised the limit." });
    clock.advance(7 * 60_000);
    await deliver(
      harness,
      "alertmanager",
      webhook(group.map((each) => ({ ...each, endsAt: clock.now().toISOString() }))),
    );
    clock.advance(5000);
    const again = group.slice(1).map((each) => ({ ...each, startsAt: clock.now().toISOString() }));
    await investigate(services, (await deliver(harness, "alertmanager", webhook(again))).incidents);
    const { id, fixes } = await onlyObservation();
    expect(fixes).toMatchObject([{ worked: 1, came_back_at: "2026-03-01T03:08:05+00:00" }]);
    await sql`select public.refresh_returns(${id})`;
    expect((await onlyObservation()).fixes).toEqual(fixes);
  });

  it("stays as it is while its caller sends the same text again within an hour", async () => {
    const first = await report(OOM);
    await resolve(first, { resolution: "Restarted it." });
    harness.clock.advance(60_000);
    const { incident_id } = await harness.triage(OOM);
    expect(await sql`select observation_id, duplicate from public.incidents where id = ${incident_id}`).toEqual([
      { observation_id: first, duplicate: true },
    ]);
    const unchanged = { id: first, occurrences: 1, fixes: [{ came_back_at: null }] };
    expect(await onlyObservation()).toMatchObject(unchanged);
    expect((await harness.request(`/v1/incidents/${incident_id}`, { method: "DELETE" })).status).toBe(204);
    expect(await onlyObservation()).toMatchObject(unchanged);
    // Another caller reports an occurrence, and so does the same one after the hour.
    await sql`update public.incidents set reported_by = 'another' where id = ${first}`;
    await harness.triage(OOM);
    expect(await onlyObservation()).toMatchObject({ occurrences: 2, fixes: [{ came_back_at: expect.any(String) }] });
    harness.clock.advance(HOUR_MS);
    await harness.triage(OOM);
    expect(await onlyObservation()).toMatchObject({ occurrences: 2 });
    harness.clock.advance(1);
    await harness.triage(OOM);
    expect(await onlyObservation()).toMatchObject({ occurrences: 3 });
  });

  it("contains no secret of its texts", async () => {
    const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const first = await report(OOM);
    const texts = { conditions: `token ${secret}`, did_not_help: [`Used ${secret}.`] };
    await resolve(first, { resolution: `Rotated ${secret}.`, ...texts });
    await attempt(first, { action: `Sent ${secret}.`, helped: true, by: secret, conditions: secret });
    const rows = await sql`select * from public.fixes f join public.fix_tries t on t.fix_id = f.id`;
    expect(rows).toHaveLength(3);
    expect(JSON.stringify([rows, await sql`select * from public.incident_events`])).not.toContain(secret);
  });
});

describe("a retired fix", () => {
  it("is active again when it helps again", async () => {
    await resolve(await report(OOM), { resolution: "Restarted it." });
    await resolve(await report(OOM), { resolution: "Raised the limit." });
    await resolve(await report(OOM), { resolution: "restarted it" });
    const { resolution, fixes } = await onlyObservation();
    expect(resolution).toBe("Restarted it.");
    expect(fixes).toMatchObject([
      { text: "Restarted it.", tried: 2, retired: null },
      { text: "Raised the limit.", tried: 1, retired: { at: "2026-03-04T03:03:00+00:00", reason: "a newer fix" } },
    ]);
  });

  it("is not made by a fix of another fingerprint in the same record", async () => {
    const first = await report(OOM);
    await resolve(first, { resolution: "Raised the limit." });
    const second = await report(CERTIFICATE);
    // A person joined the two failures.
    await sql`delete from public.observations where id = ${second}`;
    await sql`insert into public.observation_fingerprints (domain, fingerprint, observation_id)
      select 'docker', fingerprint, ${first} from public.incidents where id = ${second}`;
    await resolve(second, { resolution: "Renewed the certificate." });
    const { resolution, fixes } = await onlyObservation();
    expect(resolution).toBe("Renewed the certificate.");
    expect(fixes).toMatchObject([
      { text: "Renewed the certificate.", retired: null },
      { text: "Raised the limit.", retired: null },
    ]);
  });
});

describe("ratings of an answer that begins with a fix", () => {
  const rate = async (rating: string, body: object = OOM_ELSEWHERE) => {
    harness.clock.advance(DAY_MS);
    const { triage_id } = await harness.triage(body);
    expect((await harness.post(`/v1/triages/${triage_id}/feedback`, { rating })).status).toBe(200);
    return triage_id;
  };

  it("retire it where they are as many as its successes, and give it back", async () => {
    await resolve(await report(OOM), { resolution: "Raised the limit." });
    const triage = await rate("down");
    expect(await onlyObservation()).toMatchObject({
      resolution: null,
      fixes: [{ worked: 1, retired: { reason: "rated down" } }],
    });
    harness.clock.advance(DAY_MS);
    const { answer } = await harness.triage({ ...OOM_ELSEWHERE, target: "ledger" });
    expect(answer.worked_before).toMatchObject([{ fix: null, retired: [{ reason: "rated down" }] }]);
    expect((await harness.request("/v1/admin/jobs/rebuild-memory", { method: "POST" })).status).toBe(200);
    const [document] = await harness.services.vectors.find("incidents", { limit: 9 });
    expect(document?.text).not.toContain("Raised the limit.");
    await harness.post(`/v1/triages/${triage}/feedback`, { rating: "none" });
    expect(await onlyObservation()).toMatchObject({ resolution: "Raised the limit.", fixes: [{ retired: null }] });
  });

  it("leave one that helped more often", async () => {
    await resolve(await report(OOM), { resolution: "Raised the limit." });
    await resolve(await report(OOM_ELSEWHERE), { resolution: "Raised the limit." });
    await rate("down");
    expect(await onlyObservation()).toMatchObject({ resolution: "Raised the limit.", fixes: [{ retired: null }] });
  });
});

describe("POST /v1/incidents/{id}/tries", () => {
  it("records a success of an open incident, which stays open", async () => {
    const id = await report(OOM);
    harness.clock.advance(60_000);
    const body = { action: "Raised the limit.", helped: true, by: "dana", conditions: "4.1" };
    const response = await harness.post(`/v1/incidents/${id}/tries`, body);
    expect(await response.json()).toMatchObject({
      status: "triaged",
      resolution: null,
      events: expect.arrayContaining([
        expect.objectContaining({
          kind: "tried",
          detail: { action: "Raised the limit.", helped: true, by: "dana", conditions: "4.1" },
        }),
      ]),
    });
    expect(await onlyObservation()).toMatchObject({ resolution: "Raised the limit.", resolved_by: "dana" });
    const [record] = await harness.services.vectors.find("incidents", { limit: 9 });
    expect(record?.text).toContain("Resolution: Raised the limit.");
    const { recalled } = await harness.triage(OOM_ELSEWHERE);
    expect(recalled.incidents).toMatchObject([{ id, resolution: "Raised the limit." }]);
  });

  it("takes a success back when the same action is reported as a failure", async () => {
    const id = await report(OOM);
    await attempt(id, { action: "Raised the limit.", helped: true });
    await attempt(id, { action: "Raised the limit.", helped: false });
    expect(await onlyObservation()).toMatchObject({ resolution: null, fixes: [{ tried: 1, worked: 0 }] });
    const [record] = await harness.services.vectors.find("incidents", { limit: 9 });
    expect(record?.text).not.toContain("Raised the limit.");
  });

  it("creates the record of an incident whose triage failed", async () => {
    const id = await report(OOM);
    await sql`delete from public.triages`;
    await sql`delete from public.observations`;
    await attempt(id, { action: "Restarted it.", helped: false });
    expect(await onlyObservation()).toMatchObject({ id, resolution: null, fixes: [{ worked: 0 }] });
    expect(await harness.services.vectors.find("incidents", { limit: 9 })).toHaveLength(1);
  });

  it("records concurrent tries", async () => {
    const id = await report(OOM);
    const actions = ["one", "two", "three", "four"];
    const sent = actions.map((action, i) => attempt(id, { action, helped: i % 2 === 0 }));
    await Promise.all(sent);
    const { resolution, fixes } = await onlyObservation();
    expect(fixes.map(({ text }) => text).toSorted()).toEqual(actions.toSorted());
    expect(fixes.filter(({ retired }) => retired !== null)).toHaveLength(1);
    const [record] = await harness.services.vectors.find("incidents", { limit: 9 });
    expect(record?.text).toContain(`Resolution: ${resolution}`);
  });

  it.each([
    [{ helped: true }, "action"],
    [{ action: "Restarted it." }, "helped"],
    [{ action: "", helped: true }, "action"],
    [{ fix_id: "00000000-0000-4000-8000-000000000000", helped: true }, "fix_id"],
    [{ action: "x", fix_id: "00000000-0000-4000-8000-000000000000", helped: true }, "fix_id"],
  ])("refuses %j", async (body, field) => {
    const response = await harness.post(`/v1/incidents/${await report(OOM)}/tries`, body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ field }] });
  });

  it("does not know an unknown incident", async () => {
    const path = "/v1/incidents/00000000-0000-4000-8000-000000000000/tries";
    expect((await harness.post(path, { action: "Restarted it.", helped: true })).status).toBe(404);
  });
});

describe("POST /v1/incidents/{id}/resolve", () => {
  it.each([
    [{}, "resolution"],
    [{ fix_id: "00000000-0000-4000-8000-000000000000" }, "fix_id"],
    [{ resolution: "x", did_not_help: Array(11).fill("y") }, "did_not_help"],
  ])("refuses %j", async (body, field) => {
    const response = await harness.post(`/v1/incidents/${await report(OOM)}/resolve`, body);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ errors: [{ field }] });
  });
});

describe("a firing alert that quotes the error line of a fixed failure", () => {
  const LINE = "FATAL: sorry, too many clients already";
  it.each([
    ["summary", { summary: `PostgreSQL ledger-db is failing: ${LINE}`, description: "12 errors in 5 minutes." }],
    ["description", { description: `PostgreSQL ledger-db rejects 12 clients a minute. ${LINE}` }],
    ["annotation of its own", { summary: "ledger-db logs errors", last_error: LINE }],
  ])("shows the fix: in its %s", async (_place, annotations) => {
    const logs = `03:00:01 [812] app@orders ${LINE}`;
    const past = await report({ title: "Checkout cannot reach its database", target: "orders-db", logs });
    await resolve(past, { resolution: "Put PgBouncer before it." });
    const alert = { name: "LedgerErrors", labels: { service: "ledger-db" }, annotations };
    const body = webhook([alert]);
    const headers = { "content-type": "application/json" };
    const response = await harness.request("/v1/alerts/alertmanager", { method: "POST", body, headers });
    const { incidents } = z.object({ incidents: z.array(z.string()) }).parse(await response.json());
    await investigate(harness.services, incidents);
    const detail = await harness.request(`/v1/incidents/${incidents[0]}`);
    expect(await detail.json()).toMatchObject({
      triage: { answer: { worked_before: [{ fix: { text: "Put PgBouncer before it." } }] } },
    });
  });
});

describe("reports that show no failure", () => {
  const HEALTHY = "deployment checkout 3/3 ready\nall pods Running, 0 restarts\nhealth check: ok";
  it.each([
    ["a test alert", { title: `[TEST] ${VAGUE}`, logs: `03:00 ${OOM_LINE}` }],
    ["a heartbeat", { title: "Watchdog", labels: { alertname: "Watchdog" } }],
    ["a healthy system", { title: "checkout status", target: "checkout", logs: HEALTHY }],
    ["a resolved alert", { title: "[RESOLVED] checkout", logs: HEALTHY }],
  ])("store nothing: %s", async (_case, body) => {
    const { incident_id, outcome } = await harness.triage(body);
    expect(outcome).toBe("benign");
    await resolve(incident_id, { resolution: "It was a drill.", did_not_help: ["Nothing."] });
    await attempt(incident_id, { action: "Nothing.", helped: true });
    for (const table of ["observations", "observation_fingerprints", "fixes", "fix_tries", "past_answers"])
      expect(await sql`select 1 from ${sql(`public.${table}`)}`).toEqual([]);
  });
});
