/**
 * The list of process groups that must not outlive this process, kept in two places: with the reaper, which acts at
 * once when this process dies, and in `pids.json`, for the next start should the reaper have died as well.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { pidsFileSchema, type ReaperMessage, type RosterEntry } from "../cleanup-protocol.ts";
import { baseEnvironment } from "../environment.ts";
import { openLog } from "../log-file.ts";
import { logPathOf, type StackPaths } from "../paths.ts";
import { findMarked, markOf } from "../process-marker.ts";
import { readJsonIfThere, writeFileAtomic } from "./atomic-file.ts";
import type { Lock } from "./lock.ts";
import { findProcess, type Identity, identityOf, isAlive, killFamily, stopFamily } from "./process-tree.ts";

export interface Roster {
  /** To be added to the environment of everything that is started (mark.ts). */
  readonly mark: Record<string, string>;
  /** @returns the process's identity, by which to signal it */
  add(entry: Omit<RosterEntry, "startedAt">): Identity;
  remove(pid: number): void;
  /** Deletes a folder when the stack ends, however it ends. */
  deleteLater(path: string): void;
  /** The stack is stopped: kills processes that carry its mark, deletes folders, and lets the reaper go. */
  close(): Promise<void>;
}

const REAPER_EXIT_MS = 5_000;

/** Starts the reaper and gives it to the lock. */
export function createRoster(paths: StackPaths, lock: Lock): Roster {
  const reaper = startReaper(paths, lock);
  const entries = new Map<number, RosterEntry>();
  const foldersToDelete = new Set<string>();
  const tell = (message: ReaperMessage): void => {
    reaper.stdin?.write(`${JSON.stringify(message)}\n`);
  };
  const remember = (): void => writeFileAtomic(paths.pids, JSON.stringify([...entries.values()], null, 1));

  tell({
    type: "begin",
    owner: identityOf(process.pid),
    dir: paths.dir,
    lockPath: paths.lock,
    files: [paths.info, paths.pids],
  });
  return {
    mark: markOf(paths.dir),
    add(entry) {
      // A child of ours that has ended is a zombie until Node has seen it; then there is nothing to guard.
      const startedAt = findProcess(entry.pid)?.startedAt ?? "ended";
      const full = { ...entry, startedAt };
      tell({ type: "add", entry: full });
      entries.set(entry.pid, full);
      remember();
      return { pid: entry.pid, startedAt };
    },
    remove(pid) {
      if (!entries.delete(pid)) return;
      tell({ type: "remove", pid });
      remember();
    },
    deleteLater(path) {
      foldersToDelete.add(path);
      tell({ type: "delete-later", path });
    },
    async close() {
      entries.clear();
      // Tests start servers with the mark too.
      await Promise.all(findMarked(paths.dir).map((identity) => killFamily(identity)));
      rmSync(paths.pids, { force: true });
      for (const folder of foldersToDelete) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      tell({ type: "done" });
      reaper.stdin?.end();
      const deadline = Date.now() + REAPER_EXIT_MS;
      while (reaper.exitCode === null && reaper.signalCode === null && Date.now() < deadline) await delay(5);
    },
  };
}

/**
 * Stops what an earlier run on this folder left behind, if both its supervisor and its reaper were killed.
 * @returns names, or process ids of what was on no list
 */
export async function stopLeftovers(paths: StackPaths): Promise<string[]> {
  const recorded = pidsFileSchema.catch([]).parse(readJsonIfThere(paths.pids) ?? []);
  const living = recorded.filter(isAlive);
  await Promise.all(living.map((entry) => stopFamily(entry, entry.stopSignal, entry.graceMs)));
  const others = findMarked(paths.dir);
  await Promise.all(others.map((identity) => killFamily(identity)));
  rmSync(paths.pids, { force: true });
  return [...living.map((entry) => entry.name), ...others.map(({ pid }) => `process ${pid}`)];
}

function startReaper(paths: StackPaths, lock: Lock): ChildProcess {
  const log = openLog(logPathOf(paths, "reaper"));
  const reaper = spawn(process.execPath, [fileURLToPath(new URL("./cleanup-process.ts", import.meta.url))], {
    // Not in the data folder: it deletes that.
    cwd: "/",
    env: baseEnvironment(),
    detached: true,
    stdio: ["pipe", log.fd, log.fd],
  });
  closeSync(log.fd);
  if (reaper.pid === undefined) throw new Error(`The reaper could not be started with ${process.execPath}.`);
  lock.addReaper(identityOf(reaper.pid));
  // A reaper that was killed only takes the safety net away; pids.json remains.
  reaper.stdin?.on("error", () => {});
  reaper.unref();
  return reaper;
}
