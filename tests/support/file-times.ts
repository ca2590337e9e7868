// Time that a test file spends beside its tests. Shown by slow-files.ts.

import { performance } from "node:perf_hooks";

/** Milliseconds. Concurrent work is counted for each part. */
export interface FileTimes {
  /** Starting servers, and making stores on those that run. */
  stack: number;
  /** Emptying stores between tests. */
  reset: number;
  /** Asking the embedder from this process. */
  embedding: number;
  /** Of this process alone; servers are others. */
  cpu: number;
}

declare module "vitest" {
  interface TaskMeta {
    times?: FileTimes;
  }
}

export const fileTimes: FileTimes = { stack: 0, reset: 0, embedding: 0, cpu: 0 };

export async function timed<T>(part: keyof FileTimes, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    fileTimes[part] += performance.now() - began;
  }
}
