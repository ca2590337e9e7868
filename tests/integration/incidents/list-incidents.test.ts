// GET /v1/incidents: its filters, what each row shows, and 304 for a caller who has the present version.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { handoverSchema } from "../../../functions/schemas/reports.ts";
import { deliver, webhook } from "../alerts/support.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { problemOf } from "../support/tokens.ts";

const HOUR_MS = 3_600_000;
const harness = createHarness();
const { clock } = harness;

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));
beforeEach(() => deleteIncidents(harness.services));

const pageSchema = z.object({
  incidents: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      status: z.string(),
      alerts: z.object({ total: z.number(), firing: z.number() }),
      mute: z.looseObject({ reason: z.string() }).nullable(),
      last_activity_at: z.string(),
      latest_triage: z
        .object({
          outcome: z.string(),
          confidence: z.number(),
          mode: z.string(),
          failure: z.string().nullable(),
          corrected: z.boolean(),
        })
        .nullable(),
      has_fix: z.boolean(),
    }),
  ),
  next_cursor: z.string().nullable(),
  counts: z
    .object({
      total: z.number(),
      critical: z.number(),
      firing: z.number(),
      muted: z.number(),
      resolved_firing: z.number(),
    })
    .nullable(),
});

async function list(query = "") {
  const response = await harness.request(`/v1/incidents${query}`);
  expect(response.status, await response.clone().text()).toBe(200);
  return pageSchema.parse(await response.json());
}

async function titles(query: string): Promise<string[]> {
  return (await list(query)).incidents.map(({ title }) => title);
}

async function report(body: Record<string, unknown>): Promise<void> {
  expect((await harness.post("/v1/incidents", body)).status).toBe(202);
  clock.advance(1_000);
}

describe("the filter text", () => {
  beforeEach(async () => {
    await report({
      title: "Checkout container exited",
      target: "checkout-api",
      logs: "ERROR pool_exhausted at 10.1.2.3",
    });
    await report({ title: "Größe überschritten", question: "Why is the ledger late?", labels: { cluster: "prod-eu" } });
  });

  it.each([
    ["checkout", ["Checkout container exited"]],
    ["CHECK", ["Checkout container exited"]],
    ["api exited", ["Checkout container exited"]],
    ["checkout-api", ["Checkout container exited"]],
    ["pool_exhausted", ["Checkout container exited"]],
    ["10.1.2", ["Checkout container exited"]],
    ["größe", ["Größe überschritten"]],
    ["ledger prod", ["Größe überschritten"]],
    ["checkout ledger", []],
    ["out", []],
    ["'; drop:* | !x", []],
  ])("finds by %j: %j", async (text, expected) => {
    expect(await titles(`?text=${encodeURIComponent(text)}`)).toEqual(expected);
  });

  it("finds words at the end of a long log", async () => {
    const logs = `first_marker\n${"INFO all is well here\n".repeat(2_000)}ERROR last_marker`;
    await report({ title: "A long log", logs });
    expect(await titles("?text=first_marker")).toEqual(["A long log"]);
    expect(await titles("?text=last_marker")).toEqual(["A long log"]);
  });

  it("needs a letter or a digit", async () => {
    const response = await harness.request("/v1/incidents?text=%21%21");
    expect((await problemOf(response, 422, "invalid-request")).errors).toEqual([
      { field: "text", message: "must contain a letter or a digit" },
    ]);
  });

  it("combines with the other filters and with pages", async () => {
    for (const n of [1, 2, 3]) await report({ title: `checkout fails ${n}`, severity: n === 2 ? "low" : "high" });
    const first = await list("?text=checkout%20fails&severity=high&limit=1");
    expect(first.incidents.map(({ title }) => title)).toEqual(["checkout fails 3"]);
    const cursor = encodeURIComponent(first.next_cursor ?? "");
    const second = await list(`?text=checkout%20fails&severity=high&limit=1&cursor=${cursor}`);
    expect(second.incidents.map(({ title }) => title)).toEqual(["checkout fails 1"]);
    expect(second.next_cursor).toBeNull();
  });
});

describe("the filter status", () => {
  it("takes several, and open for all but resolved", async () => {
    await report({ title: "queued one" });
    const triaged = await harness.triage({ title: "triaged one" });
    clock.advance(1_000);
    const resolved = await harness.triage({ title: "resolved one" });
    await harness.post(`/v1/incidents/${resolved.incident_id}/resolve`, { resolution: "Raised the limit." });
    expect(triaged.incident_id).toBeDefined();
    expect(await titles("?status=open")).toEqual(["triaged one", "queued one"]);
    expect(await titles("?status=queued")).toEqual(["queued one"]);
    expect(await titles("?status=resolved,queued")).toEqual(["resolved one", "queued one"]);
    expect(await titles("?status=open,resolved")).toEqual(["resolved one", "triaged one", "queued one"]);
  });

  it("refuses other names", async () => {
    const response = await harness.request("/v1/incidents?status=open,closed");
    expect(JSON.stringify(await problemOf(response, 422, "invalid-request"))).toContain(
      "must be one or several of queued, investigating, triaged, failed, resolved, open, separated by commas",
    );
  });
});

describe("the most urgent first", () => {
  const urgent = "?sort=urgent&counts=true";
  const OTHERS = { muted: 0, resolved_firing: 0 };

  beforeEach(async () => {
    await report({ title: "older critical", severity: "critical" });
    await report({ title: "low", severity: "low" });
    await report({ title: "newer critical", severity: "critical" });
    await deliver(harness, "alertmanager", webhook([{ fingerprint: "a", labels: { severity: "warning" } }]));
    const { incident_id } = await harness.triage({ title: "resolved", severity: "critical" });
    await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "Raised the limit." });
  });

  it("sorts by firing, severity and age over pages, and counts all that match once", async () => {
    const names: string[] = [];
    let query = `${urgent}&limit=2`;
    for (;;) {
      const { incidents, next_cursor, counts } = await list(query);
      names.push(...incidents.map(({ title }) => title));
      expect(counts).toEqual(names.length === 2 ? { total: 5, critical: 3, firing: 1, ...OTHERS } : null);
      if (next_cursor === null) break;
      query = `${urgent}&limit=2&cursor=${encodeURIComponent(next_cursor)}`;
    }
    expect(names).toEqual([expect.any(String), "newer critical", "older critical", "low", "resolved"]);
    expect((await list(`${urgent}&limit=1&severity=low`)).counts).toEqual({
      total: 1,
      critical: 0,
      firing: 0,
      ...OTHERS,
    });
    expect((await list(`${urgent}&text=nothing`)).counts).toEqual({ total: 0, critical: 0, firing: 0, ...OTHERS });
    expect((await list()).counts).toBeNull();
  });

  it("finds what is resolved and still fires, and counts it where the list leaves it out", async () => {
    const [firing] = (await list(`${urgent}&firing=true`)).incidents;
    await harness.post(`/v1/incidents/${firing?.id}/resolve`, { resolution: "Restarted the database." });
    expect((await list(`${urgent}&firing=true`)).incidents).toMatchObject([
      { id: firing?.id, status: "resolved", alerts: { total: 1, firing: 1 } },
    ]);
    expect((await list(`${urgent}&status=open`)).counts).toMatchObject({ total: 3, firing: 0, resolved_firing: 1 });
    expect((await list(`${urgent}&status=failed`)).counts).toMatchObject({ total: 0, resolved_firing: 1 });
  });

  it("refuses the cursor of another sort", async () => {
    const { next_cursor } = await list("?limit=1");
    const response = await harness.request(`/v1/incidents${urgent}&cursor=${encodeURIComponent(next_cursor ?? "")}`);
    expect((await problemOf(response, 422, "invalid-request")).errors).toEqual([
      { field: "cursor", message: "is of a list with another sort; use next_cursor with the parameters of its page" },
    ]);
  });
});

describe("the filter service, and the beginning", () => {
  it("find last week's incidents of one service by when their alerts began, each with its failure", async () => {
    const alert = (pod: string, startsAt: string) => ({
      pod,
      startsAt,
      labels: { service: "payments", namespace: pod },
    });
    await deliver(harness, "alertmanager", webhook([alert("old", "2026-02-10T00:00:00Z")]));
    await deliver(harness, "alertmanager", webhook([alert("recent", "2026-02-27T00:00:00Z")]));
    await harness.triage({ title: "api-gateway docker container exited with code 137", target: "orders" });
    const { incidents } = await list("?service=Payments&since=2026-02-22T00:00:00Z");
    expect(incidents).toMatchObject([{ started_at: "2026-02-27T00:00:00+00:00" }]);
    expect((await list("?service=payments")).incidents).toHaveLength(2);
    expect((await list("?service=payments&until=2026-02-22T00:00:00Z")).incidents).toHaveLength(1);
    expect((await list("?service=orders")).incidents).toMatchObject([
      { latest_triage: { failure: "Container killed with exit code 137 (out of memory)" } },
    ]);
  });
});

it("says which answers a person corrected", async () => {
  const corrected = await harness.triage({ title: "docker container exited with code 137" });
  await harness.triage({ title: "redis: OOM command not allowed" });
  const path = `/v1/triages/${corrected.triage_id}/feedback`;
  expect((await harness.post(path, { rating: "down", corrections: [{ part: "cause" }] })).status).toBe(200);
  const { incidents } = await list("");
  const ids = incidents.filter(({ latest_triage }) => latest_triage?.corrected).map(({ id }) => id);
  expect(ids).toEqual([corrected.incident_id]);
  // The timeline has the correction of each part that holds, also where a more general one took its place.
  for (const corrections of [[{ part: "runbook", right: "docker/exit-137-out-of-memory.md" }], [{ part: "runbook" }]])
    expect((await harness.post(path, { rating: "down", corrections })).status).toBe(200);
  expect(await sql`select detail from public.incident_events where kind = 'corrected' order by id`).toMatchObject([
    { detail: { part: "cause" } },
    { detail: { part: "runbook" } },
  ]);
});

it("finds an incident by the domain of its answer, until a person corrects the domain", async () => {
  const title = "api-gateway docker container exited with code 137";
  const { incident_id } = await harness.triage({ title, labels: { domain: "kubernetes" } });
  await sql`update public.incidents set answer_domain = 'redis' where id = ${incident_id}`;
  expect((await list("?domain=redis")).incidents).toMatchObject([{ id: incident_id, answer_domain: "redis" }]);
  const { open } = handoverSchema.parse(await (await harness.request("/v1/handover")).json());
  expect(open.incidents).toMatchObject([{ id: incident_id, domain: "redis" }]);
  expect((await list("?domain=kubernetes")).incidents).toEqual([]);
  const init = { method: "PATCH", headers: { "content-type": "application/json" }, body: '{"domain":"docker"}' };
  expect((await harness.request(`/v1/incidents/${incident_id}`, init)).status).toBe(200);
  expect(await titles("?domain=redis")).toEqual([]);
  expect((await list("?domain=docker")).incidents).toMatchObject([{ id: incident_id, answer_domain: null }]);
});

describe("the filters since and until", () => {
  it("take the first time and leave the last out", async () => {
    const start = clock.now().toISOString();
    await report({ title: "first" });
    const second = clock.now().toISOString();
    await report({ title: "second" });
    expect(await titles(`?since=${start}&until=${second}`)).toEqual(["first"]);
    expect(await titles(`?since=${second}`)).toEqual(["second"]);
  });
});

describe("a row", () => {
  it("shows the latest answer, and that a fix is recorded for the failure", async () => {
    const oom = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };
    const first = await harness.triage(oom);
    clock.advance(60_000);
    await harness.post(`/v1/incidents/${first.incident_id}/resolve`, { resolution: "Raised the memory limit." });
    clock.advance(60_000);
    const again = await harness.triage(oom);
    const other = await harness.triage({ title: "disk full on node-7", target: "node-7" });
    const rows = new Map((await list()).incidents.map((row) => [row.id, row]));
    expect(rows.get(again.incident_id)).toMatchObject({
      has_fix: true,
      latest_triage: { outcome: again.outcome, confidence: again.confidence, mode: again.mode },
      alerts: { total: 0, firing: 0 },
      mute: null,
    });
    // The answer shows the fix of another record.
    const elsewhere = await harness.triage({
      ...oom,
      target: "cart",
      title: "cart docker container exited with code 137",
    });
    const shown = elsewhere.answer.worked_before.some(({ fix }) => fix !== null);
    const [row] = (await list(`?target=cart`)).incidents;
    expect([shown, row?.has_fix]).toEqual([true, true]);
    expect(rows.get(first.incident_id)).toMatchObject({ has_fix: true, status: "resolved" });
    expect(rows.get(other.incident_id)).toMatchObject({ has_fix: false });
    const resolvedAt = Date.parse(rows.get(first.incident_id)?.last_activity_at ?? "");
    expect(Date.parse(rows.get(again.incident_id)?.last_activity_at ?? "") - resolvedAt).toBe(60_000);
  });

  it("shows no fix where only a try that never helped is recorded, nor does the incident", async () => {
    const full = { title: "disk full on node-7", target: "node-7" };
    const first = await harness.triage(full);
    const again = await harness.triage(full);
    const body = { resolution: "Deleted old images.", did_not_help: ["Restarted docker."] };
    await harness.post(`/v1/incidents/${first.incident_id}/resolve`, body);
    const shown = async () => {
      const row = (await list()).incidents.find(({ id }) => id === again.incident_id);
      const detail = await (await harness.request(`/v1/incidents/${again.incident_id}`)).json();
      return [row?.has_fix, z.object({ fixes: z.array(z.unknown()) }).parse(detail).fixes.length];
    };
    expect(await shown()).toEqual([true, 1]);
    await sql`delete from public.fixes where text = ${body.resolution}`;
    expect(await shown()).toEqual([false, 0]);
  });

  it("counts its alerts", async () => {
    clock.advance(HOUR_MS - (clock.now().getTime() % HOUR_MS));
    const start = clock.now().getTime();
    const at = (hours: number) => new Date(start + hours * HOUR_MS).toISOString();
    const second = { pod: "checkout-2", fingerprint: "b", startsAt: at(0) };
    await deliver(harness, "alertmanager", webhook([{ fingerprint: "a", startsAt: at(0) }, second]));
    clock.advance(2.5 * HOUR_MS);
    await deliver(harness, "alertmanager", webhook([{ ...second, endsAt: at(2.5) }]));
    clock.advance(1 * HOUR_MS);
    const [row] = (await list()).incidents;
    expect(row?.alerts).toEqual({ total: 2, firing: 1 });
    expect(Date.parse(row?.last_activity_at ?? "")).toBe(start + 2.5 * HOUR_MS);
  });

  it("says that it is muted, until the mute ends, and one mute serves all incidents of a failure", async () => {
    const report = { title: "disk full on node-7", target: "node-7" };
    const ids = [(await harness.triage(report)).incident_id, (await harness.triage(report)).incident_id];
    await harness.triage({ title: "checkout cannot connect to the database", target: "checkout" });
    const ends_at = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    for (const incident_id of ids) await harness.post("/v1/mutes", { incident_id, reason: "planned", ends_at });
    const { mutes } = z
      .object({ mutes: z.array(z.looseObject({ id: z.string() })) })
      .parse(await (await harness.request("/v1/mutes")).json());
    expect(mutes).toHaveLength(1);
    const muted = async () =>
      (await list()).incidents.flatMap(({ id, mute }) => (mute?.reason === "planned" ? [id] : [])).toSorted();
    expect(await muted()).toEqual(ids.toSorted());
    // The same caller asked again within the hour: that is no recurrence.
    const detail = await (await harness.request(`/v1/incidents/${ids[0]}`)).json();
    expect(detail).toMatchObject({ mute: { id: mutes[0]?.id }, days_seen: [{ reports: 1 }] });
    clock.advance(HOUR_MS);
    expect(await muted()).toEqual([]);
  });
});

describe("a caller who has the present version", () => {
  it.each(["/v1/incidents?status=open", "/v1/incidents/{id}"])(
    "gets 304 from %s until it changes",
    async (template) => {
      const { incident_id } = await harness.triage({ title: "disk full on node-7", target: "node-7" });
      const path = template.replace("{id}", incident_id);
      const first = await harness.request(path);
      const etag = first.headers.get("etag") ?? "";
      expect(etag).toMatch(/^W\/"[0-9a-f]{40}"$/);
      expect(first.headers.get("cache-control")).toBe("private, no-store");
      const again = await harness.request(path, { headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("cache-control")).toBe("private, no-store");
      expect(again.headers.get("x-request-id")).not.toBeNull();
      expect(await again.text()).toBe("");
      await harness.post(`/v1/incidents/${incident_id}/resolve`, { resolution: "Deleted old images." });
      const changed = await harness.request(path, { headers: { "if-none-match": etag } });
      expect(changed.status).toBe(200);
      expect(changed.headers.get("etag")).not.toBe(etag);
    },
  );
});
