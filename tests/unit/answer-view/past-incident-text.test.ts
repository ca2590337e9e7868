import { describe, expect, it } from "vitest";
import {
  likenessLines,
  otherServiceIn,
  pastIncidentText,
  type ShownTo,
  textParts,
  withStruck,
} from "../../../functions/answer-view/past-incident-text.ts";
import type { PastIncident } from "../../../functions/schemas/answer.ts";
import { samplePastFix, sampleShownFix } from "../investigation/samples.ts";

const RECURRENCE = {
  count: 1,
  first_at: "2025-12-24T10:00:00Z",
  last_at: "2026-01-15T10:00:00Z",
  targets: ["checkout"],
  more_targets: 0,
};
const pastOf = (changes: Partial<PastIncident> = {}): PastIncident =>
  samplePastFix({ recurrence: RECURRENCE, fix: sampleShownFix(), ...changes });
const textOf = (changes: Partial<PastIncident> = {}, report: ShownTo | null = null) =>
  pastIncidentText(pastOf(changes), { title: "It was killed", report });

describe("a fix", () => {
  it.each([
    ["`docker update --memory 1g cart`", "api-gateway", "cart"],
    ["Restarted cart, then api-gateway.", "api-gateway", null],
    ["Emptied cart-cache.", "api-gateway", null],
    ["Raised the limit of cart.", "cart", null],
    ["Raised the limit of cart", null, null],
  ])("%s for %s names the other service %s", (text, target, other) => {
    const past = pastOf({ recurrence: { ...RECURRENCE, targets: ["cart"] }, fix: sampleShownFix({ text }) });
    expect(otherServiceIn(past, target)).toBe(other);
  });
});

describe("the line on a past incident", () => {
  it("has the day, the title, the service, the fix with author and day, and the probability in percent", () => {
    expect(textOf({ probability: 0.869 })).toBe(
      '2026-01-15 "It was killed" on checkout. Fixed by: More memory. (dana, 2026-01-16). 87 % likely the same failure.',
    );
  });

  it.each([
    [1, ["checkout"], 0, '2026-01-15 "It was killed" on checkout.'],
    [4, ["checkout"], 0, "4 times since 2025-12-24 on checkout."],
    [4, ["a", "b"], 0, "4 times since 2025-12-24 on a and b."],
    [4, ["a", "b", "c"], 0, "4 times since 2025-12-24 on a, b and c."],
    [4, ["a", "b", "c", "d"], 0, "4 times since 2025-12-24 on a, b and 2 more."],
    [9, ["a", "b", "c", "d", "e"], 3, "9 times since 2025-12-24 on a, b and 6 more."],
    [2, [], 0, '2026-01-15 "It was killed", 2 times since 2025-12-24. Fixed'],
  ])("rolls up %d reports on %j and %d more", (count, targets, more_targets, text) => {
    expect(textOf({ recurrence: { ...RECURRENCE, count, targets, more_targets } })).toContain(text);
  });

  it("says how often the fix worked, and under which conditions", () => {
    const fix = sampleShownFix({ by: null, tried: 4, worked: 3, conditions: "before\n4.2" });
    expect(textOf({ fix })).toContain(
      "Fixed by: More memory. (2026-01-16; worked 3 of 4 times; conditions: before 4.2).",
    );
  });

  it.each([
    ["2026-01-19T11:00:00Z", "It came back 3 days later."],
    ["2026-01-17T10:00:00Z", "It came back 1 day later."],
    ["2026-01-16T12:30:00Z", "It came back 2 hours later."],
    ["2026-01-16T10:05:00Z", "It came back less than an hour later."],
  ])("says that the failure came back at %s", (came_back_at, text) => {
    expect(textOf({ fix: sampleShownFix({ came_back_at }) })).toContain(text);
  });

  const at = new Date("2026-01-28T11:00:00Z");

  it.each<[string, ShownTo | null, Partial<PastIncident>, string | null]>([
    ["the same service", { target: "checkout", at, isSame: false }, {}, "It has held for 12 days."],
    ["the same failure again", { target: "checkout", at, isSame: true }, {}, "It held for 12 days, until this report."],
    ["another service", { target: "ledger", at, isSame: false }, {}, null],
    ["no service", { target: null, at, isSame: false }, {}, null],
    ["no report", null, {}, null],
    [
      "one of several services",
      { target: "checkout", at, isSame: false },
      { recurrence: { ...RECURRENCE, count: 2, targets: ["checkout", "ledger"] } },
      null,
    ],
    [
      "each report of several services, minutes ago",
      { target: "ledger", at: new Date("2026-01-16T10:07:00Z"), isSame: true },
      {
        fix: sampleShownFix({ tried: 2, worked: 2 }),
        recurrence: { ...RECURRENCE, count: 2, targets: ["checkout", "ledger"] },
      },
      "It held for less than an hour, until this report.",
    ],
    ["a fix that never worked", { target: "checkout", at, isSame: false }, { fix: null }, null],
  ])("for %s claims only what is on record", (_case, report, changes, text) => {
    const [claim = null] = /It (?:has )?held [^.]*\./.exec(textOf(changes, report)) ?? [];
    expect(claim).toBe(text);
  });

  it("lists what did not help, and replaced fixes with the reason", () => {
    const retired = [{ text: "A restart", reason: "a newer fix", at: "2026-01-16T10:00:00Z" }];
    const did_not_help = [
      { text: "restarting", times: 2 },
      { text: "a larger disk", times: 1 },
      { text: "waiting", times: 3 },
    ];
    expect(textOf({ fix: null, retired, did_not_help })).toContain(
      "No fix recorded. Did not help: restarting (twice), a larger disk, waiting (3 times). Replaced: A restart (a newer fix).",
    );
  });

  it("is one line for texts of several lines", () => {
    expect(textOf({ fix: sampleShownFix({ text: "First.\n\n  Then." }) })).toContain("Fixed by: First. Then. (dana");
  });
});

describe("the parts of the line", () => {
  const retired = [
    { text: "A restart", reason: "a newer fix", at: "2026-01-16T10:00:00Z" },
    { text: "A reboot", reason: "a newer fix", at: "2026-01-16T10:00:00Z" },
  ];
  const past = pastOf({ retired });
  const text = pastIncidentText(past, { title: "A restart" });

  it("are the whole line, with the fix and the former fixes marked", () => {
    const parts = textParts({ ...past, text });
    expect(parts.map((part) => part.text).join("")).toBe(text);
    expect(parts.filter(({ role }) => role !== "plain")).toEqual([
      { text: "More memory.", role: "fix" },
      { text: "A restart", role: "retired" },
      { text: "A reboot", role: "retired" },
    ]);
  });

  it("are one part if the line does not contain the fixes", () => {
    expect(textParts({ ...past, text: "Other words." })).toEqual([{ text: "Other words.", role: "plain" }]);
  });

  it("let a rendering strike former fixes through", () => {
    expect(withStruck(textParts({ ...past, text }), (former) => `~~${former}~~`)).toContain(
      'A restart" on checkout. Fixed by: More memory. (dana, 2026-01-16). Replaced: ~~A restart~~ (a newer fix).',
    );
  });
});

describe("likeness in words", () => {
  it("has a line for what is alike and one for what differs, each if there is something", () => {
    expect(likenessLines({ alike: ["exit 137", "the alert A"], differs: ["exit code 1,\nthen 2"] })).toEqual([
      "Alike: exit 137; the alert A.",
      "Differs: exit code 1, then 2.",
    ]);
    expect(likenessLines({ alike: [], differs: [] })).toEqual([]);
  });
});
