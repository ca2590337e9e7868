// Description of a running stack, `stack.json`: its addresses, process ids, keys and the Worker's variables. The file
// exists only while all services are healthy. Its supervisor's identity shows whether a killed run has left it behind.

import { resolve } from "node:path";
import { z } from "zod";
import { logPathOf, type StackPaths, stackPaths } from "./paths.ts";
import type { Secrets } from "./secrets.ts";
import { CHROMA_DATABASE, chromaTenant } from "./services/chroma.ts";
import type { ServiceName } from "./services/service.ts";
import { readJsonIfExists, writeFileAtomic } from "./system/atomic-file.ts";
import { connectDirectly } from "./system/direct-connections.ts";
import { type Ports, portsSchema } from "./system/ports.ts";
import { identityOf, isAlive } from "./system/process-tree.ts";

const pidSchema = z.int().positive();

export const stackInfoSchema = z.strictObject({
  version: z.literal(1),
  startedAt: z.iso.datetime(),
  /** The process that called `startStack`. `pidStartedAt` distinguishes it from a later process with this id. */
  pid: pidSchema,
  pidStartedAt: z.string(),
  /** Addresses on 127.0.0.1. A service that was not started has an address, too, where nothing listens. */
  urls: z.strictObject({
    worker: z.url(),
    /** The gateway: the Worker's `SUPABASE_URL`. */
    supabase: z.url(),
    chroma: z.url(),
    collector: z.url(),
    /** With the superuser's password. */
    postgres: z.url(),
  }),
  ports: portsSchema,
  /** Process group leaders of the running services. */
  pids: z.record(z.string(), pidSchema),
  token: z.string(),
  anonKey: z.string(),
  serviceRoleKey: z.string(),
  /** The Worker's variables, for scripts that use the same stores. */
  workerEnv: z.record(z.string(), z.string()),
  /** Log file of each service. */
  logs: z.record(z.string(), z.string()),
});

export type StackInfo = z.infer<typeof stackInfoSchema>;

export type StackInfoReading =
  | { state: "running"; info: StackInfo }
  /** Left behind by a killed run: nothing in it is valid. */
  | { state: "stale"; info: StackInfo }
  | { state: "none" };

/** Reads `<dir>/stack.json`. An invalid file counts as none. */
export function readStackInfo(dir: string): StackInfoReading {
  const parsed = stackInfoSchema.safeParse(readJsonIfExists(stackPaths(resolve(dir)).info));
  if (!parsed.success) return { state: "none" };
  connectDirectly();
  const info = parsed.data;
  return { state: isAlive({ pid: info.pid, startedAt: info.pidStartedAt }) ? "running" : "stale", info };
}

/** The description of healthy services. Their process ids are added when they change. */
export function createStackInfo(facts: {
  ports: Ports;
  urls: StackInfo["urls"];
  secrets: Pick<StackInfo, "token" | "anonKey" | "serviceRoleKey">;
  workerEnv: Record<string, string>;
  services: readonly ServiceName[];
  paths: StackPaths;
}): StackInfo {
  const { ports, urls, secrets, workerEnv } = facts;
  const owner = identityOf(process.pid);
  return {
    version: 1,
    startedAt: new Date().toISOString(),
    pid: owner.pid,
    pidStartedAt: owner.startedAt,
    urls,
    ports,
    pids: {},
    token: secrets.token,
    anonKey: secrets.anonKey,
    serviceRoleKey: secrets.serviceRoleKey,
    workerEnv,
    logs: Object.fromEntries(facts.services.map((name) => [name, logPathOf(facts.paths, name)])),
  };
}

export function writeStackInfo(path: string, info: StackInfo): void {
  writeFileAtomic(path, `${JSON.stringify(stackInfoSchema.parse(info), null, 2)}\n`);
}

/** The addresses of a stack, which this process then reaches without a proxy. */
export function urlsOf(ports: Ports, secrets: Secrets): StackInfo["urls"] {
  connectDirectly();
  return {
    worker: `http://127.0.0.1:${ports.worker}`,
    supabase: `http://127.0.0.1:${ports.gateway}`,
    chroma: `http://127.0.0.1:${ports.chroma}`,
    collector: `http://127.0.0.1:${ports.collector}`,
    postgres: databaseUrl(ports, "postgres", secrets.postgresPassword),
  };
}

export function databaseUrl(ports: Ports, user: string, password: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${ports.postgres}/postgres`;
}

/** The Worker's variables. `extra` wins. */
export function workerEnvOf(
  urls: StackInfo["urls"],
  secrets: Pick<Secrets, "token" | "serviceRoleKey">,
  extra: Record<string, string>,
): Record<string, string> {
  return {
    DEJAVU_TOKEN: secrets.token,
    SUPABASE_URL: urls.supabase,
    SUPABASE_SERVICE_ROLE_KEY: secrets.serviceRoleKey,
    CHROMA_URL: urls.chroma,
    CHROMA_TENANT: chromaTenant(secrets),
    CHROMA_DATABASE,
    ...extra,
  };
}
