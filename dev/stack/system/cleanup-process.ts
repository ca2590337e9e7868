/**
 * The reaper: a small process that outlives a supervisor which was killed or crashed, and cleans up after it.
 * It holds one end of a pipe; when the other end closes without "done", it stops every registered process family
 * (their own signal first, SIGKILL after their grace) and removes the lock, `stack.json` and throw-away folders.
 * It runs in a session of its own, so a terminal's Ctrl-C does not reach it.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { type ReaperMessage, type RosterEntry, reaperMessageSchema } from "../cleanup-protocol.ts";
import { findMarked } from "../process-marker.ts";
import { releaseLockOf } from "./lock.ts";
import { killFamily, stopFamily } from "./process-tree.ts";

/** Together the time a forked process may take, on a busy machine, to become what it was forked for. */
const UNLISTED_PASSES = 3;
const UNLISTED_PASS_MS = 150;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const entries = new Map<number, RosterEntry>();
const foldersToDelete = new Set<string>();
let begin: Extract<ReaperMessage, { type: "begin" }> | undefined;
let isDone = false;

function take(message: ReaperMessage): void {
  switch (message.type) {
    case "begin":
      begin = message;
      return;
    case "add":
      entries.set(message.entry.pid, message.entry);
      return;
    case "remove":
      entries.delete(message.pid);
      return;
    case "delete-later":
      foldersToDelete.add(message.path);
      return;
    case "done":
      isDone = true;
  }
}

/** A supervisor killed while it wrote leaves half a line. */
function parse(line: string): ReaperMessage | undefined {
  try {
    return reaperMessageSchema.parse(JSON.parse(line));
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

async function reap(): Promise<void> {
  const all = [...entries.values()];
  console.log(`The supervisor is gone; stopping ${all.map((entry) => entry.name).join(", ") || "nothing"}.`);
  const results = await Promise.allSettled(all.map((entry) => stopFamily(entry, entry.stopSignal, entry.graceMs)));
  for (const result of results) if (result.status === "rejected") console.error(result.reason);
  await killUnlisted();
  for (const file of begin?.files ?? []) rmSync(file, { force: true });
  for (const folder of foldersToDelete) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // Last: whoever takes the lock finds everything clean.
  if (begin) releaseLockOf(begin.lockPath, begin.owner);
}

/** What the supervisor started and had no time to tell of; looked for until it has surely got its mark. */
async function killUnlisted(): Promise<void> {
  if (!begin) return;
  for (let pass = 0; pass < UNLISTED_PASSES; pass += 1) {
    await Promise.all(findMarked(begin.dir).map((identity) => killFamily(identity)));
    await delay(UNLISTED_PASS_MS);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = parse(line);
  if (message) take(message);
}
if (!isDone) await reap();
process.exit(0);
