// Installs the tools of the typed client: locked versions, in the data folder, shared by later runs.

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { REPO_DIR } from "../stack/paths.ts";

const SOURCE = fileURLToPath(new URL("tools", import.meta.url));
const TARGET = join(REPO_DIR, ".dejavu/client-tools");
const LOCK = "package-lock.json";
const TIMEOUT_MS = 120_000;

export interface ClientTools {
  /** Command of openapi-typescript, for Node. */
  readonly generator: string;
  /** Command of the oldest compiler that the client supports, for Node. */
  readonly compiler: string;
}

const run = promisify(execFile);

/** @throws Error if npm fails, for example without a registry */
export async function installClientTools(): Promise<ClientTools> {
  const lock = await readFile(join(SOURCE, LOCK), "utf8");
  if ((await readFile(join(TARGET, LOCK), "utf8").catch(() => "")) !== lock) await install(lock);
  return {
    generator: join(TARGET, "node_modules/openapi-typescript/bin/cli.js"),
    compiler: join(TARGET, "node_modules/typescript/bin/tsc"),
  };
}

/** Replaces the folder at the end: a stopped install leaves no half of it. */
async function install(lock: string): Promise<void> {
  const work = `${TARGET}-${process.pid}`;
  try {
    await mkdir(work, { recursive: true });
    await cp(join(SOURCE, "package.json"), join(work, "package.json"));
    await writeFile(join(work, LOCK), lock);
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    // On Windows npm is a script, which needs a shell.
    await run("npm", args, { cwd: work, timeout: TIMEOUT_MS, shell: process.platform === "win32" }).catch((cause) => {
      throw new Error("npm could not install the tools of the client. Is the npm registry reachable?", { cause });
    });
    await rm(TARGET, { recursive: true, force: true });
    await rename(work, TARGET);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
