import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Stack, StackOptions } from "../../../dev/stack/stack.ts";
import { startStack } from "../../../dev/stack/start-stack.ts";
import { StackAlreadyRunningError, StackError } from "../../../dev/stack/system/errors.ts";
import type { Ports } from "../../../dev/stack/system/ports.ts";
import { processesUsing } from "../../integration/stack/support/processes.ts";
import { scratchDir, writeProject } from "../../integration/stack/support/scratch.ts";

/** Starts a stack that stops at the end of the test. */
async function start(options: StackOptions): Promise<Stack> {
  const stack = await startStack(options);
  onTestFinished(() => stack.stop());
  return stack;
}

async function errorOf(work: Promise<unknown>): Promise<Error> {
  const result = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (result instanceof Error) return result;
  throw new Error("The promise was not rejected.");
}

/** A process that belongs to no stack. It is killed at the end of the test. */
function unrelatedProcess(ids: { uid?: number; gid?: number } = {}): ChildProcess & { pid: number } {
  const child = spawn("sleep", ["60"], { stdio: "ignore", ...ids });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("sleep did not start.");
  return Object.assign(child, { pid });
}

describe("a start on the folder of an earlier run", { timeout: 300_000 }, () => {
  test("removes a half-made database", async () => {
    const scratch = scratchDir();
    const unfinished = join(scratch, "data/postgres.unfinished");
    mkdirSync(join(unfinished, "base"), { recursive: true });
    writeFileSync(join(unfinished, "PG_VERSION"), "18\n");
    await start({
      dir: join(scratch, "data"),
      services: ["postgres"],
      projectDir: writeProject(join(scratch, "project")),
    });
    expect(existsSync(unfinished)).toBe(false);
  });

  test("takes over a lock whose owner has exited, whose process id was reused, or that is damaged", async () => {
    const scratch = scratchDir();
    const dir = join(scratch, "data");
    mkdirSync(dir);
    const { pid } = unrelatedProcess();
    writeFileSync(join(dir, "lock"), JSON.stringify({ owner: { pid, startedAt: "another boot:1" } }));
    const stack = await start({ dir, services: ["chroma"] });
    await stack.stop();

    writeFileSync(join(dir, "lock"), "half a lo");
    await (await start({ dir, services: ["chroma"] })).stop();
    expect(existsSync(join(dir, "lock"))).toBe(false);
  });

  test("fails while a living process uses the folder, and names the process and its Worker", async () => {
    const dir = join(scratchDir(), "data");
    const stack = await start({ dir, services: ["chroma"] });
    const error = await errorOf(startStack({ dir, services: ["chroma"] }));
    expect(error).toBeInstanceOf(StackAlreadyRunningError);
    expect(error.message).toBe(
      `A stack already runs on ${dir}: process ${process.pid}, the Worker at ${stack.info.urls.worker}.`,
    );
    expect((await fetch(`${stack.info.urls.chroma}/api/v2/heartbeat`)).status).toBe(200);
  });

  test("lets one of two simultaneous starts succeed", async () => {
    const dir = join(scratchDir(), "data");
    const outcomes = await Promise.allSettled([
      start({ dir, services: ["chroma"] }),
      start({ dir, services: ["chroma"] }),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("starts a database whose postmaster.pid names an unrelated process", async () => {
    const scratch = scratchDir();
    const options: StackOptions = {
      dir: join(scratch, "data"),
      services: ["postgres"],
      projectDir: writeProject(join(scratch, "project")),
    };
    const first = await start(options);
    await first.service("postgres").kill();
    const lockPath = join(scratch, "data/postgres/postmaster.pid");
    const owner = statSync(lockPath);
    // Of the user that runs Postgres: it ignores processes of other users.
    const { pid } = unrelatedProcess({ uid: owner.uid, gid: owner.gid });
    writeFileSync(lockPath, readFileSync(lockPath, "utf8").replace(/^\d+/, String(pid)));
    await first.service("postgres").start();
    expect(first.service("postgres").pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).not.toThrow();
  });

  test("fails when the database's password is lost", async () => {
    const scratch = scratchDir();
    const options: StackOptions = {
      dir: join(scratch, "data"),
      services: ["postgres"],
      projectDir: writeProject(join(scratch, "project")),
    };
    await (await start(options)).stop();
    rmSync(join(scratch, "data/secrets.json"));
    const error = await errorOf(startStack(options));
    expect(error).toBeInstanceOf(StackError);
    expect(error.message).toContain("password of the database");
  });

  test("truncates a log that is too large", async () => {
    const dir = join(scratchDir(), "data");
    mkdirSync(join(dir, "logs"), { recursive: true });
    writeFileSync(join(dir, "logs/chroma.log"), Buffer.alloc(5 * 1024 * 1024 + 1, "x"));
    const stack = await start({ dir, services: ["chroma"] });
    expect(statSync(stack.info.logs.chroma ?? "").size).toBeLessThan(100_000);
  });
});

/** Without those that have defaults: stacks of other tests take them, too. */
function randomPorts({ worker, gateway, ...ports }: Ports): Partial<Ports> {
  return ports;
}

describe("ports", { timeout: 300_000 }, () => {
  test("stay the same in the next run, except one that another program uses", async () => {
    const dir = join(scratchDir(), "data");
    const first = await start({ dir, services: ["chroma"] });
    const { ports } = first.info;
    await first.stop();
    const second = await start({ dir, services: ["chroma"] });
    expect(randomPorts(second.info.ports)).toEqual(randomPorts(ports));
    await second.stop();

    const otherServer = createServer((socket) => socket.end("still here"));
    await new Promise<void>((resolve) => otherServer.listen(ports.chroma, "127.0.0.1", resolve));
    onTestFinished(() => {
      otherServer.close();
    });
    const third = await start({ dir, services: ["chroma"] });
    const { chroma } = third.info.ports;
    expect(randomPorts(third.info.ports)).toEqual(randomPorts({ ...ports, chroma }));
    expect(chroma).not.toBe(ports.chroma);
    expect(otherServer.listening).toBe(true);
  });
});

describe("an unfinished start", { timeout: 300_000 }, () => {
  test("is undone when it is aborted", async () => {
    const scratch = scratchDir();
    const controller = new AbortController();
    const starting = startStack({
      dir: join(scratch, "data"),
      ephemeral: true,
      services: ["gateway"],
      projectDir: writeProject(join(scratch, "project")),
      signal: controller.signal,
      onProgress: (event) => {
        if (event.type === "step" && event.step === "gateway" && event.state === "ready")
          controller.abort(new Error("enough"));
      },
    });
    expect((await errorOf(starting)).message).toBe("enough");
    expect(processesUsing(scratch)).toEqual([]);
    expect(existsSync(join(scratch, "data"))).toBe(false);
  });

  test("reports wrangler's error when the Worker does not build", async () => {
    const scratch = scratchDir();
    const projectDir = writeProject(join(scratch, "project"), {
      worker: `import { gone } from "./gone.ts"; export default gone;`,
    });
    const error = await errorOf(startStack({ dir: join(scratch, "data"), ephemeral: true, projectDir }));
    expect(error).toBeInstanceOf(StackError);
    expect(error.message).toBe("The Worker does not build.");
    // Available although the log was deleted with the ephemeral folder.
    expect(error).toMatchObject({ logTail: expect.stringContaining('Could not resolve "./gone.ts"') });
    expect(processesUsing(scratch)).toEqual([]);
  });
});
