import { describe, expect, it } from "vitest";
import { createRateLimiter } from "../../../functions/adapters/rate-limiter.ts";
import { createTestTimers } from "../../support/test-timers.ts";

function limiter(binding: unknown) {
  const failures: string[] = [];
  const { startTimer, expire } = createTestTimers();
  return { failures, expire, limit: createRateLimiter(binding, startTimer, () => failures.push("failed")) };
}

describe("a rate limit", () => {
  it("counts by key and says what the binding says", async () => {
    const keys: string[] = [];
    const { limit, failures } = limiter({
      limit: async ({ key }: { key: string }) => {
        keys.push(key);
        return { success: keys.length < 2 };
      },
    });
    expect([await limit("a"), await limit("b")]).toEqual([true, false]);
    expect(keys).toEqual(["a", "b"]);
    expect(failures).toEqual([]);
  });

  it.each([undefined, null, "1200", {}, { limit: 1_200 }])(
    "does not exist where the binding is %j",
    async (binding) => {
      expect(await limiter(binding).limit("a")).toBe(true);
    },
  );

  it.each([
    ["throws", () => Promise.reject(new Error("no"))],
    [
      "throws at once",
      () => {
        throw new Error("no");
      },
    ],
    ["answers nothing", async () => undefined],
  ])("lets through and says so where the binding %s", async (_, limit) => {
    const { limit: ask, failures } = limiter({ limit });
    expect(await ask("a")).toBe(true);
    expect(failures).toEqual(["failed"]);
  });

  it("lets through and says so where the binding hangs", async () => {
    const { limit, expire, failures } = limiter({ limit: () => new Promise(() => {}) });
    const answer = limit("a");
    await expire("rate_limit");
    expect(await answer).toBe(true);
    expect(failures).toEqual(["failed"]);
  });
});
