import { describe, expect, it } from "vitest";
import { mapAtOnce } from "../../../functions/evidence-sources/source-health.ts";

describe("work on a list", () => {
  it("runs as much at once as the limit, and keeps the order", async () => {
    let running = 0;
    const counts: number[] = [];
    const results = await mapAtOnce([5, 1, 4, 2, 3, 0], 3, async (turns) => {
      counts.push(++running);
      for (let i = 0; i < turns; i++) await Promise.resolve();
      running -= 1;
      return turns * 10;
    });
    expect(results).toEqual([50, 10, 40, 20, 30, 0]);
    expect(Math.max(...counts)).toBe(3);
  });

  it("may be less than the limit, or none", async () => {
    expect(await mapAtOnce([1], 8, async (n) => n)).toEqual([1]);
    expect(await mapAtOnce([], 8, async (n) => n)).toEqual([]);
  });

  it("fails as its first failure", async () => {
    const work = mapAtOnce([1, 2, 3], 2, async (n) => {
      if (n === 2) throw new Error("two");
      return n;
    });
    await expect(work).rejects.toThrow("two");
  });
});
