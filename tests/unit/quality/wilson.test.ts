import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wilsonInterval } from "../../../functions/quality/wilson.ts";

describe("wilsonInterval", () => {
  // R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])("of %i in %i equals the published interval", (hits, count, low, high) => {
    const interval = wilsonInterval(hits / count, count);
    expect(interval.low).toBeCloseTo(low, 4);
    expect(interval.high).toBeCloseTo(high, 4);
  });

  it("lies between 0 and 1, contains the share, and narrows with more observations", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 1_000 }), (share, count) => {
        const { low, high } = wilsonInterval(share, count);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(low).toBeLessThanOrEqual(share);
        expect(high).toBeGreaterThanOrEqual(share);
        const wider = wilsonInterval(share, count * 2);
        expect(wider.high - wider.low).toBeLessThan(high - low);
      }),
    );
  });

  it("is 0 to 1 without observations", () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});
