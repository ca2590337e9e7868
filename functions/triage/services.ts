// Owns what an investigation needs from the outside; the composition root provides it.

import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { MemoryStores } from "../memory/stores.ts";

export interface TriageServices extends MemoryStores {
  /** The same stores with the patience of work that nobody waits for: `MEMORY_WRITE_TIMEOUT_MS` a call. */
  readonly background: MemoryStores;
  readonly config: Config;
  readonly now: () => Date;
  /** UUIDs. */
  readonly newId: () => string;
  readonly log: Log;
  /** Asks for the outbox to be worked off after a delay, where the platform can; the cron comes in any case. */
  readonly wakeOutbox: (delaySeconds: number) => Promise<void>;
}

/** Lets work outlive the request that started it. */
export type RunInBackground = (work: Promise<unknown>) => void;
