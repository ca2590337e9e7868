// The list of incidents: its address, and its rows over pages. What the list sends is tested through the API.

import { describe, expect, it } from "vitest";
import {
  chosenCount,
  filtersOf,
  NO_FILTERS,
  queryOf,
  searchOf,
  withFilters,
} from "../../../console/src/views/incidents/filters.ts";
import { countsText, groupsOf, latestOf, mergeRows, type Row } from "../../../console/src/views/incidents/rows.ts";
import { changedViews, savedViewsOf } from "../../../console/src/views/incidents/view-list.ts";
import { placeText } from "../../../functions/surroundings/place-text.ts";

const NOW = Date.parse("2026-03-03T03:00:00Z");

describe("the address", () => {
  it("keeps what is chosen, and nothing that is unknown", () => {
    const query = {
      status: "resolved",
      severity: "fatal",
      within: "dates",
      from: "2026-03-01",
      to: "x",
      group: "service",
    };
    const filters = filtersOf(query);
    expect(searchOf(filters)).toBe("?status=resolved&within=dates&from=2026-03-01&group=service");
    expect(chosenCount(filters)).toBe(2);
    expect(searchOf(NO_FILTERS)).toBe("");
  });

  it("keeps the order that is shown when another part changes", () => {
    const all = withFilters(NO_FILTERS, { status: "all" });
    expect(searchOf(all)).toBe("?status=all&sort=urgent");
    expect(searchOf(withFilters(all, { status: "open" }))).toBe("");
    expect(searchOf(withFilters(all, { sort: "newest" }))).toBe("?status=all");
  });

  it("sorts what is open by urgency and counts it, and what ended by age", () => {
    expect(queryOf(NO_FILTERS, NOW)).toEqual({ sort: "urgent", counts: "true", status: "open" });
    expect(queryOf({ ...NO_FILTERS, status: "all" }, NOW)).toEqual({ sort: "newest" });
    expect(queryOf({ ...NO_FILTERS, status: "firing" }, NOW)).toEqual({
      sort: "urgent",
      counts: "true",
      firing: "true",
    });
    expect(queryOf({ ...NO_FILTERS, status: "all", sort: "urgent" }, NOW)).toEqual({ sort: "urgent" });
  });

  it("has whole days of the reader's calendar, the last one included", () => {
    const dates = { ...NO_FILTERS, within: "dates", from: "2026-03-01", to: "2026-03-02" };
    const { since = "", until = "" } = queryOf(dates, NOW);
    expect(new Date(since)).toEqual(new Date(2026, 2, 1));
    expect(new Date(until)).toEqual(new Date(2026, 2, 3));
    expect(queryOf({ ...NO_FILTERS, within: "7" }, NOW)).toMatchObject({ since: "2026-02-24T03:00:00.000Z" });
    expect(queryOf({ ...dates, from: "" }, NOW)).not.toHaveProperty("since");
  });
});

const row = (id: string, minutes: number, changes: Partial<Row> = {}) =>
  ({
    id,
    title: id,
    status: "triaged",
    severity: "low",
    target: null,
    created_at: new Date(NOW + minutes * 60_000).toISOString(),
    started_at: new Date(NOW + minutes * 60_000).toISOString(),
    alerts: { total: 0, firing: 0, source: null },
    labels: {},
    latest_triage: null,
    failure_id: id,
    failure: id,
    ...changes,
  }) as Row;

describe("the rows", () => {
  it("of later pages follow the first page in its order; the newest version of a row counts", () => {
    const first = [row("critical", 1, { severity: "critical" }), row("high", 0, { severity: "high" })];
    const later = [
      row("low", 5),
      row("medium", 9, { severity: "medium" }),
      row("firing", 9, { alerts: { total: 1, firing: 1, source: null, place: null } }),
      row("low", 5, { title: "low, later" }),
    ];
    const merged = mergeRows(first, later, { hasMore: true, sort: "urgent" });
    expect(merged.map(({ title }) => title)).toEqual(["critical", "high", "medium", "low, later"]);
    expect(mergeRows(first, later, { hasMore: false, sort: "urgent" })).toEqual(first);
  });

  it("are kept once each, in their last version", () => {
    const [old, other, present] = [row("a", 3), row("b", 2), row("a", 3, { title: "a, later" })];
    expect(latestOf([old, other, present])).toEqual([present, other]);
  });

  it("are grouped in the order of their first rows", () => {
    const rows = [row("a", 3, { target: "db" }), row("b", 2), row("c", 1, { target: "db" })];
    expect(groupsOf(rows, "service").map(({ name, rows }) => `${name} ${rows.length}`)).toEqual([
      "db 2",
      "No service 1",
    ]);
    expect(groupsOf(rows, "")).toEqual([{ key: "", name: "", rows }]);
  });

  it("are grouped by failure, never by the name of the alert alone", () => {
    const full = { failure_id: "disk", failure: "Disk full" };
    const alert = { labels: { alertname: "HighErrorRate" } };
    const rows = [row("a", 3, full), row("b", 2), row("c", 1, full), row("d", 0, alert), row("e", 0, alert)];
    const groups = groupsOf(rows, "failure").map(({ name, rows }) => `${name}: ${rows.map(({ id }) => id)}`);
    expect(groups).toEqual(["Disk full: a,c", "b: b", "d: d", "e: e"]);
  });

  it.each([
    ["checkout-api-7d9f8b6c5-x2x9z", "checkout-api"],
    ["node-agent-x2k9z", "node-agent"],
    ["kafka-12", "kafka"],
    ["api-cache", "api-cache"],
  ])("of the pod %s are those of %s", (pod, service) => {
    expect(placeText(row("a", 0, { target: pod, labels: { pod } }))).toBe(service);
  });

  it("of alerts of several services are where they fire", () => {
    const alerts = { total: 30, firing: 3, source: "grafana" as const, place: "15 services" };
    expect(placeText(row("a", 0, { target: "checkout", alerts }))).toBe("15 services");
  });

  it("are counted in words", () => {
    const counts = { total: 1_305, critical: 12, firing: 3, muted: 8, resolved_firing: 0 };
    expect(countsText(counts, "open", 50, true)).toBe("1,305 open, 12 critical, 3 firing, 8 muted");
    const fires = { ...counts, total: 16, critical: 15, firing: 5 };
    expect(countsText(fires, "firing", 16, false)).toBe("16 firing, 15 critical, 11 of them resolved, 8 muted");
    expect(countsText(null, "all", 50, true)).toBe("50+ shown");
  });
});

describe("saved views", () => {
  it("are kept under their names, with the filters that exist", () => {
    const views = changedViews(changedViews([], " Night ", "?severity=critical"), "Night", "?status=all");
    expect(views).toEqual([{ name: "Night", search: "?status=all" }]);
    expect(changedViews(views, " ", "?severity=low")).toBe(views);
    expect(savedViewsOf(JSON.stringify([...views, { name: "Old", search: "?colour=red" }, 7]))).toEqual(views);
    expect(savedViewsOf("{")).toEqual([]);
    expect(savedViewsOf(null)).toEqual([]);
  });
});
