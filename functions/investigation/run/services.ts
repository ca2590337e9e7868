// Owns what an investigation needs from the outside; the composition root provides it.

import type { Annotations } from "../../adapters/annotations.ts";
import type { LanguageModel, TokenPrice } from "../../adapters/language-model.ts";
import type { Reranker } from "../../adapters/reranker.ts";
import type { Config } from "../../config.ts";
import type { MemoryStores } from "../../search-index/services.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Tracer } from "../../telemetry/span.ts";

export interface PricedModel {
  readonly model: LanguageModel;
  /** Null where none is known. */
  readonly price: TokenPrice | null;
}

export interface Models {
  /** Writes the answers. */
  readonly answer: PricedModel;
  /** Classifies, rewrites, criticises. */
  readonly small: PricedModel;
}

export interface TriageServices extends MemoryStores {
  /** The same stores with the patience of work that nobody waits for: `MEMORY_WRITE_TIMEOUT_MS` a call. */
  readonly background: MemoryStores;
  /** Null where answers are only quoted. */
  readonly models: Models | null;
  /** Null where the order of the searches stands. */
  readonly reranker: Reranker | null;
  /** Where votes are shown beside traces; null where nowhere. */
  readonly annotations: Annotations | null;
  readonly config: Config;
  readonly now: () => Date;
  /** UUIDs. */
  readonly newId: () => string;
  readonly log: Log;
  readonly tracer: Tracer;
  /** Asks for the outbox to be worked off after a delay, where the platform can; the cron comes in any case. */
  readonly wakeOutbox: (delaySeconds: number) => Promise<void>;
  /** Asks for stored incidents to be investigated, where the platform can; the sweep finds them in any case. Never throws. */
  readonly queueTriages: (incidentIds: readonly string[]) => Promise<void>;
}

/** Lets work outlive the request that started it. */
export type RunInBackground = (work: Promise<unknown>) => void;
