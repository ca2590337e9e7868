// Incidents of other systems as past incidents: through the API, and with `dejavu import`.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { checkFixes } from "../../../functions/jobs/check-fixes.ts";
import { createPerson } from "../cli/support/person.ts";
import { counts } from "../metrics/support.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { listen } from "../support/servers/listen.ts";

const harness = createHarness({ MODEL: "none" });
const { services } = harness;
const server = await listen(services);
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => emptyStores(services));

const TITLE = "orders-db: FATAL: sorry, too many clients already";
const MARCH = {
  id: "Q1",
  url: "https://acme.pagerduty.com/incidents/Q1",
  title: TITLE,
  description:
    "Reported by eli@example.com: 100 idle connections of the worker.\nFATAL: remaining connection slots are reserved",
  target: "orders-db",
  severity: "high",
  opened_at: "2025-03-01T02:58:00Z",
  resolved_at: "2025-03-01T03:21:00Z",
  fix: "Lowered the pool of the worker to 20; ask dana@example.com.",
  fixed_by: "Dana",
};
const APRIL = {
  ...MARCH,
  id: "Q2",
  opened_at: "2025-04-01T02:58:00Z",
  resolved_at: "2025-04-01T03:10:00Z",
  fix: "Put PgBouncer in front of it.",
  fixed_by: "Eli",
};
const FEBRUARY = { ...MARCH, id: "Q0", opened_at: "2025-02-01T02:58:00Z", resolved_at: "2025-02-01T03:00:00Z" };

const answerSchema = z.object({
  incidents: z.array(
    z.object({ id: z.string(), incident_id: z.string().nullable(), state: z.string(), reason: z.string().nullable() }),
  ),
});

const shownSchema = z.looseObject({ created_at: z.string(), resolved_at: z.string() });

async function importAll(incidents: readonly object[], more: object = {}) {
  const response = await harness.post("/v1/incidents/import", { from: "pagerduty", incidents, ...more });
  expect(response.status).toBe(200);
  return answerSchema.parse(await response.json()).incidents;
}

const states = async (incidents: readonly object[], more: object = {}) =>
  (await importAll(incidents, more)).map(({ state }) => state);

describe("POST /v1/incidents/import", () => {
  it("makes past incidents of repeats of one failure, each with its fix and the times of the original", async () => {
    const [first] = await importAll([MARCH, APRIL]);
    const shown = shownSchema.parse(await (await harness.request(`/v1/incidents/${first?.incident_id}`)).json());
    expect(shown).toMatchObject({
      status: "resolved",
      resolution: expect.stringMatching(/^Lowered the pool of the worker to 20; ask \[REDACTED_EMAIL\]/),
      resolved_by: "Dana",
      logs: "FATAL: remaining connection slots are reserved",
      imported: {
        from: "pagerduty",
        id: "Q1",
        url: MARCH.url,
        description: expect.stringContaining("[REDACTED_EMAIL]: 100 idle"),
      },
      triage: null,
    });
    expect(Date.parse(shown.created_at)).toBe(Date.parse(MARCH.opened_at));
    expect(Date.parse(shown.resolved_at)).toBe(Date.parse(MARCH.resolved_at));
    const [observation, ...others] = await sql`select * from public.observations`;
    expect(others).toEqual([]);
    expect(observation).toMatchObject({ occurrences: 2, resolution: APRIL.fix, resolved_by: "Eli" });
    const fixes = await sql`select f.text, f.retired_at, t.checked_at is null as unchecked, t.came_back_at
      from public.fixes f join public.fix_tries t on t.fix_id = f.id order by t.at`;
    expect(fixes).toMatchObject([
      { retired_at: null, unchecked: false, came_back_at: new Date(APRIL.opened_at) },
      { text: APRIL.fix, retired_at: null, unchecked: false, came_back_at: null },
    ]);
    expect(JSON.stringify(await sql`select * from public.documents where body like '%PgBouncer%'`)).not.toContain(
      "example.com",
    );
  });

  it("stores an incident once, and none that was deleted here, lies in the future or is a test", async () => {
    expect(await states([MARCH], { dry_run: true })).toEqual(["new"]);
    expect(await sql`select 1 from public.incidents`).toHaveLength(0);
    expect(await states([MARCH, MARCH])).toEqual(["imported", "present"]);
    expect(await states([MARCH, APRIL])).toEqual(["present", "imported"]);
    // Another system has ids of its own.
    expect(await states([MARCH], { from: "opsgenie" })).toEqual(["imported"]);
    const [stored] = await importAll([APRIL]);
    expect((await harness.request(`/v1/incidents/${stored?.incident_id}`, { method: "DELETE" })).status).toBe(204);
    const future = { ...MARCH, id: "Q8", resolved_at: "2099-01-01T00:00:00Z" };
    const refused = await importAll([APRIL, future, { ...MARCH, id: "Q9", title: "Test alert: please ignore" }]);
    expect(refused).toMatchObject([
      { state: "refused", incident_id: null, reason: "was deleted here" },
      { state: "refused", reason: "ends in the future" },
      { state: "refused", reason: expect.stringContaining("test") },
    ]);
  });

  it("keeps what is newer when older incidents come later", async () => {
    await importAll([APRIL]);
    await importAll([FEBRUARY, MARCH]);
    const [observation] = await sql`select * from public.observations`;
    expect(observation).toMatchObject({
      occurrences: 3,
      resolution: APRIL.fix,
      first_seen_at: new Date(FEBRUARY.opened_at),
      last_seen_at: new Date(APRIL.opened_at),
    });
    const tries = await sql`select came_back_at from public.fix_tries order by at`;
    expect(tries.map(({ came_back_at }) => came_back_at)).toEqual([
      new Date(MARCH.opened_at),
      new Date(APRIL.opened_at),
      null,
    ]);
    const [document] =
      await sql`select metadata ->> 'resolution' as resolution from public.documents where metadata ? 'resolution'`;
    expect(document?.resolution).toBe(APRIL.fix);
  });

  it("is neither announced nor counted, and no job looks at its fix", async () => {
    await sql`insert into public.notification_targets (name, kind, min_severity, outcomes, events, window_minutes, per_minute, created_at, updated_at)
      values ('oncall', 'slack', 'info', '{cause}', '{answered}', 60, 10, now(), now())`;
    await importAll([MARCH, APRIL]);
    await harness.post("/v1/incidents", { title: "api-gateway container exited with code 137" });
    await sql`insert into public.incident_events (incident_id, at, kind) select id, now(), 'triaged' from public.incidents`;
    const announced =
      await sql`select i.imported from public.notification_outbox join public.incidents i on i.id = incident_id`;
    await sql`truncate public.notification_targets, public.notification_outbox cascade`;
    expect(announced).toEqual([{ imported: null }]);
    const counted = Object.keys(await counts()).filter((name) => /incidents|resolutions/.test(name));
    expect(counted).toHaveLength(1);
    expect(await checkFixes(services)).toMatchObject({ checked: 0 });
  });
});

describe("dejavu import", () => {
  it("shows what it would learn, imports it, and the fix comes back for the same failure", async () => {
    await using dana = await createPerson({ DEJAVU_URL: server.url, DEJAVU_TOKEN: services.config.DEJAVU_TOKEN });
    const file = join(dana.home, "incidents.json");
    const incident = {
      id: "Q1",
      incident_number: 101,
      title: TITLE,
      status: "resolved",
      urgency: "high",
      service: { summary: "orders-db" },
      created_at: MARCH.opened_at,
      resolved_at: MARCH.resolved_at,
      notes: [{ content: "Lowered the pool of the worker to 20", user: { summary: "Dana" } }],
    };
    await writeFile(file, JSON.stringify({ incidents: [incident, { ...incident, id: "Q2", notes: [] }] }));
    const dry = await dana.dejavu(["import", file, "--dry-run"]);
    expect(dry).toMatchObject({ code: 0, problems: "" });
    expect(dry.out).toContain("Would import 1 incident (1 general)");
    expect(dry.out).toMatch(/Refused 1 incident:\n {2}1 has no fix:\n {4}Q2/);
    const done = await dana.dejavu(["import", file]);
    expect(done.out).toContain("Imported 1 incident");
    expect((await dana.dejavu(["import", file])).out).toContain("1 was there already");
    const similar = await dana.dejavu(["similar", "FATAL: sorry, too many clients already"]);
    expect(similar.out.replace(/\s+/g, " ")).toContain(
      "Fixed by: Lowered the pool of the worker to 20 (Dana, 2025-03-01; imported from PagerDuty)",
    );
    const { answer } = await harness.triage({ title: TITLE, target: "orders-db" });
    expect(answer.worked_before[0]).toMatchObject({
      same_failure: true,
      fix: { text: "Lowered the pool of the worker to 20", imported_from: "pagerduty" },
    });
  });
});
