// Owns what memory needs of the outside: one object, handed down from the composition root.

import type { Database } from "../stores/database.ts";
import type { Embedder } from "../stores/embedder.ts";
import type { VectorStore } from "../stores/vector-store.ts";

export interface MemoryStores {
  readonly database: Database;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
}
