/** A command that runs to its end while the stack starts (initdb, the Supabase CLI): logged, abortable, never orphaned. */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { openLog } from "../log-file.ts";
import { describeExit, type PartExit } from "../services/service.ts";
import { StackError } from "./errors.ts";
import type { Roster } from "./process-registry.ts";
import { killFamily } from "./process-tree.ts";

export interface ToolRun {
  /** What to call it in an error. */
  name: string;
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  runAs?: { uid: number; gid: number } | undefined;
  logPath: string;
  roster: Roster;
  signal: AbortSignal;
  timeoutMs: number;
}

/** How the reaper ends a tool. */
const STOP = { stopSignal: "SIGTERM", graceMs: 1_000 } as const;

/** @throws StackError with the end of the log when the tool fails, or the signal's reason when it is aborted */
export async function runTool(run: ToolRun): Promise<void> {
  run.signal.throwIfAborted();
  const log = openLog(run.logPath);
  const child = spawn(run.command, run.args, {
    cwd: run.cwd,
    env: { ...run.env, ...run.roster.mark },
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
    ...(run.runAs ? { uid: run.runAs.uid, gid: run.runAs.gid } : {}),
  });
  closeSync(log.fd);
  const ended = new Promise<PartExit>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode, exitSignal) => resolve({ exitCode, exitSignal }));
  });
  const { pid } = child;
  const identity = pid === undefined ? undefined : run.roster.add({ name: run.name, pid, ...STOP });
  const giveUp = AbortSignal.any([run.signal, AbortSignal.timeout(run.timeoutMs)]);
  const end = (): void => {
    if (identity) void killFamily(identity);
  };
  giveUp.addEventListener("abort", end, { once: true });
  try {
    const exit = await ended.catch((cause: Error) => {
      throw new StackError(`${run.name} could not be started: ${cause.message}`, { cause });
    });
    run.signal.throwIfAborted();
    const where = { logPath: run.logPath, logOffset: log.offset };
    if (giveUp.aborted) throw new StackError(`${run.name} did not finish within ${run.timeoutMs / 1_000} s.`, where);
    if (exit.exitCode !== 0) throw new StackError(`${run.name} failed (${describeExit(exit)}).`, where);
  } finally {
    giveUp.removeEventListener("abort", end);
    if (identity) run.roster.remove(identity.pid);
  }
}
