// Owns work that outlives the request, message or job that started it.

import type { RunInBackground } from "./investigation/run/services.ts";
import type { Log } from "./telemetry/log.ts";

/** What such work throws is a bug. The platform would print its words, which may hold content; the log has its place. */
export function createRunInBackground(log: Log, waitUntil: (work: Promise<unknown>) => void): RunInBackground {
  return (work) =>
    waitUntil(
      work.catch((error: unknown) => {
        log("error", "background.failed", { error: error instanceof Error ? error : "unknown" });
      }),
    );
}
