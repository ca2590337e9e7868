// `npm test`: type check, lint, then all tests. Prints `N passed, N failed`. CI runs the same command with CI=true: it
// installs the Debian programs that tests use, and counts a skipped test as failed.
//
//   npm test -- <path or name>   only files whose path contains this, else only tests whose name does
//   npm run test:unit            only tests that need no server
//   npm run test:coverage        all tests, with the coverage of functions/

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { z } from "zod";
import { REPO_DIR } from "../dev/stack/paths.ts";
import { connectDirectly } from "../dev/stack/system/direct-connections.ts";
import { installPrograms } from "./support/debian.ts";

const BIN = join(REPO_DIR, "node_modules/.bin");
/** vitest's JSON report of the last run. */
const REPORT = join(REPO_DIR, ".dejavu/tests/report.json");
/** While it runs: two runs at once must not read the figures of each other. */
const OWN_REPORT = `${REPORT}.${process.pid}`;
const BY_NAME = "--testNamePattern";
const isCi = Boolean(process.env.CI);

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The tests to run. Without project and filters: all tests, types and lint. */
interface Selection {
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

/** The running tool, which receives the signals of this process. */
let running: ChildProcess | undefined;
let stopSignal: NodeJS.Signals | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    running?.kill(signal);
    stopSignal ??= signal;
  });
}
// Tests talk to servers of their own.
connectDirectly();
const { values, positionals } = parseArgs({
  options: { project: { type: "string" }, coverage: { type: "boolean", default: false } },
  allowPositionals: true,
});
process.exitCode = await main({ ...values, project: values.project, filters: positionals });

async function main(selection: Selection): Promise<number> {
  const isFullRun = selection.project === undefined && selection.filters.length === 0;
  const startedAt = performance.now();
  if (isCi && selection.project !== "unit") {
    await installPrograms();
    console.log(`The Debian programs of the tests are installed (${secondsSince(startedAt)}).`);
  }
  const results: Tally[] = [];
  if (isFullRun) {
    results.push(await check("types of the client are written", "node", ["dev/client/write-types.ts"]));
    results.push(await check("types", "tsc", ["--noEmit"]));
    results.push(await check("types of the console", "tsc", ["--noEmit", "--project", "console"]));
    results.push(await check("lint and format", "biome", ["check", "--error-on-warnings", "."]));
  }
  results.push(await tests(selection));
  if (stopSignal) {
    console.error("\nStopped.");
    return 130;
  }
  const sum = (field: keyof Tally) => results.reduce((total, result) => total + result[field], 0);
  // CI installs every program: no test has a reason to be skipped.
  const skippedAsFailed = isCi ? sum("skipped") : 0;
  const failed = sum("failed") + skippedAsFailed;
  if (skippedAsFailed > 0) console.log(`${skippedAsFailed} were skipped, which counts as failed in CI.`);
  const skipped = sum("skipped") - skippedAsFailed;
  console.log(`\nTook ${secondsSince(startedAt)}.`);
  console.log(`\n${sum("passed")} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed > 0 ? 1 : 0;
}

async function check(name: string, tool: string, args: readonly string[]): Promise<Tally> {
  const startedAt = performance.now();
  const ok = await run(tool, args);
  console.log(`${ok ? "✓" : "✗"} ${name} (${secondsSince(startedAt)})`);
  return { passed: Number(ok), failed: Number(!ok), skipped: 0 };
}

async function tests({ coverage, project, filters }: Selection): Promise<Tally> {
  const args = filters.flatMap(filterArguments);
  mkdirSync(join(REPORT, ".."), { recursive: true });
  const ok = await run("vitest", [
    "run",
    ...(project === undefined ? ["--project", "unit", "--project", "servers"] : ["--project", project]),
    ...["--reporter=default", `--reporter=${join(REPO_DIR, "tests/support/slow-files.ts")}`],
    `--reporter=${join(REPO_DIR, "tests/support/second-attempts.ts")}`,
    ...["--reporter=json", `--outputFile.json=${OWN_REPORT}`],
    ...(coverage ? ["--coverage"] : []),
    ...args,
  ]);
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

async function run(tool: string, args: readonly string[]): Promise<boolean> {
  if (stopSignal) return false;
  running = spawn(join(BIN, tool), args, { cwd: REPO_DIR, stdio: "inherit" });
  const [code] = await once(running, "close");
  running = undefined;
  return code === 0;
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
}
