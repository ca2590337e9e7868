import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type Stack,
  StackAlreadyRunningError,
  StackError,
  type StackOptions,
  startStack,
} from "../../../dev/stack/index.ts";
import { processesUsing } from "./support/processes.ts";
import { scratchDir, writeProject } from "./support/scratch.ts";

/** Starts a stack that is stopped with the test. */
async function start(options: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  onTestFinished(() => stack.stop());
  return stack;
}

async function caught(work: Promise<unknown>): Promise<Error> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error("Expected a failure.");
}

/** A process that lives until the test ends. */
function bystander(ids: { uid?: number; gid?: number } = {}): ChildProcess & { pid: number } {
  const child = spawn("sleep", ["60"], { stdio: "ignore", ...ids });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("sleep did not start.");
  return Object.assign(child, { pid });
}

describe("a start on a folder that an earlier run left", { timeout: 30_000 }, () => {
  test("throws a half-made database away", async () => {
    const scratch = scratchDir();
    const unfinished = join(scratch, "data/postgres.unfinished");
    mkdirSync(join(unfinished, "base"), { recursive: true });
    writeFileSync(join(unfinished, "PG_VERSION"), "18\n");
    await start({
      dir: join(scratch, "data"),
      parts: ["postgres"],
      projectDir: writeProject(join(scratch, "project")),
    });
    expect(existsSync(unfinished)).toBe(false);
  });

  test("takes a lock over whose owner is dead, or whose id is another process now", async () => {
    const scratch = scratchDir();
    const dir = join(scratch, "data");
    mkdirSync(dir);
    const { pid } = bystander();
    writeFileSync(join(dir, "lock"), JSON.stringify({ owner: { pid, startedAt: "another boot:1" } }));
    const stack = await start({ dir, parts: ["chroma"] });
    await stack.stop();

    writeFileSync(join(dir, "lock"), "half a lo");
    await (await start({ dir, parts: ["chroma"] })).stop();
    expect(existsSync(join(dir, "lock"))).toBe(false);
  });

  test("is refused while a living process has it, with who and where", async () => {
    const dir = join(scratchDir(), "data");
    const stack = await start({ dir, parts: ["chroma"] });
    const error = await caught(startStack({ dir, parts: ["chroma"] }));
    expect(error).toBeInstanceOf(StackAlreadyRunningError);
    expect(error.message).toBe(
      `A stack already runs on ${dir}: process ${process.pid}, the Worker at ${stack.info.urls.worker}.`,
    );
    expect((await fetch(`${stack.info.urls.chroma}/api/v2/heartbeat`)).status).toBe(200);
  });

  test("lets only one of two simultaneous starts through", async () => {
    const dir = join(scratchDir(), "data");
    const outcomes = await Promise.allSettled([start({ dir, parts: ["chroma"] }), start({ dir, parts: ["chroma"] })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("starts a database whose postmaster.pid names a stranger", async () => {
    const scratch = scratchDir();
    const options: StackOptions = {
      dir: join(scratch, "data"),
      parts: ["postgres"],
      projectDir: writeProject(join(scratch, "project")),
    };
    const first = await start(options);
    await first.part("postgres").kill();
    const lockPath = join(scratch, "data/postgres/postmaster.pid");
    const owner = statSync(lockPath);
    // Of the user Postgres runs as: a stranger of another user does not worry it.
    const { pid } = bystander({ uid: owner.uid, gid: owner.gid });
    writeFileSync(lockPath, readFileSync(lockPath, "utf8").replace(/^\d+/, String(pid)));
    await first.part("postgres").start();
    expect(first.part("postgres").pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).not.toThrow();
  });

  test("says so when the database's password is lost", async () => {
    const scratch = scratchDir();
    const options: StackOptions = {
      dir: join(scratch, "data"),
      parts: ["postgres"],
      projectDir: writeProject(join(scratch, "project")),
    };
    await (await start(options)).stop();
    rmSync(join(scratch, "data/secrets.json"));
    const error = await caught(startStack(options));
    expect(error).toBeInstanceOf(StackError);
    expect(error.message).toContain("its password is not");
  });

  test("cuts a log that grew too large", async () => {
    const dir = join(scratchDir(), "data");
    mkdirSync(join(dir, "logs"), { recursive: true });
    writeFileSync(join(dir, "logs/chroma.log"), Buffer.alloc(5 * 1024 * 1024 + 1, "x"));
    const stack = await start({ dir, parts: ["chroma"] });
    expect(statSync(stack.info.logs.chroma ?? "").size).toBeLessThan(100_000);
  });
});

describe("ports", { timeout: 30_000 }, () => {
  test("stay the same from run to run, and keep off one that somebody else took", async () => {
    const dir = join(scratchDir(), "data");
    const first = await start({ dir, parts: ["chroma"] });
    const { ports } = first.info;
    await first.stop();
    const second = await start({ dir, parts: ["chroma"] });
    expect(second.info.ports).toEqual(ports);
    await second.stop();

    const stranger = createServer((socket) => socket.end("still here"));
    await new Promise<void>((resolve) => stranger.listen(ports.chroma, "127.0.0.1", resolve));
    onTestFinished(() => {
      stranger.close();
    });
    const third = await start({ dir, parts: ["chroma"] });
    expect(third.info.ports).toEqual({ ...ports, chroma: third.info.ports.chroma });
    expect(third.info.ports.chroma).not.toBe(ports.chroma);
    expect(stranger.listening).toBe(true);
  });
});

describe("a start that does not come to its end", { timeout: 30_000 }, () => {
  test("is undone when it is aborted", async () => {
    const scratch = scratchDir();
    const controller = new AbortController();
    const starting = startStack({
      dir: join(scratch, "data"),
      ephemeral: true,
      parts: ["gateway"],
      projectDir: writeProject(join(scratch, "project")),
      signal: controller.signal,
      onProgress: (event) => {
        if (event.type === "step" && event.step === "gateway" && event.state === "ready")
          controller.abort(new Error("enough"));
      },
    });
    expect((await caught(starting)).message).toBe("enough");
    expect(processesUsing(scratch)).toEqual([]);
    expect(existsSync(join(scratch, "data"))).toBe(false);
  });

  test("shows wrangler's words when the Worker does not build", async () => {
    const scratch = scratchDir();
    const projectDir = writeProject(join(scratch, "project"), {
      worker: `import { gone } from "./gone.ts"; export default gone;`,
    });
    const error = await caught(startStack({ dir: join(scratch, "data"), ephemeral: true, projectDir }));
    expect(error).toBeInstanceOf(StackError);
    expect(error.message).toBe("The Worker does not build.");
    // Shown although the log went with the throw-away folder.
    expect(error).toMatchObject({ logTail: expect.stringContaining('Could not resolve "./gone.ts"') });
    expect(processesUsing(scratch)).toEqual([]);
  });
});
