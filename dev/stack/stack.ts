// Options, progress events and handle of a local stack.

import type { ServiceHandle, ServiceName } from "./services/service.ts";
import type { StackInfo } from "./stack-info.ts";

/** Steps of a start that are shown to a person. */
export type StepName = ServiceName | "migrations";

export type ProgressEvent =
  | { type: "step"; step: StepName; state: "started" }
  /** Sent every 10 s. `waitsFor` completes "still starting: …". */
  | { type: "step"; step: StepName; state: "waiting"; elapsedMs: number; waitsFor: string; logPath: string }
  | { type: "step"; step: StepName; state: "ready"; elapsedMs: number; detail?: string }
  | { type: "step"; step: StepName; state: "failed"; elapsedMs: number; error: Error }
  /** Another step failed, or the start was aborted. */
  | { type: "step"; step: StepName; state: "cancelled"; elapsedMs: number }
  /** An unusual event that a person should know of, such as processes of an earlier run that were stopped. */
  | { type: "note"; message: string }
  /** A service exited by itself. It is restarted after a pause, if the stack restarts its services. */
  | {
      type: "exited";
      service: ServiceName;
      exitCode: number | null;
      exitSignal: NodeJS.Signals | null;
      logPath: string;
    }
  | { type: "restarting"; service: ServiceName; pauseMs: number }
  | { type: "restarted"; service: ServiceName }
  /** It exited or did not start several times in a row. */
  | { type: "given-up"; service: ServiceName; logPath: string }
  | { type: "stopping" };

export interface StackOptions {
  /** Folder for data, logs, secrets and `stack.json`. Created when missing. */
  dir: string;
  /** For tests: no fsync, random ports, no cron jobs, and `dir` is deleted on stop. */
  ephemeral?: boolean;
  /** Restart services that exit by themselves. Default: not in an ephemeral stack, whose tests kill them. */
  restart?: boolean;
  /** For tests: milliseconds between two checks of a running service. */
  healthIntervalMs?: number;
  /** Services to run; their dependencies are added. Default: `REQUIRED_SERVICES`. */
  services?: readonly ServiceName[];
  onProgress?: (event: ProgressEvent) => void;
  /** Added to the Worker's variables, which they override. */
  extraWorkerVars?: Record<string, string>;
  /**
   * Requests a minute that the Worker admits, in place of every limit in wrangler.toml. Default of an ephemeral stack:
   * practically unlimited, because tests and benches share one token.
   */
  requestsPerMinute?: number;
  /** Dependencies not to run: they run elsewhere, at addresses in `extraWorkerVars`. */
  without?: readonly ServiceName[];
  /** Aborting stops all that was started; `startStack` then throws the signal's reason. */
  signal?: AbortSignal;
  /** Folder of `supabase/migrations` and `wrangler.toml`. Default: this repository. */
  projectDir?: string;
}

export interface Stack {
  readonly info: StackInfo;
  /** The Worker's variables, also for commands that use the same stores. */
  readonly workerEnv: Record<string, string>;
  /** @throws Error when the stack was started without this service */
  service(name: ServiceName): ServiceHandle;
  /** Stops all services in reverse order and removes `stack.json` and the lock. Can be called again. */
  stop(): Promise<void>;
}
