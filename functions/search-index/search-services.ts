// Dependencies of everything that reads or writes the search index.

import type { Redact } from "../../lib/redaction/redact.ts";
import type { Database } from "../adapters/database.ts";
import type { Embedder } from "../adapters/embedder.ts";
import type { VectorStore } from "../adapters/vector-store.ts";
import type { Config } from "../config.ts";
import type { Log } from "../telemetry/log.ts";
import type { StartTimer } from "../timers.ts";

/** Postgres holds the rows, the vector store their index, the embedder makes the vectors. */
export interface IndexStores {
  readonly database: Database;
  readonly vectors: VectorStore;
  readonly embedder: Embedder;
}

export interface IndexServices extends IndexStores {
  readonly redact: Redact;
  /** The same stores with the timeout of background tasks: `MEMORY_WRITE_TIMEOUT_MS` a call. */
  readonly background: IndexStores;
  readonly config: Config;
  readonly now: () => Date;
  readonly startTimer: StartTimer;
  /** UUIDs. */
  readonly newId: () => string;
  readonly log: Log;
  /** Requests a run of the outbox after a delay, where there is a queue. The cron drains the outbox in any case. */
  readonly scheduleOutboxDrain: (delaySeconds: number) => Promise<void>;
}
