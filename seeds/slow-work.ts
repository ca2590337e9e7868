// Owns the time-outs of commands that write many texts: a batch takes longer than a query may, and nobody waits for it
// at 3 a.m.

export const SLOW_WORK_TIMEOUTS = {
  EMBEDDINGS_TIMEOUT_MS: "60000",
  CHROMA_TIMEOUT_MS: "60000",
  POSTGRES_TIMEOUT_MS: "60000",
} as const;
