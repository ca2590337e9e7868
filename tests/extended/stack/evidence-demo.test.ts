// `npm run demo`: an answer with confirmed and ruled-out causes from real servers, on a stack of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { processesUsing } from "../../integration/stack/support/processes.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DATA = join(ROOT, ".dejavu/evidence-demo");

async function runDemo(...args: string[]) {
  const env = { ...process.env, NO_COLOR: "1" };
  const child = spawn(process.execPath, [join(ROOT, "dev/evidence-demo.ts"), ...args], { cwd: ROOT, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = await once(child, "close");
  return { code, output };
}

describe("the demo of checks", { timeout: 300_000 }, () => {
  it("ends with confirmed and ruled-out causes, and leaves no data and no process", async () => {
    const { code, output } = await runDemo();
    expect(output).toMatch(/Confirmed: several sessions wait for a lock/);
    expect(output).toMatch(/Ruled out: A prepared transaction is forgotten: there is no prepared transaction/);
    expect(output).toMatch(/12 minutes before: deployment orders 4\.12\.0 \(by dana\)/);
    expect(output).toMatch(/Likely causes\n {2}1\. Confirmed by a check: Sessions wait for a lock/);
    expect(code).toBe(0);
    expect(existsSync(DATA)).toBe(false);
    expect(await processesUsing(DATA)).toEqual([]);
  });

  it("runs without Prometheus", async () => {
    const { code, output } = await runDemo("--no-prometheus");
    expect(output).not.toContain("check waiting, prometheus");
    expect(output).toMatch(/Confirmed: several sessions wait for a lock/);
    expect(code).toBe(0);
  });
});
