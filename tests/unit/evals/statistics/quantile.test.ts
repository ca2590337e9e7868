import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantile } from "../../../../evals/statistics/latency.ts";

const samples = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });
const fractions = fc.double({ min: 0, max: 1, noNaN: true });

describe("quantile", () => {
  it.each([
    [0, 1],
    [0.5, 3],
    [0.9, 7.6],
    [0.99, 9.76],
    [1, 10],
  ])("at %d of 1, 2, 3, 4, 10 is %d", (fraction, expected) => {
    expect(quantile([10, 3, 1, 4, 2], fraction)).toBeCloseTo(expected, 10);
  });

  it("lies within the sample and does not decrease with the fraction", () => {
    fc.assert(
      fc.property(samples, fractions, fractions, (sample, one, other) => {
        const [low, high] = [quantile(sample, Math.min(one, other)), quantile(sample, Math.max(one, other))];
        expect(low).toBeGreaterThanOrEqual(Math.min(...sample));
        expect(high).toBeLessThanOrEqual(Math.max(...sample));
        expect(high).toBeGreaterThanOrEqual(low ?? Number.NaN);
      }),
    );
  });

  it("is null for an empty sample", () => {
    expect(quantile([], 0.5)).toBeNull();
  });
});
