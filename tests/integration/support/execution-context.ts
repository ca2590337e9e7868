// An execution context like the platform's, with a way to wait for its background tasks.

import type { ExecutionContext } from "hono";

export interface TestContext extends ExecutionContext {
  /** Resolves when all promises passed to waitUntil have settled; rejects when one of them rejected. */
  settled(): Promise<void>;
}

export function createExecutionContext(): TestContext {
  const pending: Promise<unknown>[] = [];
  return {
    waitUntil: (work) => void pending.push(work),
    passThroughOnException: () => {},
    props: {},
    async settled() {
      while (pending.length > 0) await pending.shift();
    },
  };
}
