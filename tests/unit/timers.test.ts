import { describe, expect, it } from "vitest";
import { pause, repeat, startRealTimer, within } from "../../functions/timers.ts";
import { createTestTimers } from "../support/test-timers.ts";

describe("a real timer", () => {
  it("calls its action once", async () => {
    let calls = 0;
    await new Promise<void>((resolve) => {
      startRealTimer("database", 1, () => {
        calls += 1;
        resolve();
      });
    });
    await pause(startRealTimer, "retry_pause", 1);
    expect(calls).toBe(1);
  });

  it("does not call it after it was stopped", async () => {
    let calls = 0;
    const stop = startRealTimer("database", 1, () => {
      calls += 1;
    });
    stop();
    await pause(startRealTimer, "retry_pause", 2);
    expect(calls).toBe(0);
  });
});

describe("repeat", () => {
  it("calls the action at the end of each interval until it is stopped", async () => {
    const { startTimer, expire, running } = createTestTimers();
    let calls = 0;
    const stop = repeat(startTimer, "heartbeat", 10, () => {
      calls += 1;
    });
    await expire("heartbeat");
    await expire("heartbeat");
    expect(calls).toBe(2);
    stop();
    expect(running()).toEqual([]);
  });
});

describe("within", () => {
  const { startTimer, expire, running } = createTestTimers();
  const deadline = { startTimer, name: "memory_write", ms: 10 } as const;

  it("returns the result of work that ends in time, and stops the timer", async () => {
    expect(await within(deadline, Promise.resolve("done"), () => "late")).toBe("done");
    await expect(within(deadline, Promise.reject(new Error("no")), () => "late")).rejects.toThrow("no");
    expect(running()).toEqual([]);
  });

  it("returns or throws what `late` does when the time is up, and ignores a later failure of the work", async () => {
    const { promise: work, reject } = Promise.withResolvers<string>();
    const both = Promise.allSettled([
      within(deadline, work, () => "late"),
      within(deadline, work, () => {
        throw new Error("too late");
      }),
    ]);
    await expire("memory_write");
    expect(await both).toMatchObject([{ value: "late" }, { reason: { message: "too late" } }]);
    reject(new Error("nobody waits"));
  });
});
