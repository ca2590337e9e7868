import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readAlerts } from "../../../../cli/input/read-alerts.ts";
import { readInput } from "../../../../cli/input/read-input.ts";
import { triageRequestSchema } from "../../../../functions/routes/v1/triage-request.ts";

const NOW = new Date("2026-03-01T03:00:00Z");
const read = (payload: unknown) => readAlerts(JSON.stringify(payload), NOW);

const LABELS = { alertname: "KubePodCrashLooping", namespace: "shop", pod: "checkout-1", severity: "critical" };
const ANNOTATIONS = {
  summary: "checkout-1 crash loops",
  description: "back-off",
  runbook_url: "https://example.com/r",
};
const REQUEST = {
  title: "checkout-1 crash loops",
  severity: "critical",
  labels: LABELS,
  target: "checkout-1",
  logs: "back-off",
  runbook_url: "https://example.com/r",
};
const listed = {
  labels: LABELS,
  annotations: ANNOTATIONS,
  startsAt: "2026-03-01T02:55:12Z",
  endsAt: "2026-03-01T04:00:00Z",
  fingerprint: "f1",
};

describe("readAlerts", () => {
  it.each([
    [
      "a webhook of Alertmanager",
      {
        version: "4",
        groupKey: "g",
        status: "firing",
        commonLabels: { namespace: "shop" },
        alerts: [{ ...listed, status: "firing", endsAt: "0001-01-01T00:00:00Z" }],
      },
    ],
    ["a list of Alertmanager's API", [{ ...listed, status: { state: "active", silencedBy: [], inhibitedBy: [] } }]],
    [
      "an answer of Prometheus",
      {
        status: "success",
        data: {
          alerts: [
            {
              labels: LABELS,
              annotations: ANNOTATIONS,
              state: "firing",
              activeAt: "2026-03-01T02:55:12Z",
              value: "1e+00",
            },
          ],
        },
      },
    ],
    ["an answer of Alertmanager's former API", { status: "success", data: [listed] }],
    ["a single alert", { labels: LABELS, annotations: ANNOTATIONS }],
  ])("reads %s", (_, payload) => {
    expect(read(payload)).toEqual({ requests: [REQUEST], notes: [] });
  });

  it("skips what is silenced beside what is active", () => {
    const list = ["active", "suppressed"].map((state) => ({ ...listed, status: { state } }));
    expect(read(list)).toEqual({ requests: [REQUEST], notes: ["1 alert skipped: it is silenced or inhibited."] });
  });

  it.each([
    [
      "a webhook of Grafana",
      { version: "1", alerts: [{ ...listed, status: "firing", valueString: "[ value=5 ]" }] },
      { title: "checkout-1 crash loops", logs: "back-off\nvalues: [ value=5 ]" },
    ],
    [
      "a webhook of Grafana before version 9",
      {
        ruleName: "Latency",
        state: "alerting",
        title: "[Alerting] Latency of checkout",
        message: "p99 is high",
        evalMatches: [{ metric: "p99", value: 3.2 }],
      },
      { title: "Latency of checkout", logs: "p99 is high\nvalues: p99: 3.2" },
    ],
    [
      "an old and acknowledged incident of PagerDuty",
      {
        event: {
          event_type: "incident.acknowledged",
          data: {
            id: "Q1",
            title: "orders-db: too many clients",
            status: "acknowledged",
            created_at: "2020-01-01T00:00:00Z",
            service: { summary: "Orders" },
            priority: { summary: "P1" },
          },
        },
      },
      { title: "orders-db: too many clients", target: "Orders", severity: "critical" },
    ],
    [
      "incidents of PagerDuty's API",
      { incidents: [{ id: "Q1", title: "orders-db is down", status: "triggered", urgency: "high" }] },
      { title: "orders-db is down", severity: "high" },
    ],
    [
      "an event for PagerDuty",
      {
        routing_key: "hidden",
        event_action: "trigger",
        payload: {
          summary: "disk full on db-1",
          source: "db-1",
          severity: "error",
          custom_details: { free: "0 %", mounts: 2 },
        },
      },
      { title: "disk full on db-1", target: "db-1", severity: "high", logs: "free: 0 %\nmounts: 2" },
    ],
    [
      "a webhook of Opsgenie for an open alert",
      {
        action: "Acknowledge",
        alert: { alertId: "1", message: "checkout: 5xx above 5 %", priority: "P2", entity: "checkout" },
      },
      { title: "checkout: 5xx above 5 %", target: "checkout", severity: "high" },
    ],
  ])("reads %s", (_, payload, request) => {
    const requests = read(payload)?.requests ?? [];
    expect(requests).toMatchObject([request]);
    expect(JSON.stringify(requests)).not.toContain("hidden");
    expect(triageRequestSchema.safeParse(requests[0]).error).toBeUndefined();
  });

  it("skips resolved and pending alerts, and says so", () => {
    const resolved = { ...listed, status: "resolved", fingerprint: "f2" };
    const over = { ...listed, endsAt: "2026-03-01T02:59:00Z", fingerprint: "f3" };
    const pending = { ...listed, state: "pending", fingerprint: "f4" };
    expect(read([listed, resolved, over, pending])).toEqual({
      requests: [REQUEST],
      notes: ["2 resolved alerts skipped.", "1 alert skipped: it is pending and does not fire yet."],
    });
    expect(read([resolved])).toEqual({
      requests: [],
      notes: ["No alert is firing, so there is nothing to triage.", "1 resolved alert skipped."],
    });
    expect(read([])).toEqual({ requests: [], notes: [expect.stringContaining("an empty JSON list")] });
    expect(() => read({ event_action: "resolve", payload: { summary: "over" } })).toThrow("resolves an alert");
  });

  it("takes the ten most severe", () => {
    const alerts = Array.from({ length: 14 }, (_, i) => ({
      ...listed,
      labels: { ...LABELS, alertname: `A${i}`, severity: i < 12 ? "warning" : "critical" },
      annotations: { summary: `alert ${i}` },
    }));
    const { requests = [], notes = [] } = read(alerts) ?? {};
    expect(requests.map(({ title }) => title)).toEqual([12, 13, 0, 1, 2, 3, 4, 5, 6, 7].map((i) => `alert ${i}`));
    expect(notes).toEqual(["14 alerts are firing; the 10 most severe are triaged."]);
  });

  it.each([
    ["a log line", { level: "error", msg: "failed", labels: { app: "shop" } }],
    [
      "an object of a cluster",
      { kind: "Pod", metadata: { name: "x", labels: { a: "b" } }, status: { phase: "Failed" } },
    ],
    ["an answer without alerts", { status: "success", data: { resultType: "vector", result: [] } }],
    ["a number", 5],
  ])("finds no alert in %s", (_, payload) => {
    expect(read(payload)).toBeNull();
  });

  it("finds none in a text that is no JSON", () => {
    expect(readAlerts("[error] failed", NOW)).toBeNull();
  });
});

describe("words beside an alert", () => {
  it("are its title, and its own title is evidence", async () => {
    const { requests } = await readInput({
      words: ["why", "now?"],
      files: ["-"],
      stdin: Readable.from([JSON.stringify(listed)]),
      say: () => {},
      now: NOW,
    });
    expect(requests).toEqual([{ ...REQUEST, title: "why now?", logs: "checkout-1 crash loops\nback-off" }]);
  });
});
