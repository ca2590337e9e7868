import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantile } from "../../../evals/statistics/quantile.ts";

const samples = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });
const parts = fc.double({ min: 0, max: 1, noNaN: true });

describe("a quantile", () => {
  it.each([
    [0, 1],
    [0.5, 3],
    [0.9, 7.6],
    [0.99, 9.76],
    [1, 10],
  ])("%d of 1, 2, 3, 4, 10 is %d", (part, expected) => {
    expect(quantile([10, 3, 1, 4, 2], part)).toBeCloseTo(expected, 10);
  });

  it("lies within the sample and never falls as its part rises", () => {
    fc.assert(
      fc.property(samples, parts, parts, (sample, one, other) => {
        const [low, high] = [quantile(sample, Math.min(one, other)), quantile(sample, Math.max(one, other))];
        expect(low).toBeGreaterThanOrEqual(Math.min(...sample));
        expect(high).toBeLessThanOrEqual(Math.max(...sample));
        expect(high).toBeGreaterThanOrEqual(low ?? Number.NaN);
      }),
    );
  });

  it("of nothing is none", () => {
    expect(quantile([], 0.5)).toBeNull();
  });
});
