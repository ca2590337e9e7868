// Scheduler of the embedding sidecar. A request is split into small batches of texts of similar length, because a batch
// is padded to its longest text. Before each batch the queue is checked again: a query waits for one batch of an
// indexing run, not for all of it. Independent of the model and of HTTP.

import type { Embed, EmbeddedBatch, Encoder } from "./encoder.ts";

/** Measured for full texts: 94 ms alone, 73 ms each in a batch of 4, hardly less in a batch of 8. */
const MAX_BATCH_TEXTS = 4;

/** Padded characters. About 300 ms of work on one core, the longest acceptable wait of a query. */
const MAX_BATCH_COST = 2_000;

/** Characters. A longer text costs no more: the model reads only 128 tokens. */
const FULL_TEXT_CHARS = 500;

/** Whether padding the shortest text of a batch to this length costs more than another batch. Characters. */
const isTooLong = (shortest: number, longest: number): boolean => longest > 2 * shortest + 60;

/** Characters in total. Smaller requests are queries of a person who waits, larger ones are indexing. */
const SMALL_REQUEST_CHARS = 2_000;

/** After this many batches of small requests, a large request gets one. */
const MAX_SMALL_BATCHES_IN_A_ROW = 8;

interface Request {
  texts: readonly string[];
  result: EmbeddedBatch;
  /** Batches that are not started yet, as positions in `texts`. */
  batches: number[][];
  unfinished: number;
  signal: AbortSignal | undefined;
  done: PromiseWithResolvers<EmbeddedBatch>;
}

/** @param concurrency number of batches that `embedBatch` can run at the same time */
export function createScheduler(embedBatch: Encoder, concurrency: number): Embed {
  /** Requests with batches that are not started yet, oldest first. */
  const small: Request[] = [];
  const large: Request[] = [];
  let smallInARow = 0;
  let running = 0;

  const dispatch = (): void => {
    while (running < concurrency) {
      const isLargeDue = large.length > 0 && (small.length === 0 || smallInARow >= MAX_SMALL_BATCHES_IN_A_ROW);
      const lane = isLargeDue ? large : small;
      const request = lane[0];
      if (!request) return;
      smallInARow = isLargeDue ? 0 : smallInARow + 1;
      const positions = request.batches.shift() ?? [];
      if (request.batches.length === 0) lane.shift();
      running += 1;
      void runBatch(request, positions).finally(() => {
        running -= 1;
        dispatch();
      });
    }
  };
  const runBatch = async (request: Request, positions: readonly number[]): Promise<void> => {
    try {
      request.signal?.throwIfAborted();
      const batch = await embedBatch(positions.map((position) => request.texts[position] ?? ""));
      for (const [index, position] of positions.entries()) {
        request.result.vectors[position] = batch.vectors[index] ?? [];
        request.result.tokens[position] = batch.tokens[index] ?? 0;
      }
      request.unfinished -= 1;
      if (request.unfinished === 0) request.done.resolve(request.result);
    } catch (error) {
      for (const lane of [small, large]) if (lane.includes(request)) lane.splice(lane.indexOf(request), 1);
      request.done.reject(error);
    }
  };

  return (texts, signal) => {
    const batches = splitIntoBatches(texts.map((text) => text.length));
    const request: Request = {
      texts,
      result: { vectors: [], tokens: [] },
      batches,
      unfinished: batches.length,
      signal,
      done: Promise.withResolvers(),
    };
    if (batches.length === 0) return Promise.resolve(request.result);
    const size = texts.reduce((sum, text) => sum + text.length, 0);
    (size <= SMALL_REQUEST_CHARS ? small : large).push(request);
    dispatch();
    return request.done.promise;
  };
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
