// Settings of commands that write many texts: a batch takes longer than a query may. They hold for the background stores.

/** Below the lease of outbox entries, 60 s. */
export const SLOW_WORK = { MEMORY_WRITE_TIMEOUT_MS: "59000" } as const;
