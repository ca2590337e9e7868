// An execution context as the platform gives one, which can be waited for.

import type { ExecutionContext } from "hono";

export interface TestContext extends ExecutionContext {
  /** Settles when everything given to waitUntil has; rejects if some of it did. */
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
