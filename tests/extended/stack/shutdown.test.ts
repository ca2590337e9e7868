import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ServiceName } from "../../../dev/stack/services/service.ts";
import { readStackInfo } from "../../../dev/stack/stack-info.ts";
import { killProcessesUsing, processesUsing } from "../../integration/stack/support/processes.ts";
import {
  runSupervisor,
  type Supervisor,
  type SupervisorOptions,
} from "../../integration/stack/support/run-supervisor.ts";
import { scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";

const SERVICES: readonly ServiceName[] = ["gateway", "chroma"];

/** The cleanup process gives the services of these tests at most 10 s before SIGKILL; a busy machine takes longer. */
const EXIT_TIMEOUT_MS = 120_000;

interface Scenario {
  scratch: string;
  dir: string;
  run(options?: Partial<SupervisorOptions["options"]>, afterwards?: SupervisorOptions["afterwards"]): Supervisor;
}

function createScenario(): Scenario {
  const scratch = scratchDir();
  const dir = join(scratch, "data");
  const projectDir = writeProject(join(scratch, "project"));
  // Kills processes of a failed test before the folder is deleted.
  onTestFinished(() => killProcessesUsing(scratch));
  return {
    scratch,
    dir,
    run: (options = {}, afterwards = "stay") =>
      runSupervisor({ scratch, afterwards, options: { dir, projectDir, services: SERVICES, ...options } }),
  };
}

async function expectNothingLeft({ scratch, dir }: Scenario): Promise<void> {
  await expect.poll(() => processesUsing(scratch), { timeout: EXIT_TIMEOUT_MS }).toEqual([]);
  for (const file of ["stack.json", "lock", "pids.json"]) expect(existsSync(join(dir, file))).toBe(false);
}

const isReady = ({ type }: { type: string }): boolean => type === "ready";

describe.runIf(process.platform === "linux")("a supervisor", { timeout: 300_000 }, () => {
  test.each(["postgres", "migrations", "postgrest"])("leaves no process on Ctrl-C while %s starts", async (step) => {
    const scenario = createScenario();
    const supervisor = scenario.run();
    await supervisor.waitFor((message) => message.step === step && message.state === "started");
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    expect(processesUsing(scenario.scratch)).toEqual([]);
    await expectNothingLeft(scenario);
  });

  test("leaves no process on Ctrl-C while all services start", async () => {
    const scenario = createScenario();
    const supervisor = scenario.run({ services: ["worker"], ephemeral: true });
    await supervisor.waitFor((message) => message.step === "chroma" && message.state === "ready");
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    await expectNothingLeft(scenario);
    expect(existsSync(scenario.dir)).toBe(false);
  });

  test.each(["exited", "restarting"])("leaves no process on Ctrl-C after the event %s of a restart", async (type) => {
    const scenario = createScenario();
    const supervisor = scenario.run({ services: ["chroma"], restart: true });
    const { info } = await supervisor.waitFor(isReady);
    const pid = info?.pids.chroma;
    if (pid === undefined) throw new Error("Chroma does not run.");
    process.kill(pid, "SIGKILL");
    await supervisor.waitFor((message) => message.type === type);
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    await expectNothingLeft(scenario);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("keeps its data and leaves no process on %s", async (signal) => {
    const scenario = createScenario();
    const supervisor = scenario.run({ services: ["chroma"] });
    await supervisor.waitFor(isReady);
    expect(readStackInfo(scenario.dir).state).toBe("running");
    supervisor.signalGroup(signal);
    expect(await supervisor.exited).toMatchObject({ signal: null });
    await expectNothingLeft(scenario);
    expect(existsSync(join(scenario.dir, "chroma"))).toBe(true);
  });

  test("exits at once on a second Ctrl-C and leaves no process", async () => {
    const scenario = createScenario();
    const supervisor = scenario.run();
    const { info } = await supervisor.waitFor(isReady);
    supervisor.signalGroup("SIGINT");
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toMatchObject({ code: 130 });
    expect(info).toBeDefined();
    await expectNothingLeft(scenario);
  });

  // Retried: between the two starts, the stack of another test may take the free ports.
  test("leaves no process on SIGKILL, and the next start finds the data", { retry: 2 }, async () => {
    const scenario = createScenario();
    const first = scenario.run();
    const { info } = await first.waitFor(isReady);
    const sql = postgres(info?.urls.postgres ?? "", { max: 1 });
    await sql`create table public.sample as select 42 as answer`;
    await sql.end();
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    expect(readStackInfo(scenario.dir).state).not.toBe("running");

    // At once: the cleanup process may still be running.
    const second = scenario.run();
    const { info: next } = await second.waitFor(isReady);
    expect(next?.ports.chroma).toBe(info?.ports.chroma);
    const restarted = postgres(next?.urls.postgres ?? "", { max: 1 });
    expect(await restarted`select answer from public.sample`).toMatchObject([{ answer: 42 }]);
    await restarted.end();
    process.kill(second.pid, "SIGKILL");
    await expectNothingLeft(scenario);
  });

  test("can be started again after a SIGKILL during its first start", async () => {
    const scenario = createScenario();
    const first = scenario.run();
    await first.waitFor((message) => message.step === "postgres" && message.state === "started");
    await expect.poll(() => processesUsing(scenario.scratch).some((line) => line.includes("initdb"))).toBe(true);
    process.kill(first.pid, "SIGKILL");
    const second = scenario.run();
    await second.waitFor(isReady);
    second.signalGroup("SIGTERM");
    await second.exited;
    await expectNothingLeft(scenario);
  });

  test("leaves no process that was not registered yet on SIGKILL", async () => {
    const scenario = createScenario();
    const supervisor = scenario.run({ services: ["chroma"] });
    await supervisor.waitFor(isReady);
    // Has the stack's marker and is not registered, like a process whose supervisor was killed right after starting it.
    const { pid } = spawn("sleep", ["60"], {
      detached: true,
      stdio: "ignore",
      env: { DEJAVU_STACK_DIR: scenario.dir },
    });
    process.kill(supervisor.pid, "SIGKILL");
    await expectNothingLeft(scenario);
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  });

  test("leaves processes when its cleanup process is killed, too, and the next start stops them", async () => {
    const scenario = createScenario();
    const first = scenario.run();
    const { info } = await first.waitFor(isReady);
    const cleanupProcess = processesUsing(scenario.scratch).find((line) => line.includes("cleanup-process.ts"));
    process.kill(Number(cleanupProcess?.split(" ")[0]), "SIGKILL");
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    expect(processesUsing(scenario.scratch)).not.toEqual([]);
    expect(readStackInfo(scenario.dir)).toMatchObject({ state: "stale" });

    const second = scenario.run();
    const note = await second.waitFor((message) => message.type === "note");
    expect(note.message).toContain("Stopped processes of an earlier run");
    const { info: next } = await second.waitFor(isReady);
    expect(next?.ports.chroma).toBe(info?.ports.chroma);
    second.signalGroup("SIGINT");
    await second.exited;
    await expectNothingLeft(scenario);
  });

  test.each(["crash", "exit"] as const)(
    "leaves no process and no ephemeral folder after it ends by %s",
    async (afterwards) => {
      const scenario = createScenario();
      const supervisor = scenario.run({ services: ["chroma"], ephemeral: true }, afterwards);
      await supervisor.waitFor(isReady);
      await supervisor.exited;
      await expectNothingLeft(scenario);
      await expect.poll(() => existsSync(scenario.dir)).toBe(false);
    },
  );
});
