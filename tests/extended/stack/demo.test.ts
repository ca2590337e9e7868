// The demo of `npm start`, beside a stack whose stores it must not touch.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { runDemo } from "../../../dev/start/demo.ts";
import { killProcessesUsing, processesUsing } from "../../integration/stack/support/processes.ts";
import { runSupervisor, type Supervisor } from "../../integration/stack/support/run-supervisor.ts";
import { scratchDir } from "../../integration/stack/support/scratch.ts";
import { createHarness, sql, workerEnv } from "../../integration/support/harness.ts";

/** The cleanup process gives the services at most 10 s before SIGKILL. */
const EXIT_TIMEOUT_MS = 120_000;
const ENTRY = join(import.meta.dirname, "support/demo-supervisor.ts");

const harness = createHarness();

beforeAll(async () => {
  // A real memory with something in it.
  await harness.triage({ title: "worker exits with code 1", target: "worker", logs: "panic: no space left on device" });
});

/** Rows of every table, and records of every collection. */
async function contents(): Promise<Record<string, number>> {
  const tables = await sql`select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [count] = await sql.unsafe(`select count(*)::int as rows from ${name}`);
    rows[name] = count?.rows;
  }
  const { vectors } = harness.services;
  for (const name of await vectors.collections())
    rows[`collection ${name}`] = (await vectors.ids(name, { offset: 0, limit: 1_000 })).length;
  return rows;
}

describe("the demo", { timeout: 300_000 }, () => {
  test("brings the fix of a failure back for another service, and leaves the real stores and nothing else", async () => {
    const dir = scratchDir();
    const before = await contents();
    // A power cut has left data of an earlier demo.
    mkdirSync(join(dir, "demo/postgres"), { recursive: true });
    writeFileSync(join(dir, "demo/postgres/PG_VERSION"), "1\n");
    const { first, fix, second } = await runDemo({ dir });
    expect(first).toMatchObject({ outcome: "cause", target: "checkout", answer: { worked_before: [] } });
    expect(second).toMatchObject({ outcome: "cause", target: "invoices" });
    expect(second.answer.worked_before).toMatchObject([
      { same_failure: true, recurrence: { targets: ["checkout"] }, fix: { text: fix, tried: 1, worked: 1 } },
    ]);
    expect(await contents()).toEqual(before);
    expect(readdirSync(dir)).toEqual(["tmp"]);
  });

  test.runIf(process.platform === "linux").each([
    ["is killed", "SIGKILL", { code: null, signal: "SIGKILL" }],
    ["gets a Ctrl-C", "SIGINT", { code: 130, signal: null }],
  ] as const)("leaves neither data nor processes when it %s in the middle", async (_, signal, exit) => {
    const { dir, scratch, demo } = startDemo();
    const before = await contents();
    await demo.waitFor(({ message }) => message === "its fix");
    demo.signalGroup(signal);
    expect(await demo.exited).toEqual(exit);
    await expect.poll(() => processesUsing(scratch), { timeout: EXIT_TIMEOUT_MS }).toEqual([]);
    expect(existsSync(join(dir, "demo"))).toBe(false);
    expect(await contents()).toEqual(before);
  });
});

/** A demo in a process of its own. */
function startDemo(): { readonly dir: string; readonly scratch: string; readonly demo: Supervisor } {
  const scratch = scratchDir();
  const dir = join(scratch, "data");
  mkdirSync(dir);
  onTestFinished(() => killProcessesUsing(scratch));
  const options = { dir, extraWorkerVars: { ...workerEnv } };
  return { dir, scratch, demo: runSupervisor({ scratch, entry: ENTRY, options }) };
}
