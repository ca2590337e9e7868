import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createTargetOf } from "../../../../functions/incidents/webhooks/alert-target.ts";
import { opsgenie } from "../../../../functions/incidents/webhooks/opsgenie.ts";
import { EMPTY_CATALOG } from "../../../../functions/knowledge/domains/domain-catalog.ts";

interface Fixture {
  readonly action: string;
  readonly alert: Readonly<Record<string, unknown>>;
}

function fixture(name: string): Fixture {
  const url = new URL(`../../../integration/alerts/fixtures/opsgenie-${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8"));
}

const CONTEXT = { receivedAt: new Date("2026-03-01T03:40:00Z"), targetOf: createTargetOf(EMPTY_CATALOG) };
const map = (webhook: unknown) => opsgenie.toAlerts(opsgenie.schema.parse(webhook), CONTEXT);

/** The alert of a Create action with these fields changed. */
function mapAlert(changes: Readonly<Record<string, unknown>>) {
  const { action, alert } = fixture("create");
  return map({ action, alert: { ...alert, ...changes } }).alerts[0];
}

describe("Opsgenie's webhook", () => {
  it("is mapped field by field", () => {
    expect(map(fixture("create"))).toEqual({
      source: "opsgenie",
      ignored: [],
      refused: [],
      truncated: 0,
      alerts: [
        {
          source: "opsgenie",
          fingerprint: "orders-db/too-many-connections",
          startsAt: new Date("2026-03-01T02:58:00.169Z"),
          startReported: true,
          endsAt: null,
          status: "firing",
          endsLatest: false,
          newStartWhenReopened: true,
          alertname: "orders-db: FATAL: sorry, too many clients already",
          title: "orders-db: FATAL: sorry, too many clients already",
          description: "97 of 100 connections are in use.",
          severity: "critical",
          target: "orders-db",
          namespace: "shop",
          labels: {
            priority: "P1",
            source: "10.0.4.12",
            tags: "production,orders",
            opsgenie_tiny_id: "1482",
            namespace: "shop",
            region: "eu-west-1",
            runbook_url: "https://wiki.example/runbooks/too-many-connections",
          },
          runbook: "https://wiki.example/runbooks/too-many-connections",
          expression: null,
        },
      ],
    });
  });

  it("ends an alert with the action Close", () => {
    expect(map(fixture("close")).alerts).toMatchObject([
      {
        fingerprint: "orders-db/too-many-connections",
        status: "resolved",
        startsAt: new Date("2026-03-01T02:58:00.169Z"),
        endsAt: new Date("2026-03-01T03:09:00.500Z"),
      },
    ]);
  });

  it.each([
    ["milliseconds", 1772334540500, "2026-03-01T03:09:00.500Z"],
    ["nanoseconds", 1772334540500000000, "2026-03-01T03:09:00.500Z"],
    ["a time before the start", 1772333000000, undefined],
    ["no time", null, undefined],
  ])("reads %s as the end", (_form, updatedAt, end) => {
    const { alert } = fixture("close");
    const [closed] = map({ action: "Close", alert: { ...alert, updatedAt } }).alerts;
    expect(closed?.endsAt?.toISOString()).toBe(end);
  });

  it.each(["Acknowledge", "UnAcknowledge", "AddNote", "AddTags", "AssignOwnership", "EscalateNext", "Delete", "New"])(
    "ignores the action %s",
    (action) => {
      const rule = `the action ${action} neither opens nor ends an alert`;
      expect(map({ ...fixture("create"), action })).toMatchObject({
        alerts: [],
        ignored: [{ fingerprint: "orders-db/too-many-connections", status: null, rule }],
      });
    },
  );

  it.each([
    ["P1", "critical"],
    ["P2", "high"],
    ["P3", "medium"],
    ["P4", "low"],
    ["P5", "info"],
    [undefined, "medium"],
  ])("maps the priority %s to %s", (priority, severity) => {
    expect(mapAlert({ priority })?.severity).toBe(severity);
  });

  it("takes the severity of the details without a priority", () => {
    expect(mapAlert({ priority: undefined, details: { severity: "warning" } })?.severity).toBe("medium");
    expect(mapAlert({ priority: undefined, details: { severity: "critical" } })?.severity).toBe("critical");
  });

  it.each([
    ["the alert id without an alias", "", "9c1f0a52-3f0e-4b7d-9a61-5f6f7a2c1d10-1772333880169"],
    ["the alias", "checkout", "checkout"],
    ["a digest of an alias with spaces", "a b", "c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65"],
  ])("uses %s as the fingerprint", (_which, alias, fingerprint) => {
    expect(mapAlert({ alias })?.fingerprint).toBe(fingerprint);
  });

  it("takes target, alert name and domain labels that Alertmanager sends as details", () => {
    const details = { alertname: "KubePodCrashLooping", namespace: "shop", pod: "checkout-1", count: 3, note: " " };
    expect(mapAlert({ entity: "", details })).toMatchObject({
      alertname: "KubePodCrashLooping",
      target: "checkout-1",
      labels: { alertname: "KubePodCrashLooping", namespace: "shop", pod: "checkout-1" },
    });
  });

  it("accepts an alert with required fields only", () => {
    const { alertId, createdAt } = fixture("create").alert;
    expect(map({ action: "Create", alert: { alertId, createdAt, message: " " } }).alerts).toMatchObject([
      { title: "Opsgenie alert without a message", target: null, labels: {}, description: null, runbook: null },
    ]);
  });

  it.each([-62135596800000, 1e20, CONTEXT.receivedAt.getTime() + 300_001])(
    "gives an alert created at %s the time of its receipt",
    (createdAt) => {
      expect(mapAlert({ createdAt })).toMatchObject({ startsAt: CONTEXT.receivedAt, startReported: false });
    },
  );

  it("refuses an alert whose time is not a number", () => {
    const { alert } = fixture("create");
    const { error } = opsgenie.schema.safeParse({ action: "Create", alert: { ...alert, createdAt: "yesterday" } });
    expect(error?.issues.map(({ path }) => path.join("."))).toEqual(["alert.createdAt"]);
  });
});
