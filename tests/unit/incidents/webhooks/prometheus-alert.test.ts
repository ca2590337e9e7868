import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTargetOf } from "../../../../functions/incidents/webhooks/alert-target.ts";
import { alertmanager } from "../../../../functions/incidents/webhooks/alertmanager.ts";
import { grafana } from "../../../../functions/incidents/webhooks/grafana.ts";
import type { AlertDelivery } from "../../../../functions/schemas/alert.ts";
import { SHIPPED_CATALOG } from "../../../support/domains.ts";

function fixture(name: string): unknown {
  return JSON.parse(
    readFileSync(new URL(`../../../integration/alerts/fixtures/${name}.json`, import.meta.url), "utf8"),
  );
}

const RECEIVED_AT = new Date("2026-03-01T06:00:00Z");
const CONTEXT = { receivedAt: RECEIVED_AT, targetOf: createTargetOf(SHIPPED_CATALOG) };
const fromAlertmanager = (webhook: unknown) => alertmanager.toAlerts(alertmanager.schema.parse(webhook), CONTEXT);

/** A webhook of one alert. */
function webhookOf(alert: object, common: object = {}) {
  const whole = { status: "firing", labels: {}, startsAt: "2026-03-01T03:00:00Z", fingerprint: "f", ...alert };
  return { version: "4", groupKey: "{}", status: "firing", alerts: [whole], ...common };
}

/** The one alert of a webhook that has these labels and annotations. */
function only(labels: Record<string, string>, annotations: Record<string, string> = {}, common: object = {}) {
  const [mapped] = fromAlertmanager(webhookOf({ labels, annotations }, common)).alerts;
  if (mapped === undefined) throw new Error("There is no alert.");
  return mapped;
}

describe("Alertmanager's webhook", () => {
  it("is mapped field by field", () => {
    const { source, alerts, ignored, truncated } = fromAlertmanager(fixture("alertmanager-firing"));
    expect({ source, ignored, truncated }).toEqual({ source: "alertmanager", ignored: [], truncated: 0 });
    expect(alerts[0]).toEqual({
      source: "alertmanager",
      fingerprint: "3dd4d6c8a8138509",
      startsAt: new Date("2026-03-01T02:55:12.345Z"),
      startReported: true,
      endsAt: null,
      status: "firing",
      endsLatest: false,
      newStartWhenReopened: false,
      alertname: "KubePodCrashLooping",
      title: "Pod is crash looping.",
      description:
        'Pod shop/checkout-7c9f8d6b5-k9d2m (checkout) is in waiting state (reason: "CrashLoopBackOff") on cluster .\nlink: http://prometheus.example:9090/graph?g0.expr=max_over_time%28kube_pod_container_status_waiting_reason%7Breason%3D%22CrashLoopBackOff%22%7D%5B5m%5D%29+%3E%3D+1&g0.tab=1',
      severity: "medium",
      target: "checkout-7c9f8d6b5-k9d2m",
      namespace: "shop",
      groupKey: '{}:{alertname="KubePodCrashLooping", namespace="shop"}',
      labels: {
        alertname: "KubePodCrashLooping",
        container: "checkout",
        instance: "10.42.0.17:8080",
        job: "kube-state-metrics",
        namespace: "shop",
        pod: "checkout-7c9f8d6b5-k9d2m",
        prometheus: "monitoring/k8s",
        reason: "CrashLoopBackOff",
        severity: "warning",
        uid: "0f2b7c1e-5b2e-4b66-9a51-3d6f5f3f8c10",
      },
      runbook: "https://runbooks.example/kubernetes/crash-loop-back-off",
      expression: 'max_over_time(kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff"}[5m]) >= 1',
    });
  });

  it("reports when an alert ended", () => {
    const { alerts } = fromAlertmanager(fixture("alertmanager-partly-resolved"));
    expect(alerts.map(({ status, endsAt }) => [status, endsAt])).toEqual([
      ["firing", null],
      ["firing", null],
      ["resolved", new Date("2026-03-01T03:02:00Z")],
    ]);
  });

  it("reports how many alerts were left out", () => {
    expect(fromAlertmanager(fixture("alertmanager-truncated")).truncated).toBe(3);
  });

  it("lends what is said of the group to each alert, whose own words win", () => {
    const common = {
      commonLabels: { team: "edge", severity: "info" },
      groupLabels: { cluster: "eu-1" },
      commonAnnotations: { summary: "The group is down", runbook: "crash-loop-back-off" },
    };
    const alert = only({ alertname: "A", severity: "page" }, { summary: "It is down" }, common);
    expect(alert.labels).toEqual({ alertname: "A", team: "edge", cluster: "eu-1", severity: "page" });
    expect([alert.title, alert.severity, alert.runbook]).toEqual(["It is down", "critical", "crash-loop-back-off"]);
  });
});

describe("a time", () => {
  const startOf = (startsAt: unknown) => {
    const [alert] = fromAlertmanager(webhookOf({ startsAt })).alerts;
    return [alert?.startsAt, alert?.startReported];
  };

  it.each(["2000-01-01T00:00:00Z", "2026-03-01T06:05:00Z", "2026-03-01T03:00:00+14:00"])(
    "at which an alert starts may be %s",
    (startsAt) => {
      expect(startOf(startsAt)).toEqual([new Date(startsAt), true]);
    },
  );

  it.each([
    "9999-12-31T23:59:59-05:00",
    "0001-01-01T00:00:00+01:00",
    "0001-01-01T00:00:00Z",
    "1999-12-31T23:59:59Z",
    "2000-01-01T00:00:00+01:00",
    "2026-03-01T06:05:00.001Z",
    "2100-01-01T00:00:00Z",
    "soon",
    "",
    17,
    null,
    undefined,
  ])("of receipt replaces the start %s", (startsAt) => {
    expect(startOf(startsAt)).toEqual([RECEIVED_AT, false]);
  });

  it.each([
    ["2026-03-01T03:00:00Z", new Date("2026-03-01T03:00:00Z")],
    ["2026-03-01T02:59:59.999Z", null],
    ["0001-01-01T00:00:00Z", null],
    ["0001-01-01T00:00:00+01:00", null],
    ["9999-12-31T23:59:59-05:00", null],
    [undefined, null],
  ])("of %s as an end is %s", (endsAt, end) => {
    expect(fromAlertmanager(webhookOf({ status: "resolved", endsAt })).alerts[0]?.endsAt).toEqual(end);
  });
});

describe("an alert that is not as it should be", () => {
  const good = { status: "firing", labels: { alertname: "A" }, startsAt: "2026-03-01T03:00:00Z", fingerprint: "good" };
  const withGood = (bad: unknown) =>
    fromAlertmanager({ ...webhookOf({}), alerts: [good, bad, { ...good, fingerprint: "g2" }] });

  it.each([
    ["a number", 7, "it is not an object"],
    ["null", null, "it is not an object"],
    ["a list", [], "it is not an object"],
    ["with an unknown status", { ...good, status: "burning" }, 'its status is neither "firing" nor "resolved"'],
    [
      "without labels and fingerprint",
      { status: "firing", labels: "none", fingerprint: " " },
      "it has neither a fingerprint nor labels",
    ],
  ])("%s is refused with the reason, and the others are not", (_what, bad, rule) => {
    const { alerts, refused } = withGood(bad);
    expect(alerts.map(({ fingerprint }) => fingerprint)).toEqual(["good", "g2"]);
    expect(refused).toMatchObject([{ rule }]);
  });

  const webhooks: readonly (readonly [string, (webhook: object) => AlertDelivery])[] = [
    ["Alertmanager", fromAlertmanager],
    ["Grafana", (webhook) => grafana.toAlerts(grafana.schema.parse({ ...webhook, version: "1" }), CONTEXT)],
  ];

  it.each(webhooks)("without a status takes that of its group, in a webhook of %s", (_, read) => {
    const alerts = [undefined, null, "firing"].map((status, i) => ({ ...good, status, fingerprint: `f${i}` }));
    const delivery = read({ ...webhookOf({}), alerts, status: "resolved" });
    expect(delivery.alerts.map(({ status }) => status)).toEqual(["resolved", "resolved", "firing"]);
    expect(delivery.refused).toEqual([]);
  });

  it.each(webhooks)("without a status, of a group without one, is refused in a webhook of %s", (_, read) => {
    const { alerts, refused } = read({
      ...webhookOf({}),
      alerts: [good, { ...good, status: null }],
      status: undefined,
    });
    expect(alerts.map(({ fingerprint }) => fingerprint)).toEqual(["good"]);
    expect(refused).toEqual([
      { fingerprint: "good", status: null, rule: 'its status is neither "firing" nor "resolved"' },
    ]);
  });

  it.each([
    [
      "labels of other types",
      { labels: { alertname: "A", n: 7, on: true, list: [1], none: null } },
      { alertname: "A", n: "7", on: "true" },
    ],
    ["no labels", { labels: undefined }, {}],
    ["labels that are a list", { labels: ["A"] }, {}],
    ["annotations that are a text", { annotations: "down" }, { alertname: "A" }],
  ])("with %s is read as far as it can be", (_what, change, labels) => {
    const { alerts, refused } = withGood({ ...good, fingerprint: "odd", ...change });
    expect([alerts[1]?.fingerprint, alerts[1]?.labels, refused]).toEqual(["odd", labels, []]);
  });

  it.each(["", " ", undefined, 7, null])("without a fingerprint (%j) is identified by its labels", (fingerprint) => {
    const idOf = (labels: object) => withGood({ ...good, fingerprint, labels }).alerts[1]?.fingerprint;
    const id = idOf({ alertname: "A", pod: "p" });
    expect(id).toMatch(/^[0-9a-f]{64}$/);
    expect(idOf({ pod: "p", alertname: "A" })).toBe(id);
    expect(idOf({ alertname: "A", pod: "q" })).not.toBe(id);
  });

  it.each(["x".repeat(129), "caf\u00e9", "two words"])("keeps the identity of the fingerprint %j", (fingerprint) => {
    const idOf = (id: string) => withGood({ ...good, fingerprint: id }).alerts[1]?.fingerprint;
    expect(idOf(fingerprint)).toMatch(/^[0-9a-f]{64}$/);
    expect(idOf(fingerprint)).not.toBe(idOf(`${fingerprint}x`));
  });
});

describe("a webhook that is larger than it may be", () => {
  const alert = (n: number) => ({ status: "firing", labels: { alertname: `A${n}` }, fingerprint: `f${n}` });

  it("gives its first 500 alerts, and counts the rest", () => {
    const alerts = Array.from({ length: 2_100 }, (_, n) => alert(n));
    const delivery = fromAlertmanager({ ...webhookOf({}), alerts, truncatedAlerts: 5 });
    expect([delivery.alerts.length, delivery.truncated]).toEqual([500, 1_605]);
    expect(delivery.alerts.at(-1)?.fingerprint).toBe("f499");
  });

  it.each(["commonLabels", "groupLabels", "commonAnnotations"])("does not multiply its %s", (field) => {
    const common = Object.fromEntries(
      Array.from({ length: 60_000 }, (_, n) => [`name_${n}`, `a value ${n} `.repeat(5)]),
    );
    const body = { ...webhookOf({}), alerts: Array.from({ length: 500 }, (_, n) => alert(n)), [field]: common };
    const { alerts } = fromAlertmanager(body);
    expect(JSON.stringify(alerts).length).toBeLessThan(600_000);
    expect(alerts[0]?.labels.alertname).toBe("A0");
  });

  it("lends one long value to no more alerts than there is room for", () => {
    const alerts = Array.from({ length: 500 }, (_, n) => alert(n));
    const common = { commonAnnotations: { description: "x".repeat(200_000), summary: "It is down" } };
    const delivery = fromAlertmanager({ ...webhookOf({}), alerts, ...common });
    expect(delivery.alerts.map(({ title, description }) => [title, description])).toEqual(
      Array(500).fill(["It is down", null]),
    );
  });
});

describe("a text of control characters alone", () => {
  const NOTHING = "\u0001\u001b[31m \u0000";

  it("is as good as none", () => {
    const labels = { alertname: NOTHING, pod: NOTHING, job: "backup", severity: NOTHING, priority: "P1" };
    const annotations = {
      summary: NOTHING,
      title: "T",
      description: NOTHING,
      message: "M",
      runbook_url: NOTHING,
      runbook: "R",
    };
    expect(only(labels, annotations)).toMatchObject({
      alertname: "unnamed alert",
      title: "T",
      description: "M",
      target: "backup",
      severity: "critical",
      labels: { job: "backup", priority: "P1" },
      runbook: "R",
    });
    expect(only({ alertname: NOTHING }, { summary: NOTHING }).title).toBe("unnamed alert");
  });

  it("takes nothing from what is said of the whole group", () => {
    const common = { commonLabels: { alertname: "A" }, commonAnnotations: { summary: "S" } };
    expect(only({ alertname: NOTHING }, { summary: NOTHING }, common)).toMatchObject({ alertname: "A", title: "S" });
  });

  it("leaves the rest of a text", () => {
    expect(only({ alertname: `${NOTHING}Down` }).alertname).toBe("Down");
  });
});

describe("a title", () => {
  it.each([
    [{ summary: "S", title: "T" }, "S"],
    [{ title: "T" }, "T"],
    [{ summary: " " }, "TargetDown on web-3:9100"],
    [{ summary: " ", title: "T" }, "T"],
    [{}, "TargetDown on web-3:9100"],
  ])("of %j is %j", (annotations, title) => {
    expect(only({ alertname: "TargetDown", instance: "web-3:9100" }, annotations).title).toBe(title);
  });

  it("is the name alone where nothing says what it is about", () => {
    expect(only({ alertname: "Watchdog" }).title).toBe("Watchdog");
    expect(only({}).title).toBe("unnamed alert");
  });
});

describe("a description", () => {
  it("holds the author's words, then every other annotation by its name", () => {
    const annotations = {
      summary: "S",
      message: "It broke.",
      impact: "Customers cannot pay.",
      runbook_url: "https://wiki.example",
      __dashboardUid__: "x",
      empty: " ",
    };
    expect(only({ alertname: "A" }, annotations).description).toBe("It broke.\nimpact: Customers cannot pay.");
  });

  it("is null where there is none", () => {
    expect(only({ alertname: "A" }, { summary: "S" }).description).toBeNull();
  });
});

describe("a target", () => {
  it.each([
    [{ pod: "web-1", container: "web", instance: "10.0.0.1:8080", job: "kube-state-metrics" }, "web-1"],
    [{ namespace: "shop", deployment: "web", instance: "10.0.0.1:8080", job: "kube-state-metrics" }, "web"],
    [{ node: "worker-3", instance: "10.0.0.1:8080", job: "kube-state-metrics" }, "worker-3"],
    [{ pod: "node-exporter-x2x4z", instance: "10.0.0.7:9100", job: "node-exporter" }, "10.0.0.7:9100"],
    [{ pod: "postgres-exporter-0", instance: "10.0.3.11:9187", datname: "orders" }, "orders"],
    [{ server: "orders-db:5432", instance: "10.0.3.11:9187", job: "postgres-exporter" }, "orders-db:5432"],
    [{ name: "api-gateway", instance: "web-3:8080", job: "cadvisor" }, "api-gateway"],
    [{ target: "checkout", pod: "web-1" }, "checkout"],
    [{ job: "backup" }, "backup"],
    [{ pod: " ", job: "backup" }, "backup"],
    [{ team: "edge" }, null],
  ])("of %j is %j", (labels, target) => {
    expect(only({ alertname: "A", ...labels }).target).toBe(target);
  });
});

describe("Grafana's webhook", () => {
  it("is mapped as Alertmanager's, with the figures beside", () => {
    const { source, alerts } = grafana.toAlerts(grafana.schema.parse(fixture("grafana-firing")), CONTEXT);
    expect(source).toBe("grafana");
    expect(alerts).toMatchObject([
      {
        source: "grafana",
        fingerprint: "c6eadffa33fcdf37",
        startsAt: new Date("2026-03-01T02:56:03.157Z"),
        alertname: "Container restarts",
        severity: "high",
        target: "api-gateway",
        runbook: "https://wiki.example/runbooks/exit-137-out-of-memory",
        description: expect.stringMatching(/^The container api-gateway .*\nvalues: \[ var='B'/),
      },
    ]);
  });

  it("of the test button holds no alert", () => {
    const { alerts, ignored } = grafana.toAlerts(grafana.schema.parse(fixture("grafana-test")), CONTEXT);
    expect([alerts, ignored.map(({ fingerprint }) => fingerprint)]).toEqual([[], ["57c6d9296de2ad39"]]);
  });
});
