import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shareFairly } from "../../../../lib/text/fit-blocks.ts";

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("shareFairly", () => {
  it("meets every demand when there is enough", () => {
    expect(shareFairly([5, 1, 3], 9)).toEqual([5, 1, 3]);
  });

  it("gives the units that a small demand leaves to the larger ones", () => {
    expect(shareFairly([100, 10, 100], 90)).toEqual([40, 10, 40]);
  });

  it("shares nothing among none, and nothing of nothing", () => {
    expect(shareFairly([], 10)).toEqual([]);
    expect(shareFairly([1, 2], 0)).toEqual([0, 0]);
    expect(shareFairly([1, 2], -3)).toEqual([0, 0]);
  });

  it("uses all units or meets all demands, and starves nobody while another has more", () => {
    const demands = fc.array(fc.nat({ max: 5_000 }), { minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(demands, fc.nat({ max: 20_000 }), (needs, total) => {
        const shares = shareFairly(needs, total);
        expect(sum(shares)).toBe(Math.min(total, sum(needs)));
        for (const [i, share] of shares.entries()) {
          expect(share).toBeLessThanOrEqual(needs[i] ?? 0);
          if (share < (needs[i] ?? 0)) expect(share).toBeGreaterThanOrEqual(Math.max(...shares) - 1);
        }
      }),
    );
  });
});
