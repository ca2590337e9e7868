// Alerts that fire again after their end, whose end was lost, or whose investigation failed.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failIncident } from "../../../functions/incidents/incident-queue.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { alertRows, deliver, incidentRows, investigate, timeline, webhook } from "./support.ts";

const harness = createHarness();
const { services, clock } = harness;

const ENDS_AT = "2026-03-01T03:02:00Z";
const FIRST = "2026-03-01T02:55:12.345Z";
const LATER = "2026-03-01T02:58:42.345Z";
/** The window in which alerts are grouped, and in which a notification after the end counts as late. */
const WINDOW_MS = 300_000;
const HOUR_MS = 3_600_000;
const FIX = { resolution: "Rolled back to 4.2.", resolved_by: "dana" };
const AGAIN = "fired again after it had ended";
const FAILED = "still firing, and its investigation failed";

beforeAll(() => loadFreshRunbooks(services, workerEnv));
beforeEach(() => deleteIncidents(services));

const deliverMade = (...made: Parameters<typeof webhook>) => deliver(harness, "alertmanager", webhook(...made));
const statuses = async () => (await incidentRows()).map(({ status }) => status);

describe("a delivery whose receipt was lost", () => {
  it("is decided as before when it is sent again, and counts no alert twice", async () => {
    await deliverMade([
      { pod: "a", fingerprint: "a" },
      { pod: "b", fingerprint: "b" },
    ]);
    await deliverMade([{ pod: "b", fingerprint: "b" }]);
    const before = await alertRows();
    const items =
      await sql`select a.last_report as id, a.source, a.fingerprint, a.starts_at, a.status, a.alertname, a.domain
      from public.alerts a order by a.fingerprint`;
    const again = { owner: before[0]?.owner, now: clock.now(), window_seconds: 300, alerts: items };
    const [row] = await sql`select public.ingest_alerts(${JSON.stringify(again)}::text::jsonb) as result`;
    expect(row?.result.alerts).toMatchObject([{ decision: "created" }, { decision: "deduplicated" }]);
    expect(await alertRows()).toEqual(before);
  });
});

describe("an alert whose end was lost", () => {
  it("ends, with its incident, when it starts again later", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    clock.advance(WINDOW_MS + 1);
    const second = await deliverMade([{ startsAt: LATER }]);
    expect(second.alerts).toMatchObject([
      { decision: "created", rule: "same fingerprint, new start", related_to: first, incident_id: second.incidents[0] },
    ]);
    expect(await statuses()).toEqual(["resolved", "queued"]);
    expect(await alertRows()).toMatchObject([
      { status: "resolved", ends_at: new Date(LATER), incident_id: first },
      { status: "firing", ends_at: null, incident_id: second.incidents[0] },
    ]);
    expect(await timeline(first)).toEqual(["reported", "alert_resolved", "resolved"]);
  });

  it("ends also when only the end of the later start is received", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    const ended = await deliverMade([{ startsAt: LATER, endsAt: "2026-03-01T02:59:30Z" }]);
    expect(ended.alerts).toMatchObject([{ decision: "resolved", rule: "unknown alert ended" }]);
    expect(await incidentRows()).toMatchObject([{ id: first, status: "resolved", resolved_by: "alertmanager" }]);
  });

  it("leaves its incident open when the later start is grouped into it", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    await deliverMade([{ startsAt: LATER }]);
    expect(await statuses()).toEqual(["queued"]);
    expect(await timeline(first)).toEqual(["reported", "alert_resolved", "alert_grouped"]);
    await deliverMade([{ startsAt: LATER, endsAt: "2026-03-01T02:59:30Z" }]);
    expect(await statuses()).toEqual(["resolved"]);
  });

  it("leaves its incident open while others of it fire, and ends no other alert", async () => {
    await deliverMade([{}, { pod: "checkout-2" }]);
    await deliver(harness, "grafana", webhook([{}], { version: "1" }));
    clock.advance(WINDOW_MS + 1);
    await deliverMade([{ startsAt: LATER }]);
    expect(await statuses()).toEqual(["queued", "queued"]);
    const ended = (await alertRows()).filter(({ status }) => status === "resolved");
    expect(ended).toMatchObject([{ source: "alertmanager", target: "checkout-1", starts_at: new Date(FIRST) }]);
  });
});

describe("an alert whose start is reported earlier", () => {
  const EARLIER = "2026-03-01T02:55:04.345Z";

  it("is the same one, as when Alertmanager merges those of two Prometheus servers, and ends as the same", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    clock.advance(HOUR_MS);
    const merged = await deliverMade([{ startsAt: EARLIER }]);
    expect(merged).toMatchObject({ stored: 0, alerts: [{ decision: "deduplicated", incident_id: first }] });
    expect((await deliverMade([{ startsAt: EARLIER, endsAt: ENDS_AT }])).alerts).toMatchObject([
      { decision: "resolved", rule: "fingerprint and start time" },
    ]);
    expect(await alertRows()).toMatchObject([{ starts_at: new Date(FIRST), status: "resolved", times: 2 }]);
    expect(await statuses()).toEqual(["resolved"]);
  });

  it("does not end what began after its end", async () => {
    await deliverMade([{}]);
    await deliverMade([{ startsAt: EARLIER, endsAt: "2026-03-01T02:55:09Z" }]);
    expect(await statuses()).toEqual(["queued"]);
  });
});

describe("an alert that fires again with its old start", () => {
  it("is a new occurrence of its failure, also within an hour", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    await investigate(services, [first]);
    await deliverMade([{ endsAt: ENDS_AT }]);
    clock.advance(WINDOW_MS + 1);
    const [second = ""] = (await deliverMade([{}])).incidents;
    await investigate(services, [second]);
    expect(await sql`select occurrences from public.observations`).toEqual([{ occurrences: 2 }]);
  });

  it("creates a new incident with a link to the previous one and resolves it when it ends", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    await deliverMade([{ endsAt: ENDS_AT }]);
    clock.advance(WINDOW_MS + 1);
    const again = await deliverMade([{}]);
    const [second = ""] = again.incidents;
    expect(again).toMatchObject({ stored: 0, incidents: [expect.any(String)] });
    expect(again.alerts).toMatchObject([{ decision: "created", rule: AGAIN, incident_id: second, related_to: first }]);
    expect(await incidentRows()).toMatchObject([
      { id: first, status: "resolved" },
      { id: second, status: "queued", previous_id: first },
    ]);
    expect(await alertRows()).toMatchObject([
      { status: "firing", ends_at: null, incident_id: second, times: 1, starts_at: new Date(FIRST), rule: AGAIN },
    ]);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "deduplicated", incident_id: second }]);
    await deliverMade([{ endsAt: "2026-03-01T04:00:00Z" }]);
    expect(await statuses()).toEqual(["resolved", "resolved"]);
    expect(await timeline(first)).toEqual(["reported", "alert_resolved", "resolved"]);
  });

  it("is deduplicated within the window after its end was received; late notifications do not extend the window", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    clock.advance(HOUR_MS);
    await deliverMade([{ endsAt: ENDS_AT }]);
    for (const wait of [WINDOW_MS - 1, 1]) {
      clock.advance(wait);
      const late = await deliverMade([{}]);
      expect(late.alerts).toMatchObject([{ decision: "deduplicated", incident_id: first }]);
      expect(await alertRows()).toMatchObject([{ status: "resolved", ends_at: new Date(ENDS_AT) }]);
    }
    expect(await statuses()).toEqual(["resolved"]);
    clock.advance(1);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "created", rule: AGAIN, related_to: first }]);
  });

  it("creates a new incident after a person's fix", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    expect((await harness.post(`/v1/incidents/${first}/resolve`, FIX)).status).toBe(200);
    clock.advance(HOUR_MS);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "deduplicated", incident_id: first }]);
    await deliverMade([{ endsAt: ENDS_AT }]);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "deduplicated", incident_id: first }]);
    clock.advance(WINDOW_MS + 1);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "created", rule: AGAIN, related_to: first }]);
    expect(await incidentRows()).toMatchObject([
      { status: "resolved", ...FIX },
      { status: "queued", previous_id: first },
    ]);
  });

  it("creates no incident when only its end was received", async () => {
    await deliverMade([{ endsAt: ENDS_AT }]);
    clock.advance(HOUR_MS);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "deduplicated", incident_id: null }]);
    expect(await incidentRows()).toEqual([]);
  });

  it("is deduplicated when a later start is stored", async () => {
    await deliverMade([{}]);
    await deliverMade([{ startsAt: LATER }]);
    clock.advance(HOUR_MS);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "deduplicated" }]);
    expect(await incidentRows()).toHaveLength(1);
  });

  it("is grouped with the others that fire again, and the previous incident stays open while an alert of it fires", async () => {
    const pods = ["checkout-1", "checkout-2", "checkout-3"].map((pod) => ({ pod }));
    const [first = ""] = (await deliverMade([...pods, { pod: "checkout-4" }])).incidents;
    await deliverMade(pods.map((made) => ({ ...made, endsAt: ENDS_AT })));
    clock.advance(WINDOW_MS + 1);
    const receipts = await Promise.all(Array.from({ length: 5 }, () => deliverMade(pods)));
    const [second = "", ...others] = receipts.flatMap(({ incidents }) => incidents);
    expect(others).toEqual([]);
    expect((await alertRows()).map(({ incident_id, status }) => [incident_id, status])).toEqual([
      [first, "firing"],
      ...pods.map(() => [second, "firing"]),
    ]);
    expect(await statuses()).toEqual(["queued", "queued"]);
  });
});

describe("an alert that still fires after its investigation failed", () => {
  const fail = (id: string) => failIncident(services.background.database, id, "delivery_given_up", clock.now());

  it("creates a linked incident once an hour, with all alerts that still fire", async () => {
    const worse = { pod: "checkout-2", labels: { severity: "critical" } };
    const alerts = [{}, worse, { pod: "checkout-3" }];
    const [first = ""] = (await deliverMade(alerts)).incidents;
    await deliverMade([{ pod: "checkout-3", endsAt: ENDS_AT }]);
    await fail(first);
    clock.advance(HOUR_MS);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "deduplicated", incident_id: first }]);
    clock.advance(1);
    const again = await deliverMade([{}]);
    const [second = ""] = again.incidents;
    expect(again).toMatchObject({ stored: 0, alerts: [{ decision: "created", rule: FAILED, related_to: first }] });
    expect(await incidentRows()).toMatchObject([
      { id: first, status: "failed" },
      { id: second, status: "queued", previous_id: first, severity: "critical" },
    ]);
    clock.advance(WINDOW_MS + 1);
    const others = await deliverMade([{}, worse]);
    expect(others.alerts).toMatchObject([
      { decision: "deduplicated", incident_id: second },
      { decision: "deduplicated", incident_id: second },
    ]);
    await fail(second);
    clock.advance(HOUR_MS);
    expect((await deliverMade([worse])).alerts).toMatchObject([
      { decision: "created", rule: FAILED, related_to: second },
    ]);
    await deliverMade([{ endsAt: ENDS_AT }]);
    await deliverMade([{ ...worse, endsAt: ENDS_AT }]);
    expect(await statuses()).toEqual(["failed", "failed", "resolved"]);
  });

  it("creates no incident when a person has resolved it", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    await fail(first);
    expect((await harness.post(`/v1/incidents/${first}/resolve`, FIX)).status).toBe(200);
    clock.advance(2 * HOUR_MS);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "deduplicated", incident_id: first }]);
  });

  it("is grouped into an open incident with its name and domain", async () => {
    await fail((await deliverMade([{}])).incidents[0] ?? "");
    clock.advance(2 * HOUR_MS);
    const [open = ""] = (await deliverMade([{ pod: "checkout-2" }])).incidents;
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "grouped", incident_id: open }]);
    expect(await statuses()).toEqual(["failed", "queued"]);
  });
});

describe("an alert that is grouped into an incident", () => {
  const groupedEvents = () => sql`select detail from public.incident_events where kind = 'alert_grouped' order by id`;
  const severities = async () => (await incidentRows()).map(({ severity }) => severity);

  it("raises the incident's severity to its own, which the timeline shows", async () => {
    await deliverMade([{}]);
    const joining = ["info", "error", "critical", "warning"].map((severity) => ({
      pod: severity,
      labels: { severity },
    }));
    await deliverMade(joining);
    expect(await severities()).toEqual(["critical"]);
    expect(await groupedEvents()).toMatchObject([
      {
        detail: { alerts: 4, targets: ["critical", "error", "info", "warning"], severity_raised_to: "critical" },
      },
    ]);
  });

  it("raises the severity of an incident that is already triaged", async () => {
    const [id = ""] = (await deliverMade([{}])).incidents;
    await investigate(services, [id]);
    await deliverMade([{ pod: "checkout-2", labels: { severity: "critical" } }]);
    expect(await incidentRows()).toMatchObject([{ status: "triaged", severity: "critical" }]);
  });

  it("names it after what its alerts have in common, unless a person named it", async () => {
    const titled = (pod: string, summary?: string) => ({ pod, annotations: summary === undefined ? {} : { summary } });
    const title = async () => (await sql`select title, reported_title from public.incidents`)[0];
    await deliverMade([titled("checkout", "checkout: i/o timeout")]);
    await deliverMade([titled("cart", "cart: i/o timeout"), titled("mail", "mail: i/o timeout")]);
    expect(await title()).toEqual({ title: "i/o timeout on 3 services", reported_title: "checkout: i/o timeout" });
    await deliverMade([titled("web", "something else")]);
    expect(await title()).toMatchObject({ title: "KubePodCrashLooping on 4 services" });
    const [{ id } = {}] = await sql<{ id: string }[]>`select id from public.incidents`;
    const body = JSON.stringify({ title: "The network is slow", severity: "low" });
    const headers = { "content-type": "application/json" };
    await harness.request(`/v1/incidents/${id}`, { method: "PATCH", headers, body });
    await deliverMade([{ ...titled("api", "api: i/o timeout"), labels: { severity: "critical" } }]);
    expect(await title()).toMatchObject({ title: "The network is slow", reported_title: "checkout: i/o timeout" });
    expect(await severities()).toEqual(["low"]);
  });

  it.each([
    [["Pod a is crash looping", "Pod b is crash looping"], "Pod … is crash looping"],
    [["High latency on a (3 s)", "High latency on b (4 s)"], "High latency on"],
    [["same", "same"], "same"],
    [["one", "two"], ""],
    [["disk full", "disk full of b"], "disk full"],
    [["", "x y"], ""],
  ])("takes the words that begin and end all of %j", async (titles, words) => {
    expect(await sql`select public.common_words(${titles}) as words`).toEqual([{ words }]);
  });

  it("never lowers the severity", async () => {
    await deliverMade([{}]);
    await deliverMade([{ pod: "checkout-2", labels: { severity: "info" } }]);
    expect(await severities()).toEqual(["medium"]);
    expect(await groupedEvents()).toEqual([{ detail: { alerts: 1, targets: ["checkout-2"] } }]);
  });
});
