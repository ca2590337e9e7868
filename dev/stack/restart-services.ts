// Restarts services that exit by themselves, with growing pauses. A service that exits again and again is given up.

import { setTimeout as delay } from "node:timers/promises";
import type { ServiceHandle, ServiceName } from "./services/service.ts";
import type { ProgressEvent } from "./stack.ts";

/** The pause before the first restart; it doubles with each quick exit. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** A service that ran for this long has recovered: its next exit counts as the first. */
const RECOVERED_MS = 60_000;
/** Restarts in a row. With their pauses they take a minute and a half. */
const MAX_RESTARTS = 8;

export interface RestarterOptions {
  service(name: ServiceName): Pick<ServiceHandle, "start">;
  report(event: ProgressEvent): void;
  readonly logPathOf: (name: ServiceName) => string;
  /** For tests. */
  readonly firstPauseMs?: number;
}

export interface Restarter {
  /** To be called when a service has exited by itself. */
  exited(name: ServiceName): void;
  /** Starts nothing more, and waits for a start in progress. The signal of the services must be aborted before. */
  close(): Promise<void>;
}

export function createRestarter(options: RestarterOptions): Restarter {
  const { service, report, logPathOf, firstPauseMs = FIRST_PAUSE_MS } = options;
  const closing = new AbortController();
  /** Restarts in a row, and the end of the last one. */
  const restarts = new Map<ServiceName, { count: number; endedAt: number }>();
  const running = new Map<ServiceName, Promise<void>>();

  const restart = async (name: ServiceName): Promise<void> => {
    for (;;) {
      const last = restarts.get(name);
      const isRecovered = last === undefined || performance.now() - last.endedAt > RECOVERED_MS;
      const count = isRecovered ? 0 : last.count;
      if (count >= MAX_RESTARTS) return report({ type: "given-up", service: name, logPath: logPathOf(name) });
      const pauseMs = Math.min(firstPauseMs * 2 ** count, MAX_PAUSE_MS);
      report({ type: "restarting", service: name, pauseMs });
      try {
        await delay(pauseMs, undefined, { signal: closing.signal });
        await service(name).start();
        report({ type: "restarted", service: name });
        return;
      } catch {
        // The stop aborted it, or the service exited during its start: its log says why.
        if (closing.signal.aborted) return;
      } finally {
        restarts.set(name, { count: count + 1, endedAt: performance.now() });
      }
    }
  };

  return {
    exited(name) {
      if (closing.signal.aborted) return;
      // A service can exit again before the report of its restart: one restart follows the other.
      const previous = running.get(name) ?? Promise.resolve();
      running.set(
        name,
        previous.then(() => (closing.signal.aborted ? undefined : restart(name))),
      );
    },
    async close() {
      closing.abort();
      await Promise.all(running.values());
    },
  };
}
