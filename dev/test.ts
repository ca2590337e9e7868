// `npm test`: types, lint, then every test; ends with `N passed, N failed`. The same command is the gate everywhere.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIN = join(ROOT, "node_modules", ".bin");

interface Tally {
  passed: number;
  failed: number;
}

const vitestReportSchema = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

function run(tool: string, args: readonly string[]): boolean {
  return spawnSync(join(BIN, tool), args, { cwd: ROOT, stdio: "inherit" }).status === 0;
}

function check(name: string, tool: string, args: readonly string[]): Tally {
  const ok = run(tool, args);
  console.log(`${ok ? "✓" : "✗"} ${name}`);
  return { passed: Number(ok), failed: Number(!ok) };
}

function tests(): Tally {
  const directory = mkdtempSync(join(tmpdir(), "dejavu-report-"));
  const report = join(directory, "report.json");
  try {
    const ok = run("vitest", [
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${report}`,
      ...process.argv.slice(2),
    ]);
    return tally(readFileSync(report, "utf8"), ok);
  } catch {
    return { passed: 0, failed: 1 }; // No report: the runner itself broke, and has said why.
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function tally(json: string, ok: boolean): Tally {
  const report = vitestReportSchema.parse(JSON.parse(json));
  // A file that fails before its first test has no failed test to count.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return { passed: report.numPassedTests, failed: ok ? failed : Math.max(failed, 1) };
}

const results = [
  check("types", "tsc", ["--noEmit"]),
  check("lint and format", "biome", ["check", "--error-on-warnings", "."]),
  tests(),
];
const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.reduce((sum, result) => sum + result.failed, 0);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
