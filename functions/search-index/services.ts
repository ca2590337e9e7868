// Owns what memory needs of the outside: one object, handed down from the composition root.

import type { Database } from "../adapters/database.ts";
import type { Embedder } from "../adapters/embedder.ts";
import type { VectorStore } from "../adapters/vector-store.ts";

export interface MemoryStores {
  readonly database: Database;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
}
