// Owns the patience of commands that write many texts: a batch takes longer than a query may, and nobody waits for it at
// 3 a.m. It holds for the background stores.

export const SLOW_WORK = { MEMORY_WRITE_TIMEOUT_MS: "60000" } as const;
