import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createRestarter } from "../../../dev/stack/restart-services.ts";
import { SERVICE_NAMES, type ServiceName } from "../../../dev/stack/services/service.ts";
import { type Health, watchHealth } from "../../../dev/stack/services/watch-health.ts";
import type { ProgressEvent, Stack } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { familyOf, identityOf } from "../../../dev/stack/system/process-tree.ts";
import { processesUsing } from "./support/processes.ts";
import { runSupervisor } from "./support/run-supervisor.ts";
import { removeDir, scratchDir, writeProject } from "./support/scratch.ts";
import { SERVICE_CHECKS } from "./support/service-checks.ts";

/** Long enough for a service to start on a busy machine. */
const RESTART_TIMEOUT_MS = 120_000;

describe("a stack that restarts its services", { timeout: 300_000 }, () => {
  let scratch: string;
  let stack: Stack;
  const events: ProgressEvent[] = [];

  beforeAll(async () => {
    scratch = scratchDir({ keep: true });
    const migrations = { "20260101000000_open.sql": "create table public.left_open (id int primary key);" };
    stack = await startStack({
      dir: join(scratch, "data"),
      ephemeral: true,
      restart: true,
      healthIntervalMs: 100,
      services: SERVICE_NAMES,
      projectDir: writeProject(join(scratch, "project"), { migrations }),
      onProgress: (event) => events.push(event),
    });
  }, 60_000);

  afterAll(async () => {
    await stack?.stop();
    removeDir(scratch);
  });

  const typesOf = (name: ServiceName) =>
    events.flatMap((event) => ("service" in event && event.service === name ? [event.type] : []));

  test.each(SERVICE_NAMES)("starts %s again on the same port when it is killed, twice in a row", async (name) => {
    for (const times of [1, 2]) {
      const service = stack.service(name);
      const { pid } = service;
      if (pid === undefined) throw new Error(`${name} does not run.`);
      process.kill(pid, "SIGKILL");
      await expect
        .poll(() => typesOf(name).filter((type) => type === "restarted"), { timeout: RESTART_TIMEOUT_MS })
        .toHaveLength(times);
      expect(service.pid).not.toBe(pid);
      expect(stack.info.pids[name]).toBe(service.pid);
    }
    await expect.poll(() => SERVICE_CHECKS[name](stack).catch(() => 0), { timeout: RESTART_TIMEOUT_MS }).toBe(200);
    expect(typesOf(name)).toEqual(Array(2).fill(["exited", "restarting", "restarted"]).flat());
  });

  test("serves again after a part of the Worker was killed", async () => {
    const { pid } = stack.service("worker");
    const [, ...children] = familyOf(identityOf(pid ?? 0));
    for (const child of children) process.kill(child.pid, "SIGKILL");
    await expect.poll(() => SERVICE_CHECKS.worker(stack).catch(() => 0), { timeout: RESTART_TIMEOUT_MS }).toBe(200);
  });

  test("does not start a service that was stopped on purpose", async () => {
    const before = typesOf("collector").length;
    await stack.service("collector").stop();
    expect(typesOf("collector")).toHaveLength(before);
    await stack.service("collector").start();
  });
});

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

describe.runIf(process.platform === "linux")("Ctrl-C during a restart", { timeout: 300_000 }, () => {
  test.each(["restarting", "exited"])("leaves no process after the event %s", async (type) => {
    const scratch = scratchDir();
    onTestFinished(() => {
      for (const line of processesUsing(scratch)) process.kill(Number(line.split(" ")[0]), "SIGKILL");
    });
    const options = { dir: join(scratch, "data"), services: ["chroma" as const], restart: true };
    const supervisor = runSupervisor({ scratch, options });
    const { info } = await supervisor.waitFor((message) => message.type === "ready");
    const pid = info?.pids.chroma;
    if (pid === undefined) throw new Error("Chroma does not run.");
    process.kill(pid, "SIGKILL");
    await supervisor.waitFor((message) => message.type === type);
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    expect(processesUsing(scratch)).toEqual([]);
  });
});
