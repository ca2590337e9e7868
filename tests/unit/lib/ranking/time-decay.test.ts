import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { timeDecay } from "../../../../lib/ranking/time-decay.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const DAY_MS = 86_400_000;

function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * DAY_MS);
}

describe("timeDecay", () => {
  it.each([
    [0, 365, 1],
    [365, 365, 0.5],
    [730, 365, 0.25],
    [1_095, 365, 0.125],
    [182.5, 365, Math.SQRT1_2],
    [1, 1, 0.5],
    [90, 30, 0.125],
  ])("of %d days with a half-life of %d days is %d", (age, halfLife, weight) => {
    expect(timeDecay(daysAgo(age), NOW, halfLife)).toBeCloseTo(weight, 12);
  });

  it("counts parts of a day", () => {
    expect(timeDecay(daysAgo(0.5), NOW, 1)).toBeCloseTo(Math.SQRT1_2, 12);
  });

  it("is 1 for a time in the future", () => {
    expect(timeDecay(daysAgo(-1_000), NOW, 365)).toBe(1);
  });

  it("stays above 0 and at most 1, and decreases with age", () => {
    const days = fc.double({ min: 0, max: 36_500, noNaN: true });
    fc.assert(
      fc.property(days, days, fc.integer({ min: 100, max: 10_000 }), (a, b, halfLife) => {
        const younger = timeDecay(daysAgo(Math.min(a, b)), NOW, halfLife);
        const older = timeDecay(daysAgo(Math.max(a, b)), NOW, halfLife);
        expect(older).toBeGreaterThan(0);
        expect(younger).toBeLessThanOrEqual(1);
        expect(older).toBeLessThanOrEqual(younger);
      }),
    );
  });

  it("multiplies over consecutive periods", () => {
    const days = fc.integer({ min: 0, max: 3_650 });
    fc.assert(
      fc.property(days, days, (a, b) => {
        const product = timeDecay(daysAgo(a), NOW, 365) * timeDecay(daysAgo(b), NOW, 365);
        expect(timeDecay(daysAgo(a + b), NOW, 365)).toBeCloseTo(product, 12);
      }),
    );
  });
});
