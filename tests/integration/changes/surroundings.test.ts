// What the start of a run reads about the surroundings of its incident: changes of the same service and other alerts.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DependencyError } from "../../../functions/dependencies.ts";
import { FOREIGN, OWN } from "../access/domain-world.ts";
import { createHarness, deleteIncidents, emptyStores, type Harness, sql } from "../support/harness.ts";
import { bearer, makeToken } from "../support/tokens.ts";
import { fixture, report, SECRET, signed, startedRun } from "./support.ts";

const harness = createHarness({ GITHUB_WEBHOOK_SECRET: SECRET });
const { services } = harness;
/** The clock of the harness stands here. */
const NOW = "2026-03-01T03:00:00Z";

beforeAll(() => emptyStores(services));
beforeEach(() => deleteIncidents(services));

const minutesAgo = (minutes: number) => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();
const changesFor = async (target: string | undefined, labels: Record<string, string> = {}) =>
  (await startedRun(services, { title: "It fails", target, labels })).surroundings.changes;

describe("the changes of an incident", () => {
  it("are those of its service in the two hours before, nearest first", async () => {
    await report(harness, [
      { service: "checkout", version: "v1", at: minutesAgo(119) },
      {
        service: "checkout",
        version: "v2",
        at: minutesAgo(3),
        by: "dana",
        environment: "prod",
        url: "https://ci.example/1",
      },
      { service: "checkout", version: "v0", at: minutesAgo(121) },
      { service: "orders", version: "v9", at: minutesAgo(1) },
      { service: "checkout-web", version: "v8", at: minutesAgo(1) },
    ]);
    expect(await changesFor("checkout")).toEqual({
      reported: true,
      recent: [
        {
          id: expect.any(String),
          kind: "deployment",
          service: "checkout",
          environment: "prod",
          title: "checkout v2",
          version: "v2",
          by: "dana",
          url: "https://ci.example/1",
          at: "2026-03-01T02:57:00+00:00",
          minutes_before: 3,
        },
        expect.objectContaining({ version: "v1", minutes_before: 119 }),
      ],
    });
  });

  it.each([
    ["a label", undefined, { service: "Checkout" }],
    ["its pod", undefined, { pod: "checkout-7d9f8b6c5-x2x4z", namespace: "shop" }],
    ["its pod as the target", "checkout-7d9f8b6c5-x2x4z", {}],
    ["its namespace and name", "shop/checkout", {}],
    ["its address", undefined, { instance: "checkout:8080" }],
    ["its cluster address", undefined, { instance: "checkout.shop.svc.cluster.local:8080" }],
  ])("are found by %s", async (_, target, labels) => {
    await report(harness, { service: "shop/checkout", at: minutesAgo(10) });
    expect((await changesFor(target, labels)).recent).toHaveLength(1);
  });

  it("are found by the labels of the change", async () => {
    await report(harness, { service: "Shopping cart", labels: { deployment: "cart-web" }, at: minutesAgo(10) });
    expect((await changesFor(undefined, { deployment: "cart-web" })).recent).toHaveLength(1);
  });

  it("are not those of a workload that only exports metrics of the object", async () => {
    await report(harness, { service: "kube-state-metrics", at: minutesAgo(10) });
    const labels = { job: "kube-state-metrics", service: "kube-state-metrics", pod: "checkout-7d9f8b6c5-x2x4z" };
    expect((await changesFor(undefined, labels)).recent).toEqual([]);
  });

  it.each([
    ["environment", { environment: "staging" }, { env: "production" }],
    ["namespace", { service: "billing/checkout" }, { namespace: "shop" }],
    ["cluster", { labels: { cluster: "us-1" } }, { cluster: "eu-1" }],
  ])("are not those of another %s, which does not count as reporting either", async (_, change, labels) => {
    await report(harness, { service: "checkout", at: minutesAgo(10), ...change });
    expect(await changesFor("checkout", labels)).toEqual({ reported: false, recent: [] });
  });

  it("are those of an environment with another spelling, or without one", async () => {
    await report(harness, [
      { service: "checkout", at: minutesAgo(10), environment: "prod-eu" },
      { service: "checkout", at: minutesAgo(20) },
    ]);
    expect((await changesFor("checkout", { environment: "Production" })).recent).toHaveLength(2);
  });

  it("begin with the nearest of ten when there are many", async () => {
    await report(
      harness,
      Array.from({ length: 60 }, (_, i) => ({ service: "checkout", version: `v${i}`, at: minutesAgo(60 - i) })),
    );
    const { recent } = await changesFor("checkout");
    expect(recent.map(({ minutes_before }) => minutes_before)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("show one event of a deployment, the nearest", async () => {
    for (const name of ["deployment", "deployment-status"]) {
      const body = fixture(`github-${name}`);
      await report(harness, body, { headers: signed(body) });
    }
    expect((await changesFor("checkout")).recent).toMatchObject([
      { title: expect.stringContaining("succeeded"), minutes_before: 19, by: "dana", url: expect.any(String) },
    ]);
  });
});

describe("whether changes are reported", () => {
  it("is false before the first report, and for other services", async () => {
    expect(await changesFor("checkout")).toEqual({ reported: false, recent: [] });
    await report(harness, { service: "orders", at: minutesAgo(500) });
    expect(await changesFor("checkout")).toEqual({ reported: false, recent: [] });
    expect(await changesFor("orders")).toEqual({ reported: true, recent: [] });
  });

  it("is false when the last report is more than 30 days old", async () => {
    await report(harness, { service: "checkout", at: minutesAgo(30 * 1_440 + 1) });
    expect((await changesFor("checkout")).reported).toBe(false);
    await report(harness, { service: "checkout", at: minutesAgo(29 * 1_440) });
    expect((await changesFor("checkout")).reported).toBe(true);
  });

  it("is false for a question that names no service, and when the database is unavailable", async () => {
    await report(harness, { service: "checkout", at: minutesAgo(10) });
    const question = await startedRun(services, { question: "Why is everything slow?" });
    expect(question.surroundings).toMatchObject({ changes: { reported: false, recent: [] }, other_alerts: [] });
    const unreachable = async () => {
      throw new DependencyError("database", "unreachable", "unavailable in the test");
    };
    const cut = { ...services, database: { ...services.database, call: unreachable } };
    const started = await startedRun(cut, { title: "It fails", target: "checkout" });
    expect(started.surroundings.changes).toEqual({ reported: false, recent: [] });
    expect(started.warnings).toHaveLength(1);
  });
});

/** Alerts of an Alertmanager. Each name is an incident of its own. */
async function fire(
  { post }: Pick<Harness, "post">,
  alerts: readonly {
    readonly name: string;
    readonly at?: string;
    readonly labels: Record<string, string>;
    readonly ended?: boolean;
  }[],
  headers: Record<string, string> = {},
) {
  const body = {
    version: "4",
    groupKey: "{}",
    status: "firing",
    alerts: alerts.map(({ name, at = minutesAgo(5), labels, ended }) => ({
      status: ended ? "resolved" : "firing",
      labels: { alertname: name, severity: "critical", ...labels },
      annotations: { summary: `${name} fires` },
      startsAt: at,
      ...(ended ? { endsAt: minutesAgo(1) } : {}),
    })),
  };
  const response = await post("/v1/alerts/alertmanager", body, headers);
  expect(response.status, await response.clone().text()).toBe(202);
}
const alertsFor = async (target: string | undefined, labels: Record<string, string>) =>
  (await startedRun(services, { title: "It fails", target, labels })).surroundings.other_alerts;

describe("the other alerts of an incident", () => {
  it("fire, and share a label that names an object or its area", async () => {
    await fire(harness, [
      { name: "DiskFull", labels: { node: "worker-3", cluster: "eu-1" } },
      { name: "Unrelated", labels: { node: "worker-4", cluster: "eu-1", job: "node" } },
      { name: "Ended", labels: { node: "worker-3" }, ended: true },
    ]);
    expect(await alertsFor(undefined, { pod: "checkout-0", node: "worker-3", cluster: "eu-1", job: "node" })).toEqual([
      {
        incident_id: expect.any(String),
        alertname: "DiskFull",
        title: "DiskFull fires",
        severity: "critical",
        target: "worker-3",
        starts_at: "2026-03-01T02:55:00+00:00",
        shared_labels: { node: "worker-3", cluster: "eu-1" },
      },
    ]);
  });

  it("are found by a machine's name in another label, with a port", async () => {
    await fire(harness, [{ name: "DiskFull", labels: { instance: "worker-3:9100" } }]);
    expect(await alertsFor(undefined, { node: "worker-3" })).toMatchObject([
      { alertname: "DiskFull", shared_labels: { instance: "worker-3:9100" } },
    ]);
  });

  it("are those that share more first, then the nearest", async () => {
    await fire(harness, [
      { name: "SameNamespaceNear", at: minutesAgo(1), labels: { namespace: "shop", pod: "cart-0" } },
      { name: "SameNamespaceFar", at: minutesAgo(9), labels: { namespace: "shop", pod: "cart-1" } },
      { name: "SamePod", at: minutesAgo(10), labels: { namespace: "shop", pod: "checkout-0" } },
      { name: "OtherNamespace", labels: { namespace: "billing", pod: "checkout-1" } },
    ]);
    const other = await alertsFor(undefined, { namespace: "shop", pod: "checkout-0" });
    expect(other.map(({ alertname }) => alertname)).toEqual(["SamePod", "SameNamespaceNear", "SameNamespaceFar"]);
  });

  it("begin at most 15 minutes before the start of its own alert", async () => {
    await fire(harness, [
      { name: "Early", at: minutesAgo(46), labels: { namespace: "shop" } },
      { name: "Before", at: minutesAgo(44), labels: { namespace: "shop" } },
      { name: "After", at: minutesAgo(2), labels: { namespace: "shop" } },
      { name: "Own", at: minutesAgo(30), labels: { namespace: "shop", pod: "checkout-0" } },
      { name: "Own", at: minutesAgo(29), labels: { namespace: "shop", pod: "checkout-1" } },
    ]);
    const [own] = await sql`select incident_id from public.alerts where alertname = 'Own' and decision = 'created'`;
    const labels = { namespace: "shop", pod: "checkout-0" };
    const started = await startedRun(services, { title: "It fails", labels }, String(own?.incident_id));
    expect(started.surroundings.start).toEqual(new Date(minutesAgo(30)));
    expect(started.surroundings.other_alerts.map(({ alertname }) => alertname)).toEqual(["Before", "After"]);
  });

  it("are one an incident, and at most ten", async () => {
    await fire(harness, [
      ...Array.from({ length: 5 }, (_, i) => ({ name: "Grouped", labels: { namespace: "shop", pod: `a-${i}` } })),
      ...Array.from({ length: 14 }, (_, i) => ({
        name: `Alert${i}`,
        at: minutesAgo(9),
        labels: { namespace: "shop" },
      })),
    ]);
    const other = await alertsFor(undefined, { namespace: "shop" });
    expect(other).toHaveLength(10);
    expect(other.filter(({ alertname }) => alertname === "Grouped")).toHaveLength(1);
  });

  it("hold no heartbeats", async () => {
    await fire(harness, [{ name: "Watchdog", labels: { namespace: "shop" } }]);
    await sql`update public.incidents set benign = true`;
    expect(await alertsFor(undefined, { namespace: "shop" })).toEqual([]);
  });
});

it("a storm is what fires in the same cluster, with the labels that say where", async () => {
  const at = minutesAgo(3);
  await fire(harness, [
    { name: "Slow", at, labels: { namespace: "shop", service: "checkout", cluster: "eu-1", build: "b7" } },
    { name: "DiskFull", at, labels: { node: "worker-3" } },
    { name: "Elsewhere", at, labels: { node: "worker-3", cluster: "us-1" } },
    { name: "Early", at: minutesAgo(19), labels: { node: "worker-3" } },
  ]);
  const [own] = await sql`select incident_id from public.alerts where alertname = 'Slow'`;
  const incident = { title: "Slow", labels: { cluster: "eu-1" } };
  const { storm } = (await startedRun(services, incident, String(own?.incident_id))).surroundings;
  expect(storm.map(({ alertname, labels }) => [alertname, labels])).toEqual([
    ["Slow", { namespace: "shop", service: "checkout" }],
    ["DiskFull", { node: "worker-3" }],
  ]);
});

describe("a caller that is restricted to a domain", () => {
  it("sees neither changes nor alerts of others", async () => {
    for (const domain of [OWN, FOREIGN]) {
      await report(harness, { service: "checkout", version: domain, domain, at: minutesAgo(10) });
      await fire(harness, [{ name: `Alert-${domain}`, labels: { namespace: "prod", domain } }]);
    }
    await sql`update public.alerts set domain = labels ->> 'domain'`;
    await sql`update public.incidents set domain = labels ->> 'domain'`;
    const restricted = services.restrictedTo([OWN]);
    const { surroundings } = await startedRun(restricted, {
      title: "It fails",
      target: "checkout",
      labels: { namespace: "prod" },
    });
    expect(surroundings.changes).toMatchObject({ reported: true, recent: [{ version: OWN }] });
    expect(surroundings.other_alerts.map(({ alertname }) => alertname)).toEqual([`Alert-${OWN}`]);
    await sql`delete from public.changes where domain = ${OWN}`;
    const { surroundings: later } = await startedRun(restricted, { title: "It fails", target: "checkout" });
    expect(later.changes).toEqual({ reported: false, recent: [] });
  });

  it("reports changes of its domain, which it alone sees", async () => {
    const { token } = await makeToken(harness, ["report", "read"], { domains: [OWN] });
    await report(harness, { service: "checkout" }, { headers: bearer(token) });
    expect(await sql`select domain from public.changes`).toMatchObject([{ domain: OWN }]);
    await report(harness, { service: "ledger", domain: FOREIGN });
    const listed = await harness.request("/v1/changes", { headers: bearer(token) });
    expect(await listed.json()).toMatchObject({ changes: [{ service: "checkout" }] });
  });
});
