import { describe, expect, it } from "vitest";
import { fixEntry, recordedText, storedFixSchema, tryColumns, unitedFixes } from "../../../functions/memory/fixes.ts";
import { sampleFix } from "./samples.ts";

describe("the recorded text of an action", () => {
  const fixes = [sampleFix({ text: "Raised the limit." }), sampleFix({ id: "fix-2", text: "Restarted it" })];
  const textOf = (text: string, fixId: string | null = null) => recordedText(fixes, { text, fixId });

  it.each([
    ["Raised the limit.", "Raised the limit."],
    [" raised the LIMIT \n", "Raised the limit."],
    ["Restarted it .", "Restarted it"],
    ["Restarted it..", "Restarted it.."],
    ["Raised the limits.", "Raised the limits."],
  ])("of %j is %j", (text, recorded) => {
    expect(textOf(text)).toBe(recorded);
  });

  it("is that of the fix with the id, whatever the words", () => {
    expect(textOf("The same as last time.", "fix-2")).toBe("Restarted it");
    expect(textOf("Raised the limit", "fix-9")).toBe("Raised the limit.");
  });
});

describe("a fix", () => {
  it("is the same after it was shown and read", () => {
    const fix = sampleFix({
      conditions: "4.1",
      retired: { at: new Date("2026-02-01T00:00:00Z"), reason: "corrected" },
      cameBackAt: new Date("2026-01-20T00:00:00Z"),
    });
    const never = sampleFix({ worked: 0, lastWorkedAt: null, lastWorkedBy: null });
    for (const each of [fix, never]) expect(storedFixSchema.parse(fixEntry(each))).toEqual(each);
  });
});

it("a fix of several records is one, with the proof over all", () => {
  const own = sampleFix({ text: "Raised the limit.", tried: 1, worked: 1, lastWorkedAt: new Date("2026-01-01") });
  const other = sampleFix({
    id: "b",
    text: "raised the limit",
    tried: 2,
    worked: 1,
    lastWorkedAt: new Date("2026-02-01"),
    lastWorkedBy: "kim",
  });
  const [united, ...rest] = unitedFixes([own, other, sampleFix({ id: "c", text: "Restarted it" })]);
  expect(united).toMatchObject({ id: own.id, text: own.text, tried: 3, worked: 2, lastWorkedBy: "kim" });
  expect(rest.map(({ id }) => id)).toEqual(["c"]);
});

describe("a try", () => {
  it("names a recorded fix only if one was applied", () => {
    const author = { caller: "token-1", isAdmin: false };
    const attempt = { id: "fix-3", text: "Restarted it.", by: null, conditions: null, fixId: null, author };
    const columns = {
      id: "fix-3",
      text: "Restarted it.",
      by: null,
      conditions: null,
      caller: "token-1",
      is_admin: false,
    };
    expect(tryColumns(attempt)).toEqual(columns);
    expect(tryColumns({ ...attempt, fixId: "fix-1" })).toEqual({ ...columns, fix_id: "fix-1" });
  });
});
