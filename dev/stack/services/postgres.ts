/** PostgreSQL 18: how the server is run locally. Its folder is postgres-cluster.ts, its roles bootstrap.ts. */
import postgres from "postgres";
import { baseEnvironment } from "../environment.ts";
import { type ClusterOptions, prepareCluster } from "../postgres-cluster.ts";
import type { PartSpec } from "./service.ts";

export interface PostgresOptions {
  cluster: ClusterOptions;
  port: number;
  /** With the superuser's password. */
  url: string;
}

/** PostgREST's pool of 20, its listener, the Supabase CLI, tests and a person with psql. */
const MAX_CONNECTIONS = 60;

/** A throw-away database need not survive a power cut; everything else syncs. */
const UNSAFE_BUT_FAST = { fsync: "off", full_page_writes: "off" };

export function postgresSpec({ cluster, port, url }: PostgresOptions): PartSpec {
  const { home, isEphemeral } = cluster;
  const settings: Record<string, string> = {
    listen_addresses: "127.0.0.1",
    // A socket file would need a folder both users may write; nobody uses it.
    unix_socket_directories: "",
    max_connections: String(MAX_CONNECTIONS),
    shared_buffers: "128MB",
    // In the data folder instead of /dev/shm, which is small in containers and keeps rubbish of killed servers.
    dynamic_shared_memory_type: "mmap",
    // No extra worker processes for a handful of connections.
    io_method: "sync",
    log_checkpoints: "off",
    timezone: "UTC",
    ...(isEphemeral ? UNSAFE_BUT_FAST : {}),
  };
  return {
    name: "postgres",
    port,
    command: home.postgres,
    args: [
      "-D",
      home.dataDir,
      "-p",
      String(port),
      ...Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]),
    ],
    cwd: "/",
    env: baseEnvironment(),
    runAs: home.runAs,
    // "Fast shutdown": ends sessions and writes a checkpoint. SIGTERM would wait for clients to leave.
    stopSignal: "SIGINT",
    graceMs: 10_000,
    startTimeoutMs: 60_000,
    prepare: () => prepareCluster(cluster),
    isHealthy: () => answers(url),
  };
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`select 1`;
    return true;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
