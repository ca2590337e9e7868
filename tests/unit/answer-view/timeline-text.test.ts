import { describe, expect, it } from "vitest";
import { timelineOf } from "../../../functions/answer-view/timeline-text.ts";

const event = (minute: number, kind: string, detail: Record<string, string | boolean | string[]> = {}) => ({
  at: `2026-03-01T03:0${minute}:00Z`,
  kind,
  detail,
});

describe("the timeline of an incident", () => {
  it("says in words what happened, with the steps that people did, in order of time", () => {
    const events = [
      event(0, "reported"),
      event(0, "acknowledged", { by: "dana" }),
      event(0, "acknowledged", { by: "kim", was: "dana" }),
      event(0, "edited", { by: "dana", title: "Ledger down", severity: "high", severity_was: "low" }),
      event(0, "commented", { by: "dana", text: "On it" }),
      event(1, "alert_grouped", { targets: ["ledger"] }),
      event(2, "tried", { by: "dana", action: "Restarted it", helped: false }),
      event(4, "resolved", { resolved_by: "dana", resolution: "Rolled back" }),
      event(5, "fix_checked", { held: false, fix: "Rolled back" }),
    ];
    const steps = [
      { done: true, at: "2026-03-01T03:03:00Z", by: "kim", text: "Look at the log" },
      { done: false, at: null, by: null, text: "Restart" },
    ];
    expect(
      timelineOf({ events, steps }).map(({ text, quote }) => (quote === null ? text : `${text}: ${quote}`)),
    ).toEqual([
      "Reported",
      "dana acknowledged it",
      "kim took it over from dana",
      "dana edited the title, and the severity from low to high: Ledger down",
      "dana commented: On it",
      "Another alert was grouped into it: ledger",
      "dana tried an action that did not help: Restarted it",
      "kim did a step: Look at the log",
      "Resolved by dana: Rolled back",
      "The fix did not hold: the failure came back: Rolled back",
    ]);
  });

  it("joins equal events in a row", () => {
    const repeats = [event(1, "alert_repeated"), event(2, "alert_repeated")];
    expect(timelineOf({ events: repeats, steps: [] })).toMatchObject([{ at: "2026-03-01T03:02:00Z", times: 2 }]);
  });
});
