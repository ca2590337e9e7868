import { describe, expect, it } from "vitest";
import { firstSentence, liveEvidenceText, shortNumber } from "../../../functions/answer-view/live-evidence-text.ts";
import { type LiveEvidence, NOTHING_OBSERVED, type RecentChange } from "../../../functions/schemas/live-evidence.ts";
import type { CheckResult } from "../../../lib/checks/check.ts";

const CHECK: CheckResult = {
  id: "check:disk-full#usage",
  name: "usage",
  language: "promql",
  verdict: "confirmed",
  statement: "The disk is nearly full.",
  rule: "any > 0.9",
  value: "0.97",
  query: "usage",
  cause: null,
  runbook: "disk-full",
  citations: ["R1"],
  source: "main",
  checked_at: "2026-03-01T03:00:01Z",
  server: null,
  as_of: null,
  link: null,
};
const UNASKED = { rule: null, value: null, source: null, checked_at: null } as const;
const CHANGE: RecentChange = {
  id: "c-1",
  kind: "deployment",
  service: "checkout",
  environment: null,
  title: "",
  version: "1.4",
  by: null,
  url: null,
  at: "2026-03-01T02:50:00Z",
  minutes_before: 10,
};

const textOf = (live: Partial<LiveEvidence>, checks: CheckResult[] = []) =>
  liveEvidenceText({ checks, live: { ...NOTHING_OBSERVED, ...live } });

describe("the text of a check", () => {
  it.each<[Partial<CheckResult>, verdict: string, text: string]>([
    [{}, "Confirmed", "The disk is nearly full (0.97; any > 0.9; check usage, main, 03:00:01 UTC)."],
    [
      { verdict: "refuted", cause: "A full disk. Logs grow." },
      "Ruled out",
      "A full disk: The disk is nearly full (0.97; any > 0.9; check usage, main, 03:00:01 UTC).",
    ],
    [
      { verdict: "refuted", statement: "There is room.", value: null },
      "Ruled out",
      "disk-full: There is room (any > 0.9; check usage, main, 03:00:01 UTC).",
    ],
    [
      { language: "sql", server: "db-1:5432/orders" },
      "Confirmed",
      "The disk is nearly full (0.97; any > 0.9; check usage, main at db-1:5432/orders, 03:00:01 UTC).",
    ],
    [
      { as_of: "2026-02-27T22:15:00.000Z" },
      "Confirmed",
      "The disk is nearly full (0.97; any > 0.9; check usage, main, about 2026-02-27 22:15:00 UTC, the start of the incident).",
    ],
    [{ ...UNASKED, verdict: "inconclusive", statement: "No data." }, "Inconclusive", "No data (check usage)."],
    [{ ...UNASKED, verdict: "not_run", statement: "No source." }, "Not run", "No source (check usage)."],
  ])("of %j says what it means", (changes, verdict, text) => {
    const { decided, undecided } = textOf({}, [{ ...CHECK, ...changes }]);
    expect([...decided, ...undecided]).toMatchObject([{ verdict, text }]);
    expect(decided).toHaveLength(["Confirmed", "Ruled out"].includes(verdict) ? 1 : 0);
  });
});

describe("the text of changes", () => {
  it.each<[Partial<RecentChange>, text: string]>([
    [{}, "10 minutes before: deployment checkout 1.4"],
    [{ version: null, minutes_before: 1.2 }, "1 minute before: deployment checkout"],
    [{ title: "Raise the limit", minutes_before: -3 }, "3 minutes after: deployment Raise the limit (checkout)"],
    [
      { title: "checkout: raise it", environment: "prod", by: "dana", url: "https://example.com/1" },
      "10 minutes before: deployment checkout: raise it (prod, by dana, https://example.com/1)",
    ],
  ])("of %j", (changes, text) => {
    expect(textOf({ changes: { reported: true, recent: [{ ...CHANGE, ...changes }] } }).changes).toEqual([text]);
  });

  it("says that there was none only where changes are reported", () => {
    expect(textOf({ changes: { reported: true, recent: [] } }).changes).toEqual([
      "No change of this service was reported in the two hours before.",
    ]);
    expect(textOf({}).changes).toEqual([]);
  });
});

describe("the text of an object", () => {
  const EVENT = { at: null, type: "Warning", reason: "BackOff", message: "restarting", count: 7 };
  const POD = { source: "main", link: null, kind: "Pod", name: "web-0", state: "Running", facts: ["7 restarts"] };

  it("has its place, its owner, its facts and the three newest events", () => {
    const events = [EVENT, { ...EVENT, count: 1 }, EVENT, EVENT];
    expect(textOf({ object: { ...POD, namespace: "shop", owner: "StatefulSet web", events } }).object).toEqual([
      "Pod web-0 in shop: Running (StatefulSet web)",
      "7 restarts",
      "Event BackOff (7 times): restarting",
      "Event BackOff: restarting",
      "Event BackOff (7 times): restarting",
    ]);
  });

  it("needs neither namespace nor owner", () => {
    expect(textOf({ object: { ...POD, facts: [], namespace: null, owner: null, events: [] } }).object).toEqual([
      "Pod web-0: Running",
    ]);
  });
});

it.each([
  ["web", "DiskFull on web, critical, since 03:00:01 UTC (same job=web, node=a)"],
  [null, "DiskFull, critical, since 03:00:01 UTC (same job=web, node=a)"],
])("another alert on %s is named with what it shares", (target, text) => {
  const alert = { incident_id: "i", alertname: "DiskFull", title: "Full", severity: "critical" as const, target };
  const shared = { starts_at: "2026-03-01T03:00:01Z", shared_labels: { job: "web", node: "a" } };
  expect(textOf({ other_alerts: [{ ...alert, ...shared }] }).otherAlerts).toEqual([text]);
});

it("the origin of a storm stands before the other alerts", () => {
  const origin = {
    ...{ level: "host" as const, object: "node-5", probability: 0.71, incident_id: "i", alerts: 9, objects: 6 },
    since: "2026-03-01T03:02:10.000Z",
  };
  expect(textOf({ origin }).otherAlerts).toEqual([
    "Probably began at the host node-5 (71 %): 9 alerts on 6 objects since 03:02:10 UTC",
  ]);
});

describe("the text of an expression", () => {
  const expression = (...values: (number | null)[][]) => ({
    ...{ source: "main", link: null, query: "up", start: "2026-03-01T02:00:00Z", end: "2026-03-01T03:00:00Z" },
    series: values.map((each) => ({ labels: {}, points: each.map((value, i): [number, number | null] => [i, value]) })),
  });

  it("is about the series that moved most", () => {
    expect(textOf({ expression: expression([1, 2], [null, 5, 9.1234, 0.5, null]) }).expression).toBe(
      "up: from 5 to 0.5, at most 9.12 (main)",
    );
  });

  it("is missing without a number", () => {
    expect(textOf({ expression: expression([null]) }).expression).toBeNull();
    expect(textOf({}).expression).toBeNull();
  });
});

describe("the name of a cause", () => {
  it.each([
    ["Node.js: heap out of memory (exit 134). The process aborted.", "Node.js: heap out of memory (exit 134)."],
    ["The disk is full.", "The disk is full."],
    ["Version 4.1.2 leaks. Roll back. Then wait.", "Version 4.1.2 leaks."],
    ["A name without a stop", "A name without a stop"],
  ])("of %s is its first sentence", (text, name) => {
    expect(firstSentence(text)).toBe(name);
  });
});

it.each([
  [310_000_000, "310M"],
  [36_612, "36.6K"],
  [0.031, "0.031"],
  [0, "0"],
])("the number %s is short as %s", (value, text) => {
  expect(shortNumber(value)).toBe(text);
});
