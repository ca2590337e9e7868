import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difference, displayable, duration, moment, moments, share } from "../../../../evals/report/shared/format.ts";

describe("formats of the report", () => {
  it("never round a share up to 1 or down to 0", () => {
    expect([share(1), share(0.9999), share(0.0001), share(0)]).toEqual(["1.000", "0.999", "0.001", "0.000"]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 2, max: 4 }), (value, decimals) => {
        expect(Number(share(value, decimals)) === 1).toBe(value === 1);
        expect(Number(share(value, decimals)) === 0).toBe(value === 0);
        expect(Math.abs(Number(share(value, decimals)) - value)).toBeLessThanOrEqual(10 ** -decimals);
      }),
    );
  });

  it("give a difference its sign", () => {
    expect([difference(0.0321), difference(-0.0321), difference(0.0001)]).toEqual(["+0.032", "−0.032", "±0.000"]);
  });

  it("give times in a fitting unit", () => {
    expect([0, 412.4, 999.4, 999.6, 9_940, 9_960, 119_000, 125_000].map(duration)).toEqual([
      "0 ms",
      "412 ms",
      "999 ms",
      "1.0 s",
      "9.9 s",
      "10 s",
      "119 s",
      "2 min",
    ]);
  });

  it("name the time zone", () => {
    expect(moment("2026-11-22T00:05:00Z")).toBe("22 Nov 2026, 00:05 UTC");
  });

  it("label moments of several days by day, and moments of one day by time", () => {
    expect(moments(["2026-11-21T23:05:00Z", "2026-11-22T00:05:00Z"])).toEqual(["21 Nov", "22 Nov"]);
    expect(moments(["2026-11-22T00:05:00Z", "2026-11-22T13:45:00Z"])).toEqual(["00:05", "13:45"]);
  });

  it("replace control characters and bidirectional controls", () => {
    expect(displayable("a\u202eb\u2066c\u0000d\ne עברית")).toBe("a\ufffdb\ufffdc\ufffdd\ne עברית");
  });
});
