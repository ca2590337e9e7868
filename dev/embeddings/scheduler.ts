// Scheduler of the embedding sidecar. A request is split into small batches of texts of similar length, because a batch
// is padded to its longest text. Before each batch the queue is checked again: a query waits for one batch of an
// indexing run, not for all of it, and one encoder takes nothing else than queries while there are some. Independent of
// the model and of HTTP.

import type { Embed, EmbeddedBatch, Encoder } from "./encoder.ts";

/** Measured for full texts: 94 ms alone, 73 ms each in a batch of 4, hardly less in a batch of 8. */
const MAX_BATCH_TEXTS = 4;

/** Padded characters. About 300 ms of work on one core, the longest acceptable wait of a query. */
const MAX_BATCH_COST = 2_000;

/** Characters. A longer text costs no more: the model reads only 128 tokens. */
const FULL_TEXT_CHARS = 500;

/** Whether padding the shortest text of a batch to this length costs more than another batch. Characters. */
const isTooLong = (shortest: number, longest: number): boolean => longest > 2 * shortest + 60;

/** A triage embeds two texts of at most four windows. Larger requests are indexing, as are all that say so. */
const MAX_QUERY_TEXTS = 8;

/** After this many batches of queries, indexing gets one. */
const MAX_QUERY_BATCHES_IN_A_ROW = 8;

/** Batches of indexing for which one of several encoders stays free after a query, for the next: about two seconds. */
const RESERVED_BATCHES = 8;

interface Request {
  texts: readonly string[];
  result: EmbeddedBatch;
  /** Batches that are not started yet, as positions in `texts`. */
  batches: number[][];
  unfinished: number;
  signal: AbortSignal | undefined;
  done: PromiseWithResolvers<EmbeddedBatch>;
}

export interface Scheduler {
  /** For texts that somebody waits for. */
  readonly query: Embed;
  /** For background work: queries go first. */
  readonly indexing: Embed;
}

/** @param concurrency number of batches that `embedBatch` can run at the same time */
export function createScheduler(embedBatch: Encoder, concurrency: number): Scheduler {
  /** Requests with batches that are not started yet, oldest first. */
  const queries: Request[] = [];
  const indexing: Request[] = [];
  let queriesInARow = 0;
  let running = 0;
  let runningIndexing = 0;
  let reservedBatches = 0;

  const isIndexingNext = (): boolean => {
    const isReserved = concurrency > 1 && runningIndexing === concurrency - 1 && reservedBatches > 0;
    if (indexing.length === 0 || isReserved) return false;
    return queries.length === 0 || queriesInARow >= MAX_QUERY_BATCHES_IN_A_ROW;
  };
  const drop = (request: Request, reason: unknown): void => {
    for (const lane of [queries, indexing]) if (lane.includes(request)) lane.splice(lane.indexOf(request), 1);
    request.done.reject(reason);
  };
  const startNext = (request: Request, isIndexing: boolean): void => {
    const positions = request.batches.shift() ?? [];
    if (request.batches.length === 0) (isIndexing ? indexing : queries).shift();
    queriesInARow = isIndexing ? 0 : queriesInARow + 1;
    if (isIndexing && reservedBatches > 0) reservedBatches -= 1;
    running += 1;
    runningIndexing += isIndexing ? 1 : 0;
    void runBatch(embedBatch, request, positions)
      .catch((error: unknown) => drop(request, error))
      .finally(() => {
        running -= 1;
        runningIndexing -= isIndexing ? 1 : 0;
        dispatch();
      });
  };
  const dispatch = (): void => {
    while (running < concurrency) {
      const isIndexing = isIndexingNext();
      const [request] = isIndexing ? indexing : queries;
      if (!request) return;
      // Its caller has gone: a retry brings the texts again.
      if (request.signal?.aborted) drop(request, request.signal.reason);
      else startNext(request, isIndexing);
    }
  };

  const embed = (texts: readonly string[], signal: AbortSignal | undefined, isBackground: boolean) => {
    const request = requestOf(texts, signal);
    if (request.batches.length === 0) return Promise.resolve(request.result);
    const isIndexing = isBackground || texts.length > MAX_QUERY_TEXTS;
    (isIndexing ? indexing : queries).push(request);
    if (!isIndexing) reservedBatches = RESERVED_BATCHES;
    dispatch();
    return request.done.promise;
  };
  return {
    query: (texts, signal) => embed(texts, signal, false),
    indexing: (texts, signal) => embed(texts, signal, true),
  };
}

function requestOf(texts: readonly string[], signal: AbortSignal | undefined): Request {
  const batches = splitIntoBatches(texts.map((text) => text.length));
  const result = { vectors: [], tokens: [] };
  return { texts, result, batches, unfinished: batches.length, signal, done: Promise.withResolvers() };
}

async function runBatch(embedBatch: Encoder, request: Request, positions: readonly number[]): Promise<void> {
  const batch = await embedBatch(positions.map((position) => request.texts[position] ?? ""));
  for (const [index, position] of positions.entries()) {
    request.result.vectors[position] = batch.vectors[index] ?? [];
    request.result.tokens[position] = batch.tokens[index] ?? 0;
  }
  request.unfinished -= 1;
  if (request.unfinished === 0) request.done.resolve(request.result);
}

/**
 * Groups positions into batches of similar length, shortest first.
 * @param lengths characters of each text
 */
export function splitIntoBatches(lengths: readonly number[]): number[][] {
  const costs = lengths.map((length) => Math.min(length, FULL_TEXT_CHARS));
  const costOf = (position: number | undefined): number => costs[position ?? -1] ?? 0;
  const sorted = [...costs.keys()].sort((a, b) => costOf(a) - costOf(b));
  const batches: number[][] = [];
  let current: number[] = [];
  for (const position of sorted) {
    const cost = costOf(position);
    const isFull = current.length === MAX_BATCH_TEXTS || (current.length + 1) * cost > MAX_BATCH_COST;
    if (current.length > 0 && (isFull || isTooLong(costOf(current[0]), cost))) {
      batches.push(current);
      current = [];
    }
    current.push(position);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
