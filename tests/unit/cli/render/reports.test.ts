import { describe, expect, it } from "vitest";
import { spanIn, spanMs } from "../../../../cli/input/span.ts";
import { renderHandover, renderStats } from "../../../../cli/views/render-reports.ts";
import type { Handover, HandoverIncident } from "../../../../functions/schemas/reports.ts";

const OPTIONS = { width: 100, color: false };
const incident: HandoverIncident = {
  id: "3f2a8c1e-5b7d-4e9f-8a6c-2d1b0e9f8c7a",
  title: "pods restart",
  severity: "high",
  status: "triaged",
  domain: "shop",
  target: "checkout",
  started_at: "2026-03-01T03:00:00+00:00",
  ended_at: null,
  alerts: { total: 3, firing: 2 },
  outcome: "possible",
  failure_id: "f",
  owner: "kim",
  acknowledged_by: "dana",
  resolution: null,
  resolved_by: null,
  came_back_at: null,
  same: { incidents: 1, since: "2026-03-01T03:00:00+00:00", firing: 2, longest_minutes: null },
};
const NOTHING: Handover = {
  since: "2026-02-28T18:00:00.000Z",
  until: "2026-03-01T06:00:00.000Z",
  firing: { total: 0, incidents: [] },
  open: { total: 0, older: 0, incidents: [] },
  resolved: { total: 0, with_fix: 0, incidents: [] },
  came_back: { total: 0, failures: [] },
  without_runbook: { total: 0, gaps: [] },
  mutes: [],
};

describe("dejavu handover", () => {
  it("says what the next shift must know, and how many entries it does not list", () => {
    const ended = {
      ...incident,
      status: "resolved" as const,
      ended_at: "2026-03-01T03:40:00+00:00",
      same: { ...incident.same, longest_minutes: 40 },
    };
    const handover: Handover = {
      ...NOTHING,
      firing: { total: 60, incidents: [incident] },
      open: { total: 0, older: 2, incidents: [] },
      resolved: {
        total: 4,
        with_fix: 1,
        incidents: [
          { ...ended, resolution: "Rolled back\n\u001b[31mto 4.1", resolved_by: "dana" },
          { ...ended, target: null, same: { ...ended.same, incidents: 2, longest_minutes: 120 } },
          { ...ended, failure_id: "g" },
        ],
      },
      came_back: {
        total: 1,
        failures: [
          {
            record_id: "r",
            title: "disk full",
            domain: "shop",
            targets: ["ledger"],
            fix: "Grew the volume",
            fixed_by: "kim",
            fixed_at: "2026-02-27T04:00:00Z",
            came_back_at: "2026-03-01T04:00:00Z",
          },
        ],
      },
      without_runbook: {
        total: 1,
        gaps: [
          { id: "g", name: "Stalled", domain: "shop", alertname: "Stalled", title: "t", unanswered: 2, has_fix: false },
        ],
      },
      mutes: [
        {
          id: "m",
          incident_id: null,
          domain: "shop",
          matchers: ['team="db"'],
          reason: "planned migration",
          owner: "dana",
          ends_at: "2026-03-01T18:00:00Z",
          muted: 12,
          failures: ["orders-db restarts"],
          more_failures: 1,
        },
      ],
    };
    expect(renderHandover(handover, OPTIONS)).toMatchInlineSnapshot(`
      "Handover, 2026-02-28 18:00 to 2026-03-01 06:00 UTC, without repeats, questions and samples

      Firing: 60
        - high, checkout: pods restart: since 2026-03-01 03:00 UTC (3 h); 2 alerts fire; Possible;
          Acknowledged by dana, owner: kim (3f2a8c1e)
        - and 59 more

      Open without a firing alert: 0, and 2 from before

      Came back after a fix: 1
        - disk full on ledger: came back 2026-03-01 04:00 UTC, 2 days after the fix by kim: Grew the
          volume

      Resolved: 4, 1 with a fix
        - high, checkout: pods restart: fixed by dana after 40 min: Rolled back to 4.1 (3f2a8c1e)
        - high: pods restart and 1 more of this failure: ended by itself after up to 2 h (3f2a8c1e)
        - high, checkout: pods restart: ended by itself after 40 min (3f2a8c1e)

      Without a runbook: 1
        - Stalled (shop): 2 incidents, no fix is recorded

      Muted: 1
        - domain shop, team="db" (orders-db restarts; 1 more) until 2026-03-01 18:00 UTC: planned
          migration (dana; 12 incidents)"
    `);
    expect(renderHandover(NOTHING, OPTIONS)).toContain("Nothing fires");
  });
});

describe("dejavu stats", () => {
  it("shows the figures, and the failures that cost most time", () => {
    const stats = {
      since: "2026-01-31T00:00:00.000Z",
      incidents: 14,
      resolved: 12,
      with_fix: 5,
      time_to_resolve: { mean_minutes: 52.5, median_minutes: 40 },
      time_to_fix: null,
      failures: 6,
      repeated: 2,
      minutes_lost: 630,
      top: [
        {
          incident_id: incident.id,
          title: "pods restart",
          domain: "shop",
          severity: "high" as const,
          target: null,
          incidents: 4,
          minutes_lost: 210,
          last_at: incident.started_at,
          fix: "Rolled back",
        },
      ],
    };
    expect(renderStats(stats, OPTIONS)).toMatchInlineSnapshot(`
      "Incidents since 2026-01-31 UTC: 14
        resolved                    12, 5 with a recorded fix
        time to resolve             mean 53 min, median 40 min
        time to resolve with a fix  -
        failures                    6, 2 of them (33 %) more than once
        time lost                   11 h

      Most time lost
      newest    time lost  times  target  title         fixed by
      3f2a8c1e  4 h        4      -       pods restart  Rolled back"
    `);
    expect(renderStats({ ...stats, incidents: 0, failures: 0 }, OPTIONS)).toBe("Incidents since 2026-01-31 UTC: 0");
  });
});

describe("--since", () => {
  it("takes whole units, and says what it takes instead of others", () => {
    expect([
      spanIn("h", "--since", "2d", "8h"),
      spanIn("d", "--since", "48h", "7d"),
      spanMs("--for", "90m", "4h"),
    ]).toEqual([48, 2, 5_400_000]);
    for (const text of ["90m", "0h", "12", "1w", "-1h", ""])
      expect(() => spanIn("h", "--since", text, "8h or 2d"), text).toThrow(/--since must be .* such as 8h or 2d/);
  });
});
