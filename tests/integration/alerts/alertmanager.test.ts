// Alertmanager's webhook, with request bodies that Alertmanager 0.25 sent.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { ingestAlerts } from "../../../functions/incidents/ingest-alerts.ts";
import { createTargetOf } from "../../../functions/incidents/webhooks/alert-target.ts";
import { alertmanager } from "../../../functions/incidents/webhooks/alertmanager.ts";
import { EMPTY_CATALOG } from "../../../functions/knowledge/domains/domain-catalog.ts";
import type { Services } from "../../../functions/services.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";
import { alertRows, deliver, fixture, incidentRows, investigate, timeline, webhook } from "./support.ts";

const harness = createHarness();
const { services, clock } = harness;

const deliverFixture = (name: string) => deliver(harness, "alertmanager", fixture(`alertmanager-${name}`));
const deliverMade = (...made: Parameters<typeof webhook>) => deliver(harness, "alertmanager", webhook(...made));
const ENDS_AT = "2026-03-01T03:02:00Z";
const LATER = "2026-03-01T03:20:42.345Z";
const RUNBOOK = "kubernetes/crash-loop-back-off.md";
/** The window in which alerts are one incident. */
const WINDOW_MS = 300_000;

beforeAll(() => loadFreshRunbooks(services, workerEnv));
beforeEach(() => deleteIncidents(services));

async function readIncident(id: string | undefined) {
  const response = await harness.request(`/v1/incidents/${id}`);
  expect(response.status).toBe(200);
  return z
    .looseObject({
      status: z.string(),
      logs: z.string().nullable(),
      events: z.array(z.object({ at: z.string(), kind: z.string(), detail: z.unknown() })),
      alerts: z.looseObject({ latest: z.array(z.looseObject({ fingerprint: z.string(), status: z.string() })) }),
    })
    .parse(await response.json());
}

describe("the group of the sender", () => {
  it("is one incident with ALERT_GROUP_LABELS=groupKey, whatever the names of its alerts", async () => {
    const bySender = createHarness({ ALERT_GROUP_LABELS: "groupKey" });
    const alerts = [{ name: "KubePodCrashLooping" }, { name: "PodNotReady" }];
    const first = await deliver(bySender, "alertmanager", webhook(alerts, { groupKey: '{}:{service="checkout"}' }));
    expect(first.alerts.map(({ decision }) => decision)).toEqual(["created", "grouped"]);
    const other = await deliver(
      bySender,
      "alertmanager",
      webhook([{ name: "PodNotReady", pod: "cart-1" }], { groupKey: '{}:{service="cart"}' }),
    );
    expect(other.alerts).toMatchObject([{ decision: "created" }]);
    const later = await deliver(
      bySender,
      "alertmanager",
      webhook([{ name: "TargetDown" }], { groupKey: '{}:{service="checkout"}' }),
    );
    expect(later.alerts).toMatchObject([
      { decision: "grouped", rule: "same group of the sender within 300 s", incident_id: first.incidents[0] },
    ]);
  });
});

describe("a firing group", () => {
  it("is one incident: the first alert creates it and the others are grouped", async () => {
    const { alerts, incidents, ...counts } = await deliverFixture("firing");
    expect(counts).toEqual({ received: 3, stored: 3, truncated: 0, persisted: true });
    const [incident_id] = incidents;
    const url = `http://dejavu.test/console/incidents/${incident_id}`;
    const firing = { status: "firing", incident_id, url, related_to: null };
    const grouped = { ...firing, decision: "grouped", rule: "same alertname, domain and place within 300 s" };
    expect(alerts).toEqual([
      { ...firing, fingerprint: "3dd4d6c8a8138509", decision: "created", rule: "first of its kind" },
      { ...grouped, fingerprint: "fc26a6f11585a668" },
      { ...grouped, fingerprint: "505698848f8bc406" },
    ]);
    expect(await incidentRows()).toMatchObject([
      {
        id: incident_id,
        status: "queued",
        submitted_via: "queue",
        title: "Pod is crash looping on 3 pods of checkout",
        expression: 'max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff"}[5m]) >= 1',
        target: "checkout",
        severity: "medium",
        domain: "kubernetes",
        domain_rule: expect.stringMatching(/^words /),
        incident_type: "crash_loop",
        runbook: "https://runbooks.example/kubernetes/crash-loop-back-off",
        logs: expect.stringContaining(
          'Pod shop/checkout-7c9f8d6b5-k9d2m (checkout) is in waiting state (reason: "CrashLoopBackOff") on cluster .',
        ),
        labels: { alertname: "KubePodCrashLooping", namespace: "shop", reason: "CrashLoopBackOff" },
      },
    ]);
  });

  it("is investigated once and shows all of its alerts", async () => {
    const { incidents } = await deliverFixture("firing");
    await investigate(services, incidents);
    const incident = await readIncident(incidents[0]);
    expect(incident).toMatchObject({
      status: "triaged",
      previous_id: null,
      alerts: {
        total: 3,
        firing: 3,
        targets: ["checkout-7c9f8d6b5-k9d2m", "checkout-7c9f8d6b5-x2x4z", "checkout-7c9f8d6b5-p4t7w"],
      },
      triage: { outcome: "cause", sources: expect.arrayContaining([expect.objectContaining({ source: RUNBOOK })]) },
    });
    expect(incident.alerts.latest).toHaveLength(3);
    const [row] = await sql`select count(*)::int as runs from public.runs`;
    expect(row?.runs).toBe(1);
  });

  it("is one block in the prompt of the model", async () => {
    await using model = await scriptedModel();
    const { incidents } = await deliverFixture("firing");
    await deliverFixture("partly-resolved");
    await investigate(createHarness(model.env()).services, incidents);
    const [prompt = ""] = model.prompts("synthesise");
    expect(prompt).toContain(
      "2 alerts of this kind fire, 1 have ended: targets checkout-7c9f8d6b5-k9d2m, checkout-7c9f8d6b5-x2x4z, checkout-7c9f8d6b5-p4t7w",
    );
  });

  it("counts the alerts that Alertmanager left out", async () => {
    const receipt = await deliverFixture("truncated");
    expect(receipt).toMatchObject({ received: 2, stored: 2, truncated: 3 });
    expect(await incidentRows()).toMatchObject([
      {
        title: "PostgreSQL … has used 97% of its connections on 2 services",
        target: "orders-db-0.example:5432",
        severity: "critical",
        domain: "postgres",
        domain_rule: "label job=postgres-exporter",
        incident_type: "connection_exhaustion",
      },
    ]);
    const listed = await harness.request("/v1/incidents");
    expect(await listed.json()).toMatchObject({ incidents: [{ alerts: { place: "2 services" } }] });
  });
});

describe("a repeated alert", () => {
  it("creates nothing, is counted, and adds an event when its repetitions have doubled", async () => {
    const { incidents } = await deliverFixture("firing");
    const [id = ""] = incidents;
    for (let repetition = 1; repetition <= 4; repetition++) {
      clock.advance(4 * 3_600_000);
      const receipt = await deliverFixture("firing");
      expect(receipt).toMatchObject({ received: 3, stored: 0, incidents: [] });
      for (const alert of receipt.alerts)
        expect(alert).toMatchObject({ decision: "deduplicated", rule: "fingerprint and start time", incident_id: id });
    }
    expect((await alertRows()).map(({ times }) => times)).toEqual([5, 5, 5]);
    expect(await timeline(id)).toEqual(["reported", "alert_grouped", "alert_repeated", "alert_repeated"]);
  });

  it("does not reopen an incident that a person has resolved", async () => {
    const { incidents } = await deliverFixture("firing");
    const [id = ""] = incidents;
    await investigate(services, incidents);
    const fix = { resolution: "Rolled back to 4.2.", resolved_by: "dana" };
    expect((await harness.post(`/v1/incidents/${id}/resolve`, fix)).status).toBe(200);
    const receipt = await deliverFixture("firing");
    expect(receipt).toMatchObject({ stored: 0, incidents: [] });
    expect(await incidentRows()).toMatchObject([{ status: "resolved", ...fix }]);
    // The end of its alerts changes nothing either.
    await deliverFixture("partly-resolved");
    await deliverFixture("resolved");
    expect(await incidentRows()).toMatchObject([{ status: "resolved", ...fix }]);
    expect((await timeline(id)).filter((kind) => kind === "resolved")).toHaveLength(1);
  });

  it("is stored once by ten concurrent deliveries", async () => {
    const receipts = await Promise.all(Array.from({ length: 10 }, () => deliverFixture("firing")));
    expect(receipts.reduce((sum, { stored }) => sum + stored, 0)).toBe(3);
    expect(receipts.flatMap(({ incidents }) => incidents)).toHaveLength(1);
    expect(await incidentRows()).toHaveLength(1);
    expect((await alertRows()).map(({ times }) => times)).toEqual([10, 10, 10]);
  });
});

describe("the end of an alert", () => {
  it("resolves the incident, without a resolution, when all its alerts have ended", async () => {
    const { incidents } = await deliverFixture("firing");
    const [id = ""] = incidents;
    await investigate(services, incidents);
    const partly = await deliverFixture("partly-resolved");
    expect(partly.alerts.map(({ status, decision }) => [status, decision])).toEqual([
      ["firing", "deduplicated"],
      ["firing", "deduplicated"],
      ["resolved", "resolved"],
    ]);
    expect(await incidentRows()).toMatchObject([{ status: "triaged" }]);
    clock.advance(60_000);
    await deliverFixture("resolved");
    const [row] = await incidentRows();
    expect(row).toMatchObject({ status: "resolved", resolution: null, resolved_by: "alertmanager", worked: null });
    expect(row?.resolved_at).toEqual(clock.now());
    const incident = await readIncident(id);
    expect(incident.events.map(({ kind }) => kind)).toEqual([
      "reported",
      "alert_grouped",
      "triaged",
      "alert_repeated",
      "alert_resolved",
      "alert_resolved",
      "resolved",
    ]);
    expect(incident.events.at(-1)?.detail).toEqual({ rule: "all its alerts ended", resolved_by: "alertmanager" });
    expect(incident.alerts).toMatchObject({ total: 3, firing: 0 });
    expect((await alertRows()).map(({ ends_at }) => ends_at.toISOString())).toEqual([
      "2026-03-01T03:05:30.000Z",
      "2026-03-01T03:02:00.000Z",
      "2026-03-01T03:05:30.000Z",
    ]);
    const [observation] = await sql`select resolution, worked from public.observations`;
    expect(observation).toEqual({ resolution: null, worked: null });
  });

  it("that is sent twice changes nothing the second time", async () => {
    await deliverMade([{}]);
    await deliverMade([{ endsAt: ENDS_AT }]);
    const before = [await incidentRows(), await sql`select * from public.incident_events order by id`];
    clock.advance(60_000);
    const receipt = await deliverMade([{ endsAt: "2026-03-01T04:00:00Z" }]);
    expect(receipt.alerts).toMatchObject([{ decision: "resolved", rule: "it had ended before" }]);
    expect([await incidentRows(), await sql`select * from public.incident_events order by id`]).toEqual(before);
    expect((await alertRows()).map(({ ends_at }) => ends_at.toISOString())).toEqual(["2026-03-01T03:02:00.000Z"]);
  });

  it("cancels the investigation of an incident that is still queued", async () => {
    const { incidents } = await deliverMade([{}]);
    await deliverMade([{ endsAt: ENDS_AT }]);
    await investigate(services, incidents);
    expect(await incidentRows()).toMatchObject([{ status: "resolved" }]);
    expect(await sql`select 1 from public.runs`).toHaveLength(0);
  });

  it("is stored without an incident when its start was never received", async () => {
    const receipt = await deliverMade([{ endsAt: ENDS_AT }]);
    expect(receipt).toMatchObject({ stored: 1, incidents: [] });
    expect(receipt.alerts).toMatchObject([
      { decision: "resolved", rule: "unknown alert ended", incident_id: null, related_to: null },
    ]);
  });

  it("creates no incident when its start arrives later", async () => {
    await deliverMade([{ endsAt: ENDS_AT }]);
    const late = await deliverMade([{}]);
    expect(late).toMatchObject({ stored: 0, incidents: [] });
    expect(late.alerts).toMatchObject([{ decision: "deduplicated", incident_id: null }]);
    expect(await incidentRows()).toHaveLength(0);
  });
});

describe("a new start", () => {
  it("creates a new incident with a link to the previous one", async () => {
    const first = await deliverFixture("firing");
    await deliverFixture("partly-resolved");
    await deliverFixture("resolved");
    const second = await deliverFixture("new-start");
    expect(second.alerts).toEqual([
      {
        fingerprint: "505698848f8bc406",
        status: "firing",
        decision: "created",
        rule: "same fingerprint, new start",
        incident_id: second.incidents[0],
        url: `http://dejavu.test/console/incidents/${second.incidents[0]}`,
        related_to: first.incidents[0],
      },
    ]);
    expect(second.incidents[0]).not.toBe(first.incidents[0]);
    expect(await readIncident(second.incidents[0])).toMatchObject({
      previous_id: first.incidents[0],
      status: "queued",
    });
  });

  it("within the window of an open incident is grouped into it", async () => {
    const first = await deliverMade([{}]);
    const second = await deliverMade([{ startsAt: LATER }]);
    expect(second.alerts).toMatchObject([{ decision: "grouped", incident_id: first.incidents[0], related_to: null }]);
  });
});

describe("an alert with the same name", () => {
  it("is grouped into an incident that is already triaged, without another investigation", async () => {
    const { incidents } = await deliverMade([{}]);
    const [id = ""] = incidents;
    await investigate(services, incidents);
    clock.advance(WINDOW_MS);
    const receipt = await deliverMade([{ pod: "checkout-2" }]);
    expect(receipt).toMatchObject({ stored: 1, incidents: [], alerts: [{ decision: "grouped", incident_id: id }] });
    expect(await timeline(id)).toEqual(["reported", "triaged", "alert_grouped"]);
    expect(await incidentRows()).toMatchObject([{ status: "triaged" }]);
  });

  it.each([
    ["after the window", WINDOW_MS + 1, {}],
    ["in another domain", 0, { labels: { domain: "docker" } }],
    ["with another name", 0, { name: "KubePodNotReady" }],
    ["of another team", 0, { labels: { team: "payments" } }],
    ["in another namespace", 0, { labels: { namespace: "billing" } }],
  ])("creates its own incident %s", async (_when, ms, change) => {
    const first = await deliverMade([{}]);
    clock.advance(ms);
    const second = await deliverMade([{ pod: "checkout-2", ...change }]);
    expect(second.alerts).toMatchObject([{ decision: "created", rule: "first of its kind", related_to: null }]);
    expect(second.incidents).not.toEqual(first.incidents);
  });

  it("creates its own incident where its text names another failure", async () => {
    const failing = (pod: string, description: string) => ({ pod, annotations: { summary: "Errors", description } });
    const receipt = await deliverMade([
      failing("billing-1", "ERROR:  deadlock detected"),
      failing("billing-2", "FATAL: deadlock detected while waiting for ShareLock"),
      failing("billing-3", "could not extend file: No space left on device"),
      failing("billing-4", "More than 5 % of the requests fail."),
    ]);
    expect(receipt.alerts.map(({ decision }) => decision)).toEqual(["created", "grouped", "created", "grouped"]);
  });

  it("creates its own incident after a person resolved the first", async () => {
    const { incidents } = await deliverMade([{}]);
    await harness.post(`/v1/incidents/${incidents[0]}/resolve`, { resolution: "Rolled back." });
    const receipt = await deliverMade([{ pod: "checkout-2" }]);
    expect(receipt.alerts).toMatchObject([{ decision: "created" }]);
  });

  it("uses the configured window", async () => {
    const narrow = createHarness({ ALERT_GROUP_WINDOW_SECONDS: "10" });
    await deliver(narrow, "alertmanager", webhook([{}]));
    narrow.clock.advance(10_001);
    const receipt = await deliver(narrow, "alertmanager", webhook([{ pod: "checkout-2" }, { pod: "checkout-3" }]));
    expect(receipt.alerts).toMatchObject([
      { decision: "created" },
      { decision: "grouped", rule: "same alertname, domain and place within 10 s" },
    ]);
  });
});

describe("a benign alert", () => {
  it("is answered without a search and without a model", async () => {
    const watchdog = {
      name: "Watchdog",
      labels: { severity: "none" },
      annotations: {
        summary: "An alert that should always be firing to certify that Alertmanager is working properly.",
      },
    };
    const { incidents } = await deliverMade([watchdog]);
    await investigate(services, incidents);
    expect(await readIncident(incidents[0])).toMatchObject({
      benign: true,
      severity: "info",
      triage: { outcome: "benign", usage: { calls: 0 }, recalled: { runbooks: [] } },
    });
    expect(await deliverMade([watchdog])).toMatchObject({ stored: 0, incidents: [] });
  });
});

describe("the deletion of an incident", () => {
  it("deletes its alerts, so that one that still fires creates a new incident", async () => {
    const { incidents } = await deliverMade([{}]);
    expect((await harness.request(`/v1/incidents/${incidents[0]}`, { method: "DELETE" })).status).toBe(204);
    expect(await alertRows()).toHaveLength(0);
    expect((await deliverMade([{}])).alerts).toMatchObject([{ decision: "created", rule: "first of its kind" }]);
  });
});

describe("a database call whose result was lost", () => {
  it("has the same result when it is repeated", async () => {
    const { call } = services.background.database;
    const twice: Services = {
      ...services,
      background: {
        ...services.background,
        database: {
          call: async (name, args, schema, options) => {
            await call(name, args, schema, options);
            return call(name, args, schema, options);
          },
        },
      },
    };
    const delivery = alertmanager.toAlerts(alertmanager.schema.parse(JSON.parse(webhook([{}]))), {
      receivedAt: new Date(),
      targetOf: createTargetOf(EMPTY_CATALOG),
    });
    const receipt = await ingestAlerts(twice, delivery, {
      reportedBy: "service",
      owner: "service",
      runInBackground: () => {},
    });
    expect(receipt.alerts).toMatchObject([{ decision: "created", rule: "first of its kind" }]);
    expect(await incidentRows()).toMatchObject([{ id: receipt.incidents[0] }]);
    expect((await alertRows()).map(({ times }) => times)).toEqual([1]);
  });
});
