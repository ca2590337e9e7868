// Time that a test file spends on servers and stores. Printed by dearest-files.ts.

import { performance } from "node:perf_hooks";

/** Milliseconds. Concurrent work counts in each category. */
export interface FileTimes {
  /** Starting servers and creating stores. */
  stack: number;
  /** Emptying stores between tests. */
  reset: number;
  /** CPU time of this process and of those it started, without the servers of the run. */
  cpu: number;
}

declare module "vitest" {
  interface TaskMeta {
    times?: FileTimes;
  }
}

export const fileTimes: FileTimes = { stack: 0, reset: 0, cpu: 0 };

/** Call at the start of each file: files may share a process. */
export function resetFileTimes(): void {
  Object.assign(fileTimes, { stack: 0, reset: 0, cpu: 0 });
}

export async function timed<T>(category: keyof FileTimes, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    fileTimes[category] += performance.now() - startedAt;
  }
}
