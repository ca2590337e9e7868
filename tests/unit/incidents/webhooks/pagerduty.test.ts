import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTargetOf } from "../../../../functions/incidents/webhooks/alert-target.ts";
import { pagerduty } from "../../../../functions/incidents/webhooks/pagerduty.ts";
import { EMPTY_CATALOG } from "../../../../functions/knowledge/domains/domain-catalog.ts";

function fixture(name: string): { event: Record<string, unknown> & { data: Record<string, unknown> } } {
  const url = new URL(`../../../integration/alerts/fixtures/pagerduty-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8"));
}

const NOW = new Date("2026-03-01T03:40:00Z");
const targetOf = createTargetOf(EMPTY_CATALOG);
const map = (webhook: unknown, receivedAt = NOW) =>
  pagerduty.toAlerts(pagerduty.schema.parse(webhook), { receivedAt, targetOf });

function withData(change: Readonly<Record<string, unknown>>) {
  const { event } = fixture("triggered");
  return { event: { ...event, data: { ...event.data, ...change } } };
}

describe("PagerDuty's webhook", () => {
  it("is mapped field by field", () => {
    expect(map(fixture("triggered"))).toEqual({
      source: "pagerduty",
      ignored: [],
      refused: [],
      truncated: 0,
      alerts: [
        {
          source: "pagerduty",
          fingerprint: "Q1XK2P7RZ0ABCD",
          startsAt: new Date("2026-03-01T02:58:00Z"),
          startReported: true,
          endsAt: null,
          status: "firing",
          endsLatest: true,
          newStartWhenReopened: true,
          alertname: "orders-db: FATAL: sorry, too many clients already",
          title: "orders-db: FATAL: sorry, too many clients already",
          description: "link: https://acme.pagerduty.example/incidents/Q1XK2P7RZ0ABCD",
          severity: "critical",
          target: "Orders",
          namespace: null,
          labels: { service: "Orders", urgency: "low", priority: "P1", pagerduty_number: "4711" },
          runbook: null,
          expression: null,
        },
      ],
    });
  });

  it.each([
    ["triggered", "firing", "2026-03-01T02:58:00.000Z", null],
    ["resolved", "resolved", "2026-03-01T02:58:00.000Z", "2026-03-01T03:09:00.500Z"],
    ["reopened", "firing", "2026-03-01T03:30:00.250Z", null],
  ])("says %s by status, start and end", (name, status, start, end) => {
    const [alert] = map(fixture(name)).alerts;
    expect([alert?.status, alert?.startsAt.toISOString(), alert?.endsAt?.toISOString() ?? null]).toEqual([
      status,
      start,
      end,
    ]);
  });

  it.each(["acknowledged", "ping"])("of the kind %s holds no alert", (name) => {
    const { alerts, ignored } = map(fixture(name));
    expect([alerts, ignored.length]).toEqual([[], 1]);
  });

  it.each([
    ["7 days old", 7 * 86_400_000, null],
    ["older", 7 * 86_400_000 + 1, "it occurred more than 7 days ago"],
    ["5 minutes ahead", -300_000, null],
    ["further ahead", -300_001, "it is to occur in more than 5 minutes"],
  ])("that is %s is taken, or ignored with the reason", (_age, ageMs, rule) => {
    const { alerts, ignored } = map(fixture("triggered"), new Date(Date.parse("2026-03-01T02:58:00.169Z") + ageMs));
    expect(alerts).toHaveLength(rule === null ? 1 : 0);
    expect(ignored).toEqual(rule === null ? [] : [{ fingerprint: "Q1XK2P7RZ0ABCD", status: "firing", rule }]);
  });

  it.each(["9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+01:00"])("of the time %s is ignored", (occurred_at) => {
    const { event } = fixture("reopened");
    expect(map({ event: { ...event, occurred_at } })).toMatchObject({ alerts: [], ignored: [{ status: "firing" }] });
  });

  it("that resolves before it began does not say when it ended", () => {
    const { event } = fixture("resolved");
    const odd = { event: { ...event, occurred_at: "2026-03-01T02:57:59Z" } };
    expect(map(odd).alerts).toMatchObject([{ status: "resolved", endsAt: null }]);
  });

  it.each([
    [{ priority: null, urgency: "high" }, "high"],
    [{ priority: null, urgency: "low" }, "low"],
    [{ priority: { summary: "Customers" }, urgency: "high" }, "high"],
    [{ priority: { summary: "P4" }, urgency: "high" }, "low"],
    [{ priority: null, urgency: null }, "medium"],
  ])("with %j is %s", (change, severity) => {
    expect(map(withData(change)).alerts[0]?.severity).toBe(severity);
  });

  it("may lack what an account need not have", () => {
    const bare = { service: undefined, priority: undefined, urgency: undefined, number: undefined, html_url: null };
    expect(map(withData(bare)).alerts).toMatchObject([{ target: null, labels: {}, description: null }]);
  });

  it.each([" ", "\u0001\u001b[31m"])("with the title %j says that it has none", (title) => {
    const none = "PagerDuty incident without a title";
    expect(map(withData({ title })).alerts).toMatchObject([{ title: none, alertname: none }]);
  });
});
