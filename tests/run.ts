// `npm test`: type check and lint beside the tests. Prints `N passed, N failed`, and fails when the run costs more CPU
// time than its budget. CI runs the same command with CI=true: it installs the Debian programs that tests use, and counts
// a skipped test as failed.
//
//   npm test -- <path or name>   only files whose path contains this, else only tests whose name does
//   npm run test:unit            only tests that need no server
//   npm run test:all             also the tests of tests/extended, all looks of the console, more runs of each property
//   npm run test:changed         types, lint, unit tests, and the parts that what changed since the last commit asks for
//   npm test -- --coverage       with the coverage of functions/ and lib/

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { keepPassedCommit } from "../dev/release/passed-commit.ts";
import { REPO_DIR } from "../dev/stack/paths.ts";
import { connectDirectly } from "../dev/stack/system/direct-connections.ts";
import { changedParts } from "./support/changed-parts.ts";
import { CPU_BUDGET_S, type CpuUse, measureCpu } from "./support/cpu-budget.ts";
import { installPrograms } from "./support/debian.ts";

const BIN = join(REPO_DIR, "node_modules/.bin");
/** vitest's JSON report of the last run. */
const REPORT = join(REPO_DIR, ".dejavu/tests/report.json");
/** While it runs: two runs at once must not read the figures of each other. */
const OWN_REPORT = `${REPORT}.${process.pid}`;
const BY_NAME = "--testNamePattern";
/** Projects of vitest.config.ts that `npm test` runs. */
const USUAL_PROJECTS = ["unit", "in-process", "processes"];
/** Modules are compiled once for all processes of all runs. */
const COMPILED = join(REPO_DIR, "node_modules/.cache/dejavu/compiled");
const SHOWN_PROGRAMS = 12;
const isCi = Boolean(process.env.CI);

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The tests to run. Without project and filters: all of the extent, types and lint. */
interface Selection {
  /** Also the tests that `npm test` leaves out. */
  readonly all: boolean;
  /** What changed since the last commit chooses the tests with servers. */
  readonly changed: boolean;
  readonly coverage: boolean;
  readonly project: string | undefined;
  readonly filters: readonly string[];
}

const vitestReportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

/** The running tools, which receive the signals of this process. */
const running = new Set<ChildProcess>();
let stopSignal: NodeJS.Signals | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    for (const child of running) child.kill(signal);
    stopSignal ??= signal;
  });
}
// Tests talk to servers of their own.
connectDirectly();
const { values, positionals } = parseArgs({
  options: {
    project: { type: "string" },
    all: { type: "boolean", default: false },
    changed: { type: "boolean", default: false },
    coverage: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
process.exitCode = await main({ ...values, project: values.project, filters: positionals });

async function main(selection: Selection): Promise<number> {
  const { all, changed, coverage, project, filters } = selection;
  const isFullRun = project === undefined && filters.length === 0;
  const startedAt = performance.now();
  if (isCi && project !== "unit") {
    await installPrograms();
    console.log(`The Debian programs of the tests are installed (${secondsSince(startedAt)}).`);
  }
  const cpuUsed = measureCpu();
  const results = await Promise.all([...(isFullRun ? checks() : []), tests(selection)]);
  if (stopSignal) {
    console.error("\nStopped.");
    return 130;
  }
  const use = cpuUsed();
  // More tests cost more than the budget, and so does instrumented code.
  if (use && isFullRun) results.push(spent(use, all || changed || coverage ? undefined : CPU_BUDGET_S));
  const total = add(...results);
  // CI installs every program: no test has a reason to be skipped.
  const skippedAsFailed = isCi ? total.skipped : 0;
  const failed = total.failed + skippedAsFailed;
  if (skippedAsFailed > 0) console.log(`${skippedAsFailed} were skipped, which counts as failed in CI.`);
  const skipped = total.skipped - skippedAsFailed;
  if (all && isFullRun && failed === 0) keepPassedCommit(REPO_DIR);
  console.log(`\nTook ${secondsSince(startedAt)}.`);
  console.log(`\n${total.passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 ? 1 : 0;
}

function checks(): Promise<Tally>[] {
  return [
    // One after another: the compiler needs a core and 2 GB.
    (async () => {
      const client = await check("types of the client are written", "node", ["dev/client/write-types.ts"]);
      const product = await check("types", "tsc", ["--noEmit", "--checkers", "1"]);
      const console = await check("types of the console", "tsc", [
        "--noEmit",
        "--checkers",
        "1",
        "--project",
        "console",
      ]);
      return add(client, product, console);
    })(),
    check("lint and format", "biome", ["check", "--error-on-warnings", "."]),
  ];
}

function add(...tallies: readonly Tally[]): Tally {
  const sum = (field: keyof Tally) => tallies.reduce((total, tally) => total + tally[field], 0);
  return { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
}

/** Prints the CPU time of the run, and by program. @param budget seconds; counts as a failed test when exceeded */
function spent({ used, atReference, slowness, programs }: CpuUse, budget: number | undefined): Tally {
  const time = `${used.toFixed(0)} s of CPU time, ${atReference.toFixed(0)} s on the reference machine (work takes ${slowness.toFixed(2)} times as long here)`;
  const dearest = programs.slice(0, SHOWN_PROGRAMS).map(([program, seconds]) => `${program} ${seconds.toFixed(0)} s`);
  console.log(`\nCPU time by program: ${dearest.join(", ")}.`);
  const isExceeded = budget !== undefined && atReference > budget;
  console.log(
    isExceeded
      ? `\n✗ The run cost ${time}: more than its budget of ${budget} s. The table above names the dearest files: make them cheaper, or move what \`npm test\` can do without to tests/extended.`
      : `\nThe run cost ${time}.`,
  );
  return { passed: Number(budget !== undefined && !isExceeded), failed: Number(isExceeded), skipped: 0 };
}

/** Runs beside the tests: prints the tool's output when it has ended. */
async function check(name: string, tool: string, args: readonly string[]): Promise<Tally> {
  const startedAt = performance.now();
  const output: Buffer[] = [];
  const ok = await run(tool, args, {}, output);
  if (!ok) process.stdout.write(Buffer.concat(output));
  console.log(`${ok ? "✓" : "✗"} ${name} (${secondsSince(startedAt)})`);
  return { passed: Number(ok), failed: Number(!ok), skipped: 0 };
}

async function tests({ all, changed, coverage, project, filters }: Selection): Promise<Tally> {
  const chosen = changed ? ["tests/unit/", ...changedParts(REPO_DIR)] : filters;
  const isEverything = all || chosen.length > 0;
  const args = chosen.flatMap(filterArguments);
  const projects = project === undefined ? [...USUAL_PROJECTS, ...(isEverything ? ["extended"] : [])] : [project];
  mkdirSync(join(REPORT, ".."), { recursive: true });
  const ok = await run(
    "vitest",
    [
      "run",
      ...projects.flatMap((name) => ["--project", name]),
      ...["--reporter=default", `--reporter=${join(REPO_DIR, "tests/support/dearest-files.ts")}`],
      ...["--reporter=json", `--outputFile.json=${OWN_REPORT}`],
      ...(coverage ? ["--coverage"] : []),
      ...args,
    ],
    { DEJAVU_TESTS: all ? "all" : "usual" },
  );
  try {
    const counts = tally(readFileSync(OWN_REPORT, "utf8"), ok);
    renameSync(OWN_REPORT, REPORT);
    // vitest counts tests with other names as skipped.
    return args.includes(BY_NAME) ? { ...counts, skipped: 0 } : counts;
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // No report: vitest itself failed and has printed the reason.
  }
}

/** Arguments for a part of a path, else for a part of a test's name. Then only files that contain it are loaded. */
function filterArguments(filter: string): string[] {
  const files = readdirSync(join(REPO_DIR, "tests"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(REPO_DIR, join(entry.parentPath, entry.name)));
  if (files.some((file) => file.includes(filter))) return [filter];
  const matches = files.filter((file) => readFileSync(join(REPO_DIR, file), "utf8").includes(filter));
  return matches.length > 0 ? [...matches, BY_NAME, RegExp.escape(filter)] : [filter];
}

function tally(json: string, ok: boolean): Tally {
  const report = vitestReportSchema.parse(JSON.parse(json));
  // A file that fails before its first test counts as one failed test.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: ok ? failed : Math.max(failed, 1),
    skipped: report.numPendingTests,
  };
}

/** @param output collects what the tool prints; without it, the tool prints to the terminal */
async function run(
  tool: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
  output?: Buffer[],
): Promise<boolean> {
  if (stopSignal) return false;
  const child = spawn(join(BIN, tool), args, {
    cwd: REPO_DIR,
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...variables },
    stdio: ["inherit", output ? "pipe" : "inherit", output ? "pipe" : "inherit"],
  });
  child.stdout?.on("data", (chunk) => output?.push(chunk));
  child.stderr?.on("data", (chunk) => output?.push(chunk));
  running.add(child);
  const [code] = await once(child, "close");
  running.delete(child);
  return code === 0;
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}
