// `npm run test:install`: installs this repository's last commit from a clone and from its package, on each supported
// version of Node, with npm and its registry. Needs git and 6 GB of disk, and takes about ten minutes for each version.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, Option } from "commander";
import pc from "picocolors";
import { CASES, type CaseName, type Step } from "./cases.ts";
import { createMachine, NODE_VERSIONS } from "./machine.ts";

const PROGRESS_EVERY_MS = 30_000;
const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
/** Without root, each case runs as an ordinary user. */
const CASE_NAMES: readonly CaseName[] = isRoot ? ["clone", "package", "user"] : ["clone", "package"];

interface Result {
  readonly name: string;
  readonly seconds: number;
  readonly error: Error | undefined;
}

const step: Step = async (name, work) => {
  const startedAt = performance.now();
  const ticker = setInterval(() => console.log(`  ... ${name}, ${since(startedAt)} s`), PROGRESS_EVERY_MS);
  try {
    const value = await work();
    console.log(`  ${pc.green("✓")} ${name} (${since(startedAt)} s)`);
    return value;
  } catch (error) {
    console.log(`  ${pc.red("✗")} ${name} (${since(startedAt)} s)\n${error instanceof Error ? error.message : error}`);
    throw error;
  } finally {
    clearInterval(ticker);
  }
};

const { node, case: names } = new Command("npm run test:install --")
  .description("Installs Dejavu as a person does, from a clone and from its package.")
  .addOption(new Option("--node <version...>", "versions of Node").choices(NODE_VERSIONS).default(NODE_VERSIONS))
  .addOption(new Option("--case <name...>", "what to try").choices(CASE_NAMES).default(CASE_NAMES))
  .parse()
  .opts<{ node: string[]; case: CaseName[] }>();

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => stop.abort(new Error(`Stopped by ${signal}.`)));
const folder = mkdtempSync(join(tmpdir(), "dejavu-install-"));
// The ordinary user enters it.
chmodSync(folder, 0o755);
try {
  process.exitCode = await main();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function main(): Promise<number> {
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const results: Result[] = [];
  for (const version of node) {
    for (const name of names) {
      if (stop.signal.aborted) break;
      results.push(await runCase(name, version, registry));
    }
  }
  const failed = results.filter(({ error }) => error !== undefined).length;
  console.log(`\n${results.map(describeResult).join("\n")}`);
  console.log(`\n${results.length - failed} passed, ${failed} failed`);
  return failed > 0 || stop.signal.aborted ? 1 : 0;
}

async function runCase(name: CaseName, version: string, registry: string): Promise<Result> {
  const startedAt = performance.now();
  const own = join(folder, `${name}-${version}`);
  console.log(pc.bold(`\n${name} on Node ${version}`));
  const result = (error?: Error): Result => ({ name: `${name} on Node ${version}`, seconds: since(startedAt), error });
  try {
    const user = name === "user" ? NOBODY : undefined;
    const machine = await step("Node and npm", () =>
      createMachine({ folder: own, node: version, registry, user, signal: stop.signal }),
    );
    await step("versions", async () => {
      for (const tool of ["node", "npm"])
        console.log(`  ${tool} ${(await machine.run([tool, "--version"], { cwd: own })).trim()}`);
    });
    await CASES[name](machine, step);
    return result();
  } catch (error) {
    // The step has shown it.
    return result(error instanceof Error ? error : new Error(String(error)));
  } finally {
    rmSync(own, { recursive: true, force: true, maxRetries: 3 });
  }
}

function describeResult({ name, seconds, error }: Result): string {
  return `${error ? pc.red("✗") : pc.green("✓")} ${name.padEnd(20)} ${String(seconds).padStart(5)} s`;
}

function since(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 1_000);
}
