import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVICE_NAMES, type ServiceName } from "../../../dev/stack/services/service.ts";
import type { ProgressEvent, Stack } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { familyOf, identityOf } from "../../../dev/stack/system/process-tree.ts";
import { removeDir, scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";
import { SERVICE_CHECKS } from "../../integration/stack/support/service-checks.ts";

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
