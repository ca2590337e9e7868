import { describe, expect, it } from "vitest";
import { dateOrderOf, isAmbiguousDate, readTime } from "../../../../cli/import/read-time.ts";

describe("readTime", () => {
  it.each([
    ["2025-03-01T02:58:00Z", "2025-03-01T02:58:00.000Z"],
    ["2025-03-01T02:58:00.169+01:00", "2025-03-01T01:58:00.169Z"],
    ["2025-03-01T02:58:00.000-0500", "2025-03-01T07:58:00.000Z"],
    ["2025-03-01 02:58 UTC", "2025-03-01T02:58:00.000Z"],
    ["2025-03-01", "2025-03-01T00:00:00.000Z"],
    ["2025/3/1 2:58", "2025-03-01T02:58:00.000Z"],
    ["1740797880000", "2025-03-01T02:58:00.000Z"],
    ["1740797880", "2025-03-01T02:58:00.000Z"],
    ["11/May/24 3:26 PM", "2024-05-11T15:26:00.000Z"],
    ["11/May/24 12:05 AM", "2024-05-11T00:05:00.000Z"],
    ["11/Mai/24 03:26", "2024-05-11T03:26:00.000Z"],
    ["11. März 2024, 15:26", "2024-03-11T15:26:00.000Z"],
    ["3 févr. 2024 15:26", "2024-02-03T15:26:00.000Z"],
    ["11 de mayo de 2024", "2024-05-11T00:00:00.000Z"],
    ["May 11, 2024 3:26 PM", "2024-05-11T15:26:00.000Z"],
    ["11.02.2025 09:00", "2025-02-11T09:00:00.000Z"],
    ["6/21/2025 16:14", "2025-06-21T16:14:00.000Z"],
    ["21/6/2025 16:14", "2025-06-21T16:14:00.000Z"],
  ])("reads %s", (text, time) => {
    expect(readTime(text, null)?.toISOString()).toBe(time);
  });

  it.each(["", "yesterday", "2025-02-30", "31/31/2025", "2025-03-01 25:00", "11/Foo/24", "12345"])(
    "refuses %j",
    (text) => {
      expect(readTime(text, null)).toBeNull();
    },
  );

  it("needs the order of a date that may begin with either", () => {
    expect(isAmbiguousDate("03/04/2025 08:00")).toBe(true);
    expect(readTime("03/04/2025 08:00", null)).toBeNull();
    expect(readTime("03/04/2025 08:00", "dmy")?.toISOString()).toBe("2025-04-03T08:00:00.000Z");
    expect(readTime("03/04/2025 08:00", "mdy")?.toISOString()).toBe("2025-03-04T08:00:00.000Z");
    expect(dateOrderOf(["03/04/2025", "03/14/2025"])).toBe("mdy");
    expect(dateOrderOf(["03/04/2025", "14/03/2025"])).toBe("dmy");
    expect(dateOrderOf(["03/04/2025", "14.03.2025"])).toBeNull();
  });
});
