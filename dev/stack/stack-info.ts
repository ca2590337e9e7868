/**
 * `stack.json`: how scripts and the command line find a running stack. It exists only while everything is healthy;
 * a file left by a killed run is told from a live one by the lock's owner.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { logPathOf, type StackPaths, stackPaths } from "./paths.ts";
import type { PartName } from "./stack.ts";
import { readJsonIfThere, writeFileAtomic } from "./system/atomic-file.ts";
import { identityOf, isAlive } from "./system/process-tree.ts";

const port = z.int().min(1).max(65_535);
const pid = z.int().positive();

export const stackInfoSchema = z.strictObject({
  version: z.literal(1),
  startedAt: z.iso.datetime(),
  /** The process that called `startStack`; with `pidStartedAt` it is unmistakable. */
  pid,
  pidStartedAt: z.string(),
  /** Addresses on 127.0.0.1. A part left out of `parts` keeps its address, where nothing listens. */
  urls: z.strictObject({
    worker: z.url(),
    /** The gateway: what `SUPABASE_URL` is for the Worker. */
    supabase: z.url(),
    chroma: z.url(),
    /** Ends in `/v1`, the base of the OpenAI-shaped API. */
    embeddings: z.url(),
    collector: z.url(),
    /** With the superuser's password. */
    postgres: z.url(),
  }),
  ports: z.strictObject({
    worker: port,
    gateway: port,
    postgres: port,
    postgrest: port,
    postgrestAdmin: port,
    chroma: port,
    embeddings: port,
    collector: port,
  }),
  /** Leaders of the parts that run. */
  pids: z.record(z.string(), pid),
  token: z.string(),
  anonKey: z.string(),
  serviceRoleKey: z.string(),
  /** The Worker's variables, for scripts that read and write what it does. */
  workerEnv: z.record(z.string(), z.string()),
  /** Log file of each part. */
  logs: z.record(z.string(), z.string()),
});

export type StackInfo = z.infer<typeof stackInfoSchema>;

export type StackInfoReading =
  | { state: "running"; info: StackInfo }
  /** Left behind by a run that was killed: nothing in it can be used. */
  | { state: "stale"; info: StackInfo }
  | { state: "none" };

/** Reads `<dir>/stack.json`. A file that does not parse counts as none. */
export function readStackInfo(dir: string): StackInfoReading {
  const parsed = stackInfoSchema.safeParse(readJsonIfThere(stackPaths(resolve(dir)).info));
  if (!parsed.success) return { state: "none" };
  const info = parsed.data;
  return { state: isAlive({ pid: info.pid, startedAt: info.pidStartedAt }) ? "running" : "stale", info };
}

/** Everything that is known once the parts are healthy; their process ids are put in as they run. */
export function createStackInfo(facts: {
  ports: StackInfo["ports"];
  urls: StackInfo["urls"];
  secrets: Pick<StackInfo, "token" | "anonKey" | "serviceRoleKey">;
  workerEnv: Record<string, string>;
  parts: readonly PartName[];
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
    logs: Object.fromEntries(facts.parts.map((name) => [name, logPathOf(facts.paths, name)])),
  };
}

export function writeStackInfo(path: string, info: StackInfo): void {
  writeFileAtomic(path, `${JSON.stringify(stackInfoSchema.parse(info), null, 2)}\n`);
}

export function removeStackInfo(path: string): void {
  rmSync(path, { force: true });
}
