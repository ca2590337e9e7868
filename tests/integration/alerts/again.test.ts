// Alerts that come again after they had ended, or whose end got lost, or whose investigation failed.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cleanSlate, createHarness, forgetIncidents, sql } from "../support/harness.ts";
import { alertRows, deliver, incidentRows, timeline, webhook } from "./support.ts";

const harness = createHarness();
const { services, clock } = harness;

const FIRST = "2026-03-01T02:55:12.345Z";
const LATER = "2026-03-01T03:20:42.345Z";
/** The window in which alerts are one incident, and in which what fires after its end is late news. */
const WINDOW_MS = 300_000;

beforeAll(() => cleanSlate(services));
beforeEach(() => forgetIncidents(services));

const deliverMade = (...made: Parameters<typeof webhook>) => deliver(harness, "alertmanager", webhook(...made));
const statuses = async () => (await incidentRows()).map(({ status }) => status);

describe("a start whose end got lost", () => {
  it("has ended where a later one begins, and its incident with it", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    clock.advance(WINDOW_MS + 1);
    const second = await deliverMade([{ startsAt: LATER }]);
    expect(second.alerts).toMatchObject([
      { decision: "new", rule: "same fingerprint, new start", related_to: first, incident_id: second.incidents[0] },
    ]);
    expect(await statuses()).toEqual(["resolved", "queued"]);
    expect(await alertRows()).toMatchObject([
      { status: "resolved", ends_at: new Date(LATER), incident_id: first },
      { status: "firing", ends_at: null, incident_id: second.incidents[0] },
    ]);
    expect(await timeline(first)).toEqual(["reported", "alert_resolved", "resolved"]);
  });

  it("has ended also where only the end of the later one is heard", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    const ended = await deliverMade([{ startsAt: LATER, endsAt: "2026-03-01T03:30:00Z" }]);
    expect(ended.alerts).toMatchObject([{ decision: "resolved", rule: "unknown alert ended" }]);
    expect(await incidentRows()).toMatchObject([{ id: first, status: "resolved", resolved_by: "alertmanager" }]);
  });

  it("leaves its incident open where the later one joins it", async () => {
    const [first = ""] = (await deliverMade([{}])).incidents;
    await deliverMade([{ startsAt: LATER }]);
    expect(await statuses()).toEqual(["queued"]);
    expect(await timeline(first)).toEqual(["reported", "alert_resolved", "alert_joined"]);
    await deliverMade([{ startsAt: LATER, endsAt: "2026-03-01T03:30:00Z" }]);
    expect(await statuses()).toEqual(["resolved"]);
  });

  it("leaves its incident open where others of it fire, and ends no other alert", async () => {
    await deliverMade([{}, { pod: "checkout-2" }]);
    await deliver(harness, "grafana", webhook([{}], { version: "1" }));
    clock.advance(WINDOW_MS + 1);
    await deliverMade([{ startsAt: LATER }]);
    expect(await statuses()).toEqual(["queued", "queued"]);
    const ended = (await alertRows()).filter(({ status }) => status === "resolved");
    expect(ended).toMatchObject([{ source: "alertmanager", target: "checkout-1", starts_at: new Date(FIRST) }]);
  });
});
