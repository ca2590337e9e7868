// Paths of this repository and of the files in a data folder.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServiceName } from "./services/service.ts";

/** The checkout that contains this file. */
export const REPO_DIR = resolve(fileURLToPath(new URL("../..", import.meta.url)));

export interface StackPaths {
  dir: string;
  info: string;
  lock: string;
  pids: string;
  ports: string;
  secrets: string;
  logs: string;
  /** PGDATA, unless root has to put it elsewhere (services/postgres-home.ts). */
  postgres: string;
  chroma: string;
  /** Traces that the collector keeps. */
  traces: string;
  /** wrangler's state, configuration copy, home and temporary files. */
  wrangler: string;
  workerEnv: string;
  /** The Supabase CLI's working folder: a copy, so that it writes nothing to the checkout. */
  migrations: string;
}

/** @param dir absolute path of the data folder */
export function stackPaths(dir: string): StackPaths {
  return {
    dir,
    info: join(dir, "stack.json"),
    lock: join(dir, "lock"),
    pids: join(dir, "pids.json"),
    ports: join(dir, "ports.json"),
    secrets: join(dir, "secrets.json"),
    logs: join(dir, "logs"),
    postgres: join(dir, "postgres"),
    chroma: join(dir, "chroma"),
    traces: join(dir, "traces"),
    wrangler: join(dir, "wrangler"),
    workerEnv: join(dir, "worker.env"),
    migrations: join(dir, "migrations"),
  };
}

export function logPathOf(paths: StackPaths, name: ServiceName | "migrations" | "cleanup" | "cron"): string {
  return join(paths.logs, `${name}.log`);
}
