// Internal figures of commands that write many texts: a batch takes longer than a query may.

/** Below the lease of outbox entries, 60 s. */
export const SLOW_WORK = { MEMORY_WRITE_TIMEOUT_MS: 59_000 } as const;
