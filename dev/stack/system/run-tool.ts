// Runs a command to its end while the stack starts (initdb, the Supabase CLI): logged, abortable and registered.

import { describeExit, type LoggedCommand, type ProcessExit, spawnLogged } from "./child-process.ts";
import { StackError } from "./errors.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import { killFamily } from "./process-tree.ts";

export interface ToolRun extends LoggedCommand {
  /** Used in error messages. */
  name: string;
  registry: ProcessRegistry;
  signal: AbortSignal;
}

/** How the cleanup process stops a tool. */
const STOP = { stopSignal: "SIGTERM", graceMs: 1_000 } as const;

/** @throws StackError with the end of the log when the tool fails, and the signal's reason when it is aborted */
export async function runTool(run: ToolRun): Promise<void> {
  const { name, registry, signal, logPath } = run;
  signal.throwIfAborted();
  const { child, logOffset } = spawnLogged({ ...run, env: { ...run.env, ...registry.marker } });
  const exited = new Promise<ProcessExit>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
  });
  const { pid } = child;
  const identity = pid === undefined ? undefined : registry.add({ name, pid, ...STOP });
  const kill = (): void => {
    if (identity) void killFamily(identity);
  };
  signal.addEventListener("abort", kill, { once: true });
  try {
    const exit = await exited.catch((cause: Error) => {
      throw new StackError(`${name} could not be started: ${cause.message}`, { cause });
    });
    signal.throwIfAborted();
    const log = { logPath, logOffset };
    if (exit.exitCode !== 0) throw new StackError(`${name} failed (${describeExit(exit)}).`, log);
  } finally {
    signal.removeEventListener("abort", kill);
    if (identity) registry.remove(identity.pid);
  }
}
