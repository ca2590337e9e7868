// What the first screen of an incident says: the figure, the first step, the age.

import { describe, expect, it } from "vitest";
import { shortAgeOf } from "../../../../console/src/format/time.ts";
import { firstStep } from "../../../../console/src/views/incident/answer/model/first-step.ts";
import { occurrencesText, reportsByDay } from "../../../../console/src/views/incident/answer/model/occurrences.ts";
import type { Item, SectionKind } from "../../../../functions/answer-view/answer-view.ts";
import { outcomeName } from "../../../../functions/answer-view/outcome-name.ts";
import { percentOf } from "../../../../functions/answer-view/percent.ts";

const item = (lead: string, checks: readonly Item[] = []): Item => ({
  lead,
  leadTone: "strong",
  warning: null,
  quote: null,
  text: [],
  note: null,
  citations: [],
  details: [],
  command: null,
  undo: null,
  open: [],
  checks,
  ran: null,
});
const section = (kind: SectionKind, ...items: readonly Item[]) => ({ kind, title: kind, items });

describe("the strip of days", () => {
  it("ends with today and says how often the failure was reported", () => {
    const days = [
      { day: "2026-03-03", reports: 2 },
      { day: "2026-03-01", reports: 5 },
      { day: "2026-01-01", reports: 9 },
    ];
    const counts = reportsByDay(days, Date.parse("2026-03-03T23:00:00Z"));
    expect(counts).toEqual([...Array(27).fill(0), 5, 0, 2]);
    expect(occurrencesText(counts)).toBe("Reported 7 times in 30 days, on 2 days");
    expect(occurrencesText([0, 1])).toBe("Reported once in 30 days");
  });
});

describe("the first step", () => {
  it("is a check before a mitigation", () => {
    const sections = [section("mitigate", item("restart")), section("confirm", item("look"), item("count"))];
    expect(firstStep({ sections })?.lead).toBe("look");
  });

  it("is the check of the best candidate where no cause is claimed", () => {
    const sections = [section("candidates", item("disk", [item("df")])), section("look_next", item("logs"))];
    expect(firstStep({ sections })?.lead).toBe("df");
  });

  it("is missing where the answer has none", () => {
    expect(firstStep({ sections: [section("evidence", item("line 1"))] })).toBeUndefined();
  });
});

describe("the words of the list", () => {
  it("gives the age in one unit", () => {
    const now = Date.parse("2026-03-03T03:00:00Z");
    const ages = ["2026-03-03T02:59:30Z", "2026-03-03T02:25:00Z", "2026-03-02T00:00:00Z", "2026-02-19T03:00:00Z"];
    expect(ages.map((at) => shortAgeOf(at, now))).toEqual(["now", "35m", "27h", "12d"]);
  });

  it("has one name for each outcome", () => {
    const names = ["cause", "possible", "unknown", "benign"].map(outcomeName);
    expect(names).toEqual(["Known failure", "Possible", "Unknown", "No incident"]);
    expect([0, 0.004, 0.125, 0.996, 1].map(percentOf)).toEqual(["0 %", "1 %", "13 %", "99 %", "100 %"]);
  });
});
