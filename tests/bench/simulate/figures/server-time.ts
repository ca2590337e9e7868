// The time that servers work, by their processes: other load on the machine makes a call longer, but not the work. Linux
// has it to the nanosecond; elsewhere the time on the clock counts.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { ServiceName } from "../../../../dev/stack/services/service.ts";
import type { Stack } from "../../../../dev/stack/stack.ts";
import { familyOf, identityOf } from "../../../../dev/stack/system/process-tree.ts";

/** Processes are looked up again after so many readings: a server starts new ones. */
const READINGS_PER_LOOKUP = 50;
const NANOSECONDS = 1e6;

/** Milliseconds that the services have worked so far. */
export function createServerTime(stack: Stack, services: readonly ServiceName[]): () => number {
  if (!existsSync("/proc/self/schedstat")) return () => performance.now();
  const leaders = services.flatMap((name) => stack.info.pids[name] ?? []);
  let pids: number[] = [];
  let readings = 0;
  return () => {
    if (readings++ % READINGS_PER_LOOKUP === 0)
      pids = leaders.flatMap((pid) => familyOf(identityOf(pid)).map((row) => row.pid));
    return pids.reduce((sum, pid) => sum + workedMs(pid), 0);
  };
}

/** Of all threads; 0 for a process that has exited. */
function workedMs(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return threads.reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ");
      return sum + Number(nanoseconds) / NANOSECONDS;
    }, 0);
  } catch {
    return 0;
  }
}
