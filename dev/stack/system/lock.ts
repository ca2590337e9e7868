// Lock of a data folder. It names two processes: the supervisor and its cleanup process. The lock is free when both
// have exited, so a new start never races the cleanup after a killed run.

import { randomBytes } from "node:crypto";
import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { readFileIfExists, readJsonIfExists, writeFileAtomic } from "./atomic-file.ts";
import { StackAlreadyRunningError } from "./errors.ts";
import { identityOf, isAlive, type ProcessIdentity } from "./process-tree.ts";

const identitySchema = z.object({ pid: z.int().positive(), startedAt: z.string() });
const lockSchema = z.object({ owner: identitySchema, cleanup: identitySchema.optional() });

type LockContent = z.infer<typeof lockSchema>;

export interface Lock {
  /** Adds the cleanup process: nobody else gets the lock before it has exited. */
  addCleanupProcess(cleanup: ProcessIdentity): void;
  release(): void;
}

const POLL_MS = 50;

export interface LockOptions {
  /** Error message for a start that is refused. */
  describeOwner(pid: number): string;
  /** Called once when the cleanup process of a killed run still works. */
  onWait(): void;
  signal: AbortSignal;
}

/**
 * Takes the lock, if necessary after the cleanup process of a killed run has finished.
 * @throws StackAlreadyRunningError when a living process holds it
 */
export async function acquireLock(path: string, { describeOwner, onWait, signal }: LockOptions): Promise<Lock> {
  const content: LockContent = { owner: identityOf(process.pid) };
  for (let isWaiting = false; ; ) {
    if (createExclusively(path, content)) return createLock(path, content);
    const text = readFileIfExists(path);
    if (text === undefined) continue;
    const holder = lockSchema.safeParse(readJsonIfExists(path)).data;
    if (holder && isAlive(holder.owner)) {
      throw new StackAlreadyRunningError(describeOwner(holder.owner.pid), holder.owner.pid);
    }
    const isCleaning = holder?.cleanup !== undefined && isAlive(holder.cleanup);
    if (!isCleaning) {
      removeStale(path, text);
      continue;
    }
    if (!isWaiting) onWait();
    isWaiting = true;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Removes the lock if `owner` holds it. The cleanup process calls this for an owner that has exited. */
export function releaseLockOf(path: string, owner: ProcessIdentity): void {
  const holder = lockSchema.safeParse(readJsonIfExists(path)).data?.owner;
  if (holder?.pid === owner.pid && holder.startedAt === owner.startedAt) rmSync(path, { force: true });
}

function createLock(path: string, content: LockContent): Lock {
  return {
    addCleanupProcess: (cleanup) => writeFileAtomic(path, JSON.stringify({ ...content, cleanup })),
    release: () => releaseLockOf(path, content.owner),
  };
}

/** A hard link appears with its whole content. A file opened with O_EXCL can be seen half-written. */
function createExclusively(path: string, content: LockContent): boolean {
  const temporary = `${path}.${randomBytes(4).toString("hex")}.tmp`;
  writeFileSync(temporary, JSON.stringify(content), { mode: 0o600 });
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Removes the lock if it still has `staleText`. Restores it when another start has taken it in between. */
function removeStale(path: string, staleText: string): void {
  const aside = `${path}.${randomBytes(4).toString("hex")}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  try {
    if (readFileIfExists(aside) !== staleText) linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}
