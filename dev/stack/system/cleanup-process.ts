// Process entry: cleans up after a supervisor that was killed or crashed. It reads messages from a pipe to the
// supervisor. When the pipe closes without "done", it stops every registered process family and removes the lock,
// `stack.json` and ephemeral folders. The process has a session of its own, so Ctrl-C in a terminal does not reach it.

import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { releaseLockOf } from "./lock.ts";
import { type CleanupMessage, cleanupMessageSchema, type RegistryEntry } from "./process-registry.ts";
import { findMarkedProcesses, killFamily, stopFamily } from "./process-tree.ts";

/**
 * Together the time that a busy machine may take from the fork of a process to its exec, which sets its environment.
 */
const UNREGISTERED_PASSES = 3;
const UNREGISTERED_PASS_MS = 150;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});

const entries = new Map<number, RegistryEntry>();
const foldersToDelete = new Set<string>();
let begin: Extract<CleanupMessage, { type: "begin" }> | undefined;
let isDone = false;

function handle(message: CleanupMessage): void {
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

/** Undefined for an incomplete line, which a supervisor leaves that is killed while it writes. */
function parse(line: string): CleanupMessage | undefined {
  try {
    return cleanupMessageSchema.parse(JSON.parse(line));
  } catch (error) {
    console.error(error);
    return undefined;
  }
}

async function cleanUp(): Promise<void> {
  const registered = [...entries.values()];
  const names = registered.map(({ name }) => name).join(", ");
  console.log(`The supervisor has exited without a stop. Stopping ${names || "no registered process"}.`);
  const results = await Promise.allSettled(
    registered.map((entry) => stopFamily(entry, entry.stopSignal, entry.graceMs)),
  );
  for (const result of results) if (result.status === "rejected") console.error(result.reason);
  await killUnregistered();
  for (const file of begin?.files ?? []) rmSync(file, { force: true });
  for (const folder of foldersToDelete) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // Last: the next owner of the lock must find everything clean.
  if (begin) releaseLockOf(begin.lockPath, begin.owner);
}

/** Kills processes that the supervisor started but had no time to register. */
async function killUnregistered(): Promise<void> {
  if (!begin) return;
  for (let pass = 0; pass < UNREGISTERED_PASSES; pass += 1) {
    await Promise.all(findMarkedProcesses(begin.dir).map((identity) => killFamily(identity)));
    await delay(UNREGISTERED_PASS_MS);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = parse(line);
  if (message) handle(message);
}
if (!isDone) await cleanUp();
process.exit(0);
