/**
 * One owner per data folder. The lock holds two identities: the supervisor and its reaper. It is free only when both
 * are gone, so that a new start never races the reaper that still cleans up after a killed run.
 */
import { randomBytes } from "node:crypto";
import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { readFileIfThere, readJsonIfThere, writeFileAtomic } from "./atomic-file.ts";
import { StackAlreadyRunningError } from "./errors.ts";
import { type Identity, identityOf, isAlive } from "./process-tree.ts";

const identitySchema = z.object({ pid: z.int().positive(), startedAt: z.string() });
const lockSchema = z.object({ owner: identitySchema, reaper: identitySchema.optional() });

type LockContent = z.infer<typeof lockSchema>;

export interface Lock {
  /** Adds the reaper: until it has ended too, nobody else gets the lock. */
  addReaper(reaper: Identity): void;
  release(): void;
}

/** A reaper gives each part 5 s before SIGKILL, all parts at once. */
const REAPER_WAIT_MS = 15_000;
const POLL_MS = 50;

export interface LockOptions {
  /** The sentence for the person whose start is refused. */
  describeOwner(pid: number): string;
  /** Called once when the reaper of a killed run has to be waited for. */
  onWait(): void;
  signal: AbortSignal;
}

/**
 * Takes the lock, at once or after the reaper of a killed run has finished.
 * @throws StackAlreadyRunningError when a living process holds it
 */
export async function acquireLock(path: string, { describeOwner, onWait, signal }: LockOptions): Promise<Lock> {
  const deadline = Date.now() + REAPER_WAIT_MS;
  const content: LockContent = { owner: identityOf(process.pid) };
  for (let told = false; ; ) {
    if (createExclusively(path, content)) return createLock(path, content);
    const text = readFileIfThere(path);
    if (text === undefined) continue;
    const held = lockSchema.safeParse(readJsonIfThere(path));
    if (held.success && isAlive(held.data.owner)) {
      throw new StackAlreadyRunningError(describeOwner(held.data.owner.pid), held.data.owner.pid);
    }
    const reaping = held.success && held.data.reaper !== undefined && isAlive(held.data.reaper);
    if (!reaping || Date.now() > deadline) {
      removeStale(path, text);
      continue;
    }
    if (!told) onWait();
    told = true;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Removes the lock if `owner` is the one it names. For the reaper, which acts for a dead owner. */
export function releaseLockOf(path: string, owner: Identity): void {
  const held = lockSchema.safeParse(readJsonIfThere(path));
  const isTheirs = held.success && held.data.owner.pid === owner.pid && held.data.owner.startedAt === owner.startedAt;
  if (isTheirs) rmSync(path, { force: true });
}

function createLock(path: string, content: LockContent): Lock {
  return {
    addReaper: (reaper) => writeFileAtomic(path, JSON.stringify({ ...content, reaper })),
    release: () => releaseLockOf(path, content.owner),
  };
}

/** A hard link appears with its whole content or not at all, which open(O_EXCL) does not promise. */
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

/** Removes the lock whose text was judged stale; puts it back if another start took it in between. */
function removeStale(path: string, judgedText: string): void {
  const aside = `${path}.${randomBytes(4).toString("hex")}.stale`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  try {
    if (readFileIfThere(aside) !== judgedText) linkSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}
