import { describe, expect, onTestFinished, test } from "vitest";
import { createRestarter } from "../../../dev/stack/restart-services.ts";
import type { ServiceName } from "../../../dev/stack/services/service.ts";
import { type Health, watchHealth } from "../../../dev/stack/services/watch-health.ts";
import type { ProgressEvent } from "../../../dev/stack/stack.ts";

describe("a service that runs and does not serve", () => {
  function watchOf(...healths: (Health | undefined)[]) {
    const down: ServiceName[] = [];
    const left = [...healths];
    const service = { name: "worker" as const, checkHealth: () => Promise.resolve(left.shift() ?? "healthy") };
    const watch = watchHealth([service], (name) => down.push(name));
    onTestFinished(() => watch.stop());
    return {
      down,
      check: async (times: number) => {
        for (let n = 0; n < times; n++) await watch.check();
      },
    };
  }

  test("counts as down after three refused checks", async () => {
    const { down, check } = watchOf("refused", "refused", "refused");
    await check(2);
    expect(down).toEqual([]);
    await check(1);
    expect(down).toEqual(["worker"]);
  });

  test("counts as down after six checks without an answer, since it may only be busy", async () => {
    const { down, check } = watchOf(...Array<Health>(6).fill("slow"));
    await check(5);
    expect(down).toEqual([]);
    await check(1);
    expect(down).toEqual(["worker"]);
  });

  test("does not count as down when it answers in between", async () => {
    const { down, check } = watchOf("refused", "refused", "healthy", "refused", "refused");
    await check(6);
    expect(down).toEqual([]);
  });
});

describe("a service that exits again and again", () => {
  /** Restarts without pauses. */
  function restarterOf(start: () => Promise<void>) {
    const events: ProgressEvent[] = [];
    const restarter = createRestarter({
      service: () => ({ start }),
      report: (event) => events.push(event),
      logPathOf: (name) => `/logs/${name}.log`,
      firstPauseMs: 0,
    });
    return { restarter, events };
  }

  test("is given up after 8 restarts, with the path of its log", async () => {
    let starts = 0;
    const { restarter, events } = restarterOf(() => {
      starts += 1;
      return Promise.reject(new Error("The port is taken."));
    });
    restarter.exited("chroma");
    await expect
      .poll(() => events.at(-1))
      .toEqual({ type: "given-up", service: "chroma", logPath: "/logs/chroma.log" });
    expect(starts).toBe(8);
    await restarter.close();
  });

  test("is given up also when each start succeeds", async () => {
    const { restarter, events } = restarterOf(async () => restarter.exited("chroma"));
    restarter.exited("chroma");
    await expect.poll(() => events.at(-1)?.type).toBe("given-up");
    expect(events.filter(({ type }) => type === "restarted")).toHaveLength(8);
    await restarter.close();
  });

  test("is not started any more after the restarter was closed", async () => {
    const { restarter, events } = restarterOf(async () => {});
    await restarter.close();
    restarter.exited("chroma");
    await restarter.close();
    expect(events).toEqual([]);
  });
});
