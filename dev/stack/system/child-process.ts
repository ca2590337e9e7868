// Child processes with a minimal environment, a process group of their own and their output in a log file.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, statSync, truncateSync } from "node:fs";

/**
 * Variables that child processes inherit. All others are left out on purpose: `PG*` redirects libpq, `CLOUDFLARE_*`
 * selects another environment or account, `SUPABASE_*` another project, and `NODE_OPTIONS` of a test runner breaks a
 * child.
 */
const INHERITED = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "LANG",
  "TZ",
  "TMPDIR",
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
  "NODE_COMPILE_CACHE",
];

/** A larger log is truncated at the next start: old runs are no longer useful. */
const MAX_LOG_BYTES = 5 * 1024 * 1024;

export interface UserIds {
  uid: number;
  gid: number;
}

export interface LoggedCommand {
  command: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment: nothing else is inherited. */
  env: Record<string, string>;
  /** Run as another user; only root can. */
  runAs?: UserIds | undefined;
  /** Receives standard output and standard error. */
  logPath: string;
  stdin?: "ignore" | "pipe";
}

export interface LoggedChild {
  child: ChildProcess;
  /** Size of the log at the start: the output of this process comes after it. */
  logOffset: number;
}

export interface ProcessExit {
  exitCode: number | null;
  exitSignal: NodeJS.Signals | null;
}

/** The variables that every child process needs, without a developer's own settings. */
export function baseEnvironment(): Record<string, string> {
  const environment: Record<string, string> = { NO_COLOR: "1" };
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}

/** Starts a command as the leader of a new process group. `child.pid` is undefined when it could not be started. */
export function spawnLogged({ command, args, cwd, env, runAs, logPath, stdin = "ignore" }: LoggedCommand): LoggedChild {
  const log = openLog(logPath);
  const logOffset = fstatSync(log).size;
  const child = spawn(command, args, {
    cwd,
    env,
    detached: true,
    stdio: [stdin, log, log],
    ...(runAs ? { uid: runAs.uid, gid: runAs.gid } : {}),
  });
  closeSync(log);
  return { child, logOffset };
}

/** Opens for appending. Only the owner can read it: requests may hold anything. */
function openLog(path: string): number {
  try {
    if (statSync(path).size > MAX_LOG_BYTES) truncateSync(path);
  } catch {
    // Not there yet: openSync creates it.
  }
  return openSync(path, "a", 0o600);
}

export function describeExit({ exitCode, exitSignal }: ProcessExit): string {
  return exitSignal ? `signal ${exitSignal}` : `exit code ${exitCode}`;
}
