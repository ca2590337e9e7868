import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { describe, expect, onTestFinished, test } from "vitest";
import { type PartName, readStackInfo } from "../../../dev/stack/index.ts";
import { processesUsing } from "./support/processes.ts";
import { runSupervisor, type Supervisor, type SupervisorOptions } from "./support/run-supervisor.ts";
import { scratchDir, writeProject } from "./support/scratch.ts";

const PARTS: readonly PartName[] = ["gateway", "chroma"];

/** The reaper waits 5 s at most for a part before it kills it. */
const GONE_WITHIN_MS = 10_000;

interface Scene {
  scratch: string;
  dir: string;
  run(options?: Partial<SupervisorOptions["options"]>, afterwards?: SupervisorOptions["afterwards"]): Supervisor;
}

function setScene(): Scene {
  const scratch = scratchDir();
  const dir = join(scratch, "data");
  const projectDir = writeProject(join(scratch, "project"));
  // Before the folder goes: nothing may be left that a failed test left running.
  onTestFinished(() => {
    for (const line of processesUsing(scratch)) process.kill(Number(line.split(" ")[0]), "SIGKILL");
  });
  return {
    scratch,
    dir,
    run: (options = {}, afterwards = "stay") =>
      runSupervisor({ scratch, afterwards, options: { dir, projectDir, parts: PARTS, ...options } }),
  };
}

async function expectNothingLeft({ scratch, dir }: Scene): Promise<void> {
  await expect.poll(() => processesUsing(scratch), { timeout: GONE_WITHIN_MS }).toEqual([]);
  for (const file of ["stack.json", "lock", "pids.json"]) expect(existsSync(join(dir, file))).toBe(false);
}

const isReady = ({ type }: { type: string }): boolean => type === "ready";

describe.runIf(process.platform === "linux")("the end of a supervisor", { timeout: 40_000 }, () => {
  test.each(["postgres", "migrations", "postgrest"])("Ctrl-C while %s starts leaves no process", async (step) => {
    const scene = setScene();
    const supervisor = scene.run();
    await supervisor.waitFor((message) => message.step === step && message.state === "started");
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    expect(processesUsing(scene.scratch)).toEqual([]);
    await expectNothingLeft(scene);
  });

  test("Ctrl-C while everything starts, the Worker too, leaves no process", async () => {
    const scene = setScene();
    const supervisor = scene.run({ parts: ["worker"], ephemeral: true });
    await supervisor.waitFor((message) => message.step === "embeddings" && message.state === "ready");
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toEqual({ code: 130, signal: null });
    await expectNothingLeft(scene);
    expect(existsSync(scene.dir)).toBe(false);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s after a start leaves data and no process", async (signal) => {
    const scene = setScene();
    const supervisor = scene.run({ parts: ["chroma"] });
    await supervisor.waitFor(isReady);
    expect(readStackInfo(scene.dir).state).toBe("running");
    supervisor.signalGroup(signal);
    expect(await supervisor.exited).toMatchObject({ signal: null });
    await expectNothingLeft(scene);
    expect(existsSync(join(scene.dir, "chroma"))).toBe(true);
  });

  test("a second Ctrl-C ends it at once, and still nothing is left", async () => {
    const scene = setScene();
    const supervisor = scene.run();
    const { info } = await supervisor.waitFor(isReady);
    supervisor.signalGroup("SIGINT");
    supervisor.signalGroup("SIGINT");
    expect(await supervisor.exited).toMatchObject({ code: 130 });
    expect(info).toBeDefined();
    await expectNothingLeft(scene);
  });

  test("SIGKILL leaves no process, and the next start finds the data", async () => {
    const scene = setScene();
    const first = scene.run();
    const { info } = await first.waitFor(isReady);
    const sql = postgres(info?.urls.postgres ?? "", { max: 1 });
    await sql`create table public.kept as select 42 as answer`;
    await sql.end();
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    expect(readStackInfo(scene.dir).state).not.toBe("running");

    // At once, while the reaper may still be at work.
    const second = scene.run();
    const { info: next } = await second.waitFor(isReady);
    expect(next?.ports).toEqual(info?.ports);
    const again = postgres(next?.urls.postgres ?? "", { max: 1 });
    expect(await again`select answer from public.kept`).toMatchObject([{ answer: 42 }]);
    await again.end();
    process.kill(second.pid, "SIGKILL");
    await expectNothingLeft(scene);
  });

  test("SIGKILL in the middle of a first start leaves nothing that stops the next", async () => {
    const scene = setScene();
    const first = scene.run();
    await first.waitFor((message) => message.step === "postgres" && message.state === "started");
    await expect.poll(() => processesUsing(scene.scratch).some((line) => line.includes("initdb"))).toBe(true);
    process.kill(first.pid, "SIGKILL");
    const second = scene.run();
    await second.waitFor(isReady);
    second.signalGroup("SIGTERM");
    await second.exited;
    await expectNothingLeft(scene);
  });

  test("SIGKILL between the start of a process and the note of it leaves no process", async () => {
    const scene = setScene();
    const supervisor = scene.run({ parts: ["chroma"] });
    await supervisor.waitFor(isReady);
    // Has the stack's mark and is on no list, like a process whose supervisor died at that moment.
    const { pid } = spawn("sleep", ["60"], { detached: true, stdio: "ignore", env: { DEJAVU_STACK_DIR: scene.dir } });
    process.kill(supervisor.pid, "SIGKILL");
    await expectNothingLeft(scene);
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  });

  test("SIGKILL of supervisor and reaper leaves processes that the next start stops", async () => {
    const scene = setScene();
    const first = scene.run();
    const { info } = await first.waitFor(isReady);
    const reaper = processesUsing(scene.scratch).find((line) => line.includes("reaper.ts"));
    process.kill(Number(reaper?.split(" ")[0]), "SIGKILL");
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    expect(processesUsing(scene.scratch)).not.toEqual([]);
    expect(readStackInfo(scene.dir)).toMatchObject({ state: "stale" });

    const second = scene.run();
    const note = await second.waitFor((message) => message.type === "note");
    expect(note.message).toContain("Stopped what an earlier run left running");
    const { info: next } = await second.waitFor(isReady);
    expect(next?.ports).toEqual(info?.ports);
    second.signalGroup("SIGINT");
    await second.exited;
    await expectNothingLeft(scene);
  });

  test.each(["crash", "forget"] as const)("a supervisor that ends by a %s is cleaned up after", async (afterwards) => {
    const scene = setScene();
    const supervisor = scene.run({ parts: ["chroma"], ephemeral: true }, afterwards);
    await supervisor.waitFor(isReady);
    await supervisor.exited;
    await expectNothingLeft(scene);
    await expect.poll(() => existsSync(scene.dir)).toBe(false);
  });
});
