// Owns how a test gets at a program of Debian's: one that is there, else from its package. Elsewhere than on Debian there
// is none, and the test is skipped; the gate never skips it.

import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const UNPACKED = join(tmpdir(), "dejavu-debian-packages");
/** A browser with all that it needs is some 100 MB. */
const INSTALL_TIMEOUT_MS = 600_000;

/** A program, installed where that is allowed: in CI, as root. @throws Error in CI, where it cannot be had */
export function installedProgram(program: string, packageName: string): Promise<string | null> {
  return orNone(async () => {
    const there = await onPath(program);
    if (there) return there;
    if (!process.env.CI) throw new Error(`${program} is not installed: apt-get install ${packageName}`);
    await aptGet("install", "--yes", "--no-install-recommends", packageName);
    const installed = await onPath(program);
    if (installed) return installed;
    throw new Error(`the package ${packageName} brings no ${program}`);
  });
}

/** The folder of a package's files, which are not installed: for programs that need nothing else. @throws Error in CI, where it cannot be had */
export function unpackedPackage(packageName: string): Promise<string | null> {
  return orNone(async () => {
    const folder = join(UNPACKED, packageName);
    if (await exists(folder)) return folder;
    await mkdir(UNPACKED, { recursive: true });
    const work = await mkdtemp(join(UNPACKED, "work-"));
    try {
      await aptGetIn(work, "download", packageName);
      await run("sh", ["-c", "dpkg -x ./*.deb files"], { cwd: work });
      // Somebody else's is as good.
      await rename(join(work, "files"), folder).catch(() => access(folder));
      return folder;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

async function orNone(find: () => Promise<string>): Promise<string | null> {
  try {
    return await find();
  } catch (error) {
    if (process.env.CI) throw error;
    console.warn(`Skipped: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function aptGet(...args: readonly string[]): Promise<void> {
  return aptGetIn("/", ...args);
}

/** A fresh machine has no list of packages yet. */
async function aptGetIn(cwd: string, ...args: readonly string[]): Promise<void> {
  const options = { cwd, timeout: INSTALL_TIMEOUT_MS, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  try {
    await run("apt-get", [...args], options);
  } catch {
    await run("apt-get", ["update"], options);
    await run("apt-get", [...args], options);
  }
}

async function onPath(program: string): Promise<string | null> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, program);
    if (folder !== "" && (await exists(path))) return path;
  }
  return null;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
