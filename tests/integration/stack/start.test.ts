// `npm start` as a person runs it, without a terminal.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { REPO_DIR } from "../../../dev/stack/paths.ts";
import { readStackInfo, type StackInfo } from "../../../dev/stack/stack-info.ts";
import { processesUsing } from "./support/processes.ts";
import { removeDir, scratchDir } from "./support/scratch.ts";

const SCRIPT = join(REPO_DIR, "dev/start.ts");
const READY = "Dejavu is ready";

/** Newest first. */
const SAMPLES = [
  { title: "every second invoice hangs", status: "triaged" },
  { title: "checkout answers with 500 at peak", status: "resolved" },
];

/** How to use the stack, without the link, which is another one each time, and without the note of a first start. */
function usageIn(text: string): string {
  const lines = text.slice(text.indexOf(READY)).trimEnd().split("\n");
  return lines.filter((line) => !line.includes("#code=") && !line.includes("It shows a sample")).join("\n");
}

describe.runIf(process.platform === "linux")("npm start", { timeout: 300_000 }, () => {
  let scratch: string;
  let dir: string;
  let first: ChildProcess;
  let exited: Promise<number | null>;
  let output = "";
  let info: StackInfo;

  beforeAll(async () => {
    scratch = scratchDir({ keep: true });
    dir = join(scratch, "data");
    first = spawn(process.execPath, [SCRIPT, "--dir", dir], { stdio: ["ignore", "pipe", "pipe"] });
    exited = new Promise((resolve) => first.once("exit", resolve));
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        output += chunk.toString();
        if (output.includes(READY)) resolve();
      };
      first.stdout?.on("data", read);
      first.stderr?.on("data", read);
      void exited.then((code) => reject(new Error(`It ended with code ${code}.\n${output}`)));
    });
    const reading = readStackInfo(dir);
    if (reading.state !== "running") throw new Error(`The stack is ${reading.state}.`);
    info = reading.info;
  }, 120_000);

  afterAll(() => {
    first?.kill("SIGKILL");
    for (const line of processesUsing(scratch)) process.kill(Number(line.split(" ")[0]), "SIGKILL");
    removeDir(scratch);
  });

  const again = (...args: string[]) => promisify(execFile)(process.execPath, [SCRIPT, "--dir", dir, ...args]);
  const incidents = async (): Promise<unknown[]> => {
    const headers = { authorization: `Bearer ${info.token}` };
    const response = await fetch(`${info.urls.worker}/v1/incidents`, { headers });
    return z.object({ incidents: z.array(z.unknown()) }).parse(await response.json()).incidents;
  };

  test("shows on the first start how a fix comes back, and reports a sample incident", async () => {
    const shown = output.replaceAll(/\s+/g, " ");
    expect(shown).toContain("Demo ready");
    expect(shown).toMatch(
      /known failure, confidence 0\.\d\d: .*Seen before on checkout, \d+ % the same failure\. Fixed by: /,
    );
    expect(await incidents()).toMatchObject(SAMPLES);
    expect(shown).toContain("It shows a sample");
    expect(existsSync(join(dir, "demo"))).toBe(false);
  });

  test("prints the same way to use it when it runs already, without a demo", async () => {
    const { stdout } = await again();
    expect(stdout).toContain(`Already running, process ${first.pid}.`);
    expect(usageIn(stdout)).toBe(usageIn(output));
    expect(stdout).not.toContain("Seen before");
  });

  test("stores the text of --once, which is a report", async () => {
    const { stdout } = await again("--once", "pod stuck in CrashLoopBackOff");
    expect(stdout).toContain("CrashLoopBackOff");
    expect(stdout).not.toContain(READY);
    expect(await incidents()).toMatchObject([{ title: "pod stuck in CrashLoopBackOff" }, ...SAMPLES]);
  });

  test("shows the demo again with --demo, beside the running stack", async () => {
    const { stdout } = await again("--demo");
    expect(stdout).toContain("Seen before on checkout");
    expect(stdout).toContain(READY);
    expect(await incidents()).toHaveLength(1 + SAMPLES.length);
    await expect(again("--demo", "--once", "x")).rejects.toThrow("--once");
  });

  test("ends with code 0 on Ctrl-C and leaves no process", async () => {
    first.kill("SIGINT");
    expect(await exited).toBe(0);
    expect(processesUsing(scratch)).toEqual([]);
  });
});
