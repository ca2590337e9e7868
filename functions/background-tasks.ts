// Tasks that outlive the request, queue message or job that started them.

import type { Log } from "./telemetry/log.ts";

/** Lets a task outlive the request that started it. */
export type RunInBackground = (task: Promise<unknown>) => void;

/** A rejected task is a bug. It is logged here, because the platform would print its message, which may hold content. */
export function createRunInBackground(log: Log, waitUntil: (task: Promise<unknown>) => void): RunInBackground {
  return (task) =>
    waitUntil(
      task.catch((error: unknown) => {
        log("error", "background.failed", { error: error instanceof Error ? error : "unknown" });
      }),
    );
}
