import { describe, expect, it } from "vitest";
import { entryText, timelineOf } from "../../../functions/answer-view/timeline-text.ts";

const event = (
  minute: number,
  kind: string,
  detail: Record<string, string | number | boolean | string[] | null> = {},
) => ({
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
      event(6, "corrected", { by: "kim", part: "runbook", right: "shop/ledger.md" }),
      event(7, "corrected", { by: "kim", part: "step", was: "Restart it.", right: "Drain it first." }),
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
      "kim corrected the runbook: shop/ledger.md",
      'kim corrected a step: not "Restart it.", but "Drain it first."',
    ]);
  });

  it("joins equal events in a row", () => {
    const repeats = [event(1, "alert_repeated"), event(2, "alert_repeated")];
    expect(timelineOf({ events: repeats, steps: [] })).toMatchObject([{ at: "2026-03-01T03:02:00Z", times: 2 }]);
  });

  const by = "dana";
  it.each<[string, Record<string, string | number | boolean | string[] | null>, string]>([
    ["alert_repeated", { targets: ["cart", "ledger"] }, "An alert was reported again: cart, ledger"],
    ["alert_resolved", { targets: [] }, "An alert ended"],
    ["triaged", { outcome: "cause", confidence: 0.863 }, "Answered: Known failure, 86 %"],
    ["triaged", { outcome: "possible", confidence: 0.4 }, "Answered: Possible, 40 %"],
    ["triaged", { outcome: "unknown", confidence: 0.1 }, "Answered: Unknown"],
    ["triaged", { outcome: null, confidence: null }, "Answered: no outcome"],
    ["attempt_failed", { reason: "lease_expired" }, "An investigation failed (lease expired), and is repeated"],
    ["failed", {}, "The investigation failed"],
    ["tried", { by: null, action: "Restarted it", helped: true }, "Somebody tried an action that helped: Restarted it"],
    ["resolved", { rule: "no incident" }, "Closed: it is no incident"],
    ["resolved", { resolution: null }, "Resolved: all its alerts have ended"],
    ["resolved", { resolution: "Rolled\nback", resolved_by: null }, "Resolved by somebody: Rolled back"],
    ["reopened", { by, reason: "It is back" }, "Reopened by dana: It is back"],
    ["reopened", {}, "Reopened by somebody"],
    ["domain_corrected", { by, was: "general", domain: "redis" }, "dana corrected the domain from general to redis"],
    ["domain_corrected", { by }, "dana corrected the domain from another to this"],
    ["notification_failed", { target: "ops" }, "The notification target ops did not take the message for a day"],
    ["acknowledgement_withdrawn", { by }, "dana withdrew the acknowledgement"],
    ["owner_changed", { owner: "kim" }, "kim has it"],
    ["owner_changed", { owner: null }, "It has no owner any more"],
    ["edited", { by, severity: "high", severity_was: "low" }, "dana edited the severity from low to high"],
    [
      "muted",
      { by, until: "2026-03-02T04:05:00Z", reason: "Upgrade" },
      "dana muted it until 2026-03-02 04:05 UTC: Upgrade",
    ],
    ["mute_ended", { by }, "dana ended its mute"],
    ["merged", { by, title: "Cart down" }, "dana merged another incident into it: Cart down"],
    ["merged_into", { by, title: "Cart down" }, "dana merged it into another incident: Cart down"],
    ["split", { by, targets: ["cart"] }, "dana split off an incident of its own: cart"],
    ["split_from", { by, title: "Cart down" }, "dana split it off from another incident: Cart down"],
    ["fix_checked", { held: true }, "The fix has held until now"],
    ["of_a_later_version", {}, "of a later version"],
  ])("says %s %j", (kind, detail, words) => {
    expect(timelineOf({ events: [event(0, kind, detail)], steps: [] }).map(entryText)).toEqual([words]);
  });

  it("says how often something was repeated, and names nobody for the step of a token without a name", () => {
    const events = [event(1, "alert_repeated"), event(2, "alert_repeated")];
    const steps = [{ done: true, at: "2026-03-01T03:03:00Z", by: null, text: "Restart" }];
    expect(timelineOf({ events, steps }).map(entryText)).toEqual([
      "An alert was reported again (2 times)",
      "Somebody did a step: Restart",
    ]);
  });
});
