// Debian programs that tests use. Tests of a missing program are skipped with a message. CI installs all of them first.

import { execFile } from "node:child_process";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

interface Program {
  /** Names of the executable; Debian's first. */
  readonly names: readonly [string, ...string[]];
  readonly package: string;
  /**
   * True when the package must be installed: it needs other packages or files in fixed places. False: unpacking is
   * enough.
   */
  readonly isInstalled: boolean;
}

const PROGRAMS = {
  chromium: {
    names: ["chromium-headless-shell", "chromium", "chromium-browser"],
    package: "chromium-headless-shell",
    isInstalled: true,
  },
  prometheus: { names: ["prometheus"], package: "prometheus", isInstalled: false },
  promtool: { names: ["promtool"], package: "prometheus", isInstalled: false },
  alertmanager: {
    names: ["prometheus-alertmanager", "alertmanager"],
    package: "prometheus-alertmanager",
    isInstalled: true,
  },
  kubectl: { names: ["kubectl"], package: "kubernetes-client", isInstalled: false },
  zsh: { names: ["zsh"], package: "zsh", isInstalled: true },
  fish: { names: ["fish"], package: "fish", isInstalled: true },
} as const satisfies Record<string, Program>;

export type ProgramName = keyof typeof PROGRAMS;

/** Packages that are only unpacked, which needs no root. Shared by later runs. */
const UNPACKED = join(tmpdir(), "dejavu-debian-packages");
/** A browser with its dependencies has about 100 MB. */
const INSTALL_TIMEOUT_MS = 600_000;

const run = promisify(execFile);

/** The program's path. Null when it is missing; prints the command that installs it. */
export async function findProgram(name: ProgramName): Promise<string | null> {
  const path = await locate(PROGRAMS[name]);
  if (path === null) {
    const [executable] = PROGRAMS[name].names;
    console.warn(`Skipped: ${executable} is missing. On Debian: apt-get install ${PROGRAMS[name].package}`);
  }
  return path;
}

/** Installs missing programs. @throws Error when a package lacks its program */
export async function installPrograms(): Promise<void> {
  for (const program of Object.values(PROGRAMS)) {
    if ((await locate(program)) !== null) continue;
    if (program.isInstalled) await aptGet("/", "install", "--yes", "--no-install-recommends", program.package);
    else await unpack(program.package);
    if ((await locate(program)) === null)
      throw new Error(`The package ${program.package} does not contain ${program.names[0]}.`);
  }
}

async function locate({ names, package: packageName, isInstalled }: Program): Promise<string | null> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const unpacked = isInstalled ? [] : [join(UNPACKED, packageName, "usr/bin")];
  for (const folder of [...folders, ...unpacked]) {
    for (const name of names) if (await exists(join(folder, name))) return join(folder, name);
  }
  return null;
}

async function unpack(packageName: string): Promise<void> {
  await mkdir(UNPACKED, { recursive: true });
  const folder = join(UNPACKED, packageName);
  const work = await mkdtemp(join(UNPACKED, "work-"));
  try {
    await aptGet(work, "download", packageName);
    await run("sh", ["-c", "dpkg -x ./*.deb files"], { cwd: work });
    // Another run may have unpacked it meanwhile.
    await rename(join(work, "files"), folder).catch(() => access(folder));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Retries after `apt-get update`: a new machine has no package lists. */
async function aptGet(cwd: string, ...args: readonly string[]): Promise<void> {
  const options = { cwd, timeout: INSTALL_TIMEOUT_MS, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  try {
    await run("apt-get", [...args], options);
  } catch {
    await run("apt-get", ["update"], options);
    await run("apt-get", [...args], options);
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
