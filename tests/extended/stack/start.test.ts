// The first `npm start`, which reports a sample, and its options beside the running stack.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { npmStart, READY, type RunningStart, START_SCRIPT } from "../../integration/stack/support/npm-start.ts";
import { killProcessesUsing, processesUsing } from "../../integration/stack/support/processes.ts";
import { removeDir, scratchDir } from "../../integration/stack/support/scratch.ts";

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
  let first: RunningStart;

  beforeAll(async () => {
    scratch = scratchDir({ keep: true });
    dir = join(scratch, "data");
    first = await npmStart(dir);
  });

  afterAll(() => {
    killProcessesUsing(scratch);
    removeDir(scratch);
  });

  const again = (...args: string[]) => promisify(execFile)(process.execPath, [START_SCRIPT, "--dir", dir, ...args]);
  const incidents = async (): Promise<unknown[]> => {
    const headers = { authorization: `Bearer ${first.info.token}` };
    const response = await fetch(`${first.info.urls.worker}/v1/incidents`, { headers });
    return z.object({ incidents: z.array(z.unknown()) }).parse(await response.json()).incidents;
  };

  test("shows on the first start how a fix comes back, and reports a sample incident", async () => {
    const shown = first.output.replaceAll(/\s+/g, " ");
    expect(shown).toContain("Sample ready");
    expect(shown).toMatch(/Known failure, \d+ %: .*Seen before on checkout, \d+ % the same failure\. Fixed by: /);
    expect(await incidents()).toMatchObject(SAMPLES);
    expect(shown).toContain("It shows a sample");
  });

  test("prints the same way to use it when it runs already, without a sample", async () => {
    const { stdout } = await again();
    expect(stdout).toContain(`Already running, process ${first.child.pid}.`);
    expect(usageIn(stdout)).toBe(usageIn(first.output));
    expect(stdout).not.toContain("Seen before");
  });

  test("stores the text of --once, which is a report", async () => {
    const { stdout } = await again("--once", "pod stuck in CrashLoopBackOff");
    expect(stdout).toContain("CrashLoopBackOff");
    expect(stdout).not.toContain(READY);
    expect(await incidents()).toMatchObject([{ title: "pod stuck in CrashLoopBackOff" }, ...SAMPLES]);
  });

  test("ends with code 0 on Ctrl-C and leaves no process", async () => {
    first.child.kill("SIGINT");
    expect(await first.exited).toBe(0);
    expect(processesUsing(scratch)).toEqual([]);
  });
});
