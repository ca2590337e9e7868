import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retryDelayMs } from "../../../functions/search-index/outbox.ts";

describe("retryDelayMs", () => {
  it.each([
    [1, 30_000],
    [2, 60_000],
    [3, 120_000],
    [4, 240_000],
    [7, 1_920_000],
    [8, 3_600_000],
    [5_000, 3_600_000],
  ])("waits after attempt %d: %d ms", (attempts, delay) => {
    expect(retryDelayMs(attempts)).toBe(delay);
  });

  it.each([0, -1])("waits the first delay for %d attempts", (attempts) => {
    expect(retryDelayMs(attempts)).toBe(30_000);
  });

  it("never decreases with more attempts", () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_000 }), (attempts) => {
        expect(retryDelayMs(attempts + 1)).toBeGreaterThanOrEqual(retryDelayMs(attempts));
      }),
    );
  });
});
