// Registry of the process groups that must not outlive this process. It is kept in two places: in the cleanup process,
// which acts when this process dies, and in `pids.json`, which the next start reads in case the cleanup process was
// killed too.

import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { readJsonIfExists, writeFileAtomic } from "./atomic-file.ts";
import { baseEnvironment, spawnLogged } from "./child-process.ts";
import type { Lock } from "./lock.ts";
import {
  findMarkedProcesses,
  findProcess,
  identityOf,
  isAlive,
  killFamily,
  type ProcessIdentity,
  processMarker,
  stopFamily,
} from "./process-tree.ts";

const entrySchema = z.object({
  name: z.string(),
  pid: z.int().positive(),
  /** As in `ProcessIdentity`. */
  startedAt: z.string(),
  stopSignal: z.custom<NodeJS.Signals>((value) => typeof value === "string" && /^SIG[A-Z0-9]+$/.test(value)),
  /** From the stop signal to SIGKILL. */
  graceMs: z.number().nonnegative(),
});

/** The leader of one process group, and how to stop it. */
export type RegistryEntry = z.infer<typeof entrySchema>;

/** Messages to the cleanup process, one JSON object a line. */
export const cleanupMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("begin"),
    owner: z.object({ pid: z.int().positive(), startedAt: z.string() }),
    /** The data folder: its process marker finds processes that are not registered. */
    dir: z.string(),
    lockPath: z.string(),
    /** Files that are valid only while the stack runs. */
    files: z.array(z.string()),
  }),
  z.object({ type: z.literal("add"), entry: entrySchema }),
  z.object({ type: z.literal("remove"), pid: z.int() }),
  /** A folder to delete after the processes have exited. */
  z.object({ type: z.literal("delete-later"), path: z.string() }),
  /** The supervisor has stopped and deleted everything itself. */
  z.object({ type: z.literal("done") }),
]);

export type CleanupMessage = z.infer<typeof cleanupMessageSchema>;

export interface RegistryFiles {
  /** The data folder. */
  dir: string;
  lock: string;
  pids: string;
  /** `stack.json`. */
  info: string;
}

export interface ProcessRegistry {
  /** Environment variables for every process that is started: see `processMarker`. */
  readonly marker: Record<string, string>;
  add(entry: Omit<RegistryEntry, "startedAt">): ProcessIdentity;
  remove(pid: number): void;
  /** Deletes a folder when the stack ends, also when it is killed. */
  deleteLater(path: string): void;
  /** Kills processes that still have the marker, deletes folders and ends the cleanup process. */
  close(): Promise<void>;
}

const CLEANUP_EXIT_MS = 5_000;

/** Starts the cleanup process and adds it to the lock. */
export function createProcessRegistry(files: RegistryFiles, lock: Lock, cleanupLog: string): ProcessRegistry {
  const cleanup = startCleanupProcess(cleanupLog, lock);
  const entries = new Map<number, RegistryEntry>();
  const foldersToDelete = new Set<string>();
  const send = (message: CleanupMessage): void => {
    cleanup.stdin?.write(`${JSON.stringify(message)}\n`);
  };
  const writePids = (): void => writeFileAtomic(files.pids, JSON.stringify([...entries.values()], null, 1));

  send({
    type: "begin",
    owner: identityOf(process.pid),
    dir: files.dir,
    lockPath: files.lock,
    files: [files.info, files.pids],
  });
  return {
    marker: processMarker(files.dir),
    add(entry) {
      // A child that has already exited is a zombie until Node reaps it. Then there is nothing to stop.
      const startedAt = findProcess(entry.pid)?.startedAt ?? "ended";
      const registered = { ...entry, startedAt };
      send({ type: "add", entry: registered });
      entries.set(entry.pid, registered);
      writePids();
      return { pid: entry.pid, startedAt };
    },
    remove(pid) {
      if (!entries.delete(pid)) return;
      send({ type: "remove", pid });
      writePids();
    },
    deleteLater(path) {
      foldersToDelete.add(path);
      send({ type: "delete-later", path });
    },
    async close() {
      entries.clear();
      // Tests start servers of their own with the marker.
      await Promise.all(findMarkedProcesses(files.dir).map((identity) => killFamily(identity)));
      rmSync(files.pids, { force: true });
      for (const folder of foldersToDelete) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      send({ type: "done" });
      cleanup.stdin?.end();
      const deadline = Date.now() + CLEANUP_EXIT_MS;
      while (cleanup.exitCode === null && cleanup.signalCode === null && Date.now() < deadline) await delay(5);
    },
  };
}

/**
 * Stops processes of an earlier run on this folder whose supervisor and cleanup process were both killed.
 * @returns their names, or the process ids of those that were not registered
 */
export async function stopLeftovers({ dir, pids }: Pick<RegistryFiles, "dir" | "pids">): Promise<string[]> {
  const entries = z
    .array(entrySchema)
    .catch([])
    .parse(readJsonIfExists(pids) ?? []);
  const alive = entries.filter(isAlive);
  await Promise.all(alive.map((entry) => stopFamily(entry, entry.stopSignal, entry.graceMs)));
  const unregistered = findMarkedProcesses(dir);
  await Promise.all(unregistered.map((identity) => killFamily(identity)));
  rmSync(pids, { force: true });
  return [...alive.map(({ name }) => name), ...unregistered.map(({ pid }) => `process ${pid}`)];
}

function startCleanupProcess(logPath: string, lock: Lock): ChildProcess {
  const { child } = spawnLogged({
    command: process.execPath,
    args: [fileURLToPath(new URL("./cleanup-process.ts", import.meta.url))],
    // Not the data folder, which it may delete.
    cwd: "/",
    env: baseEnvironment(),
    logPath,
    stdin: "pipe",
  });
  if (child.pid === undefined) throw new Error(`The cleanup process could not be started with ${process.execPath}.`);
  lock.addCleanupProcess(identityOf(child.pid));
  // When the cleanup process was killed, the stack runs on: `pids.json` remains.
  child.stdin?.on("error", () => {});
  child.unref();
  return child;
}
