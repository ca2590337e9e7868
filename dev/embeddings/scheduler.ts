/**
 * Decides what is embedded next. A request is cut into small batches of texts of like length (a batch is padded to its
 * longest text), and the queue is looked at again before each, so that a query waits for a batch of a seeding run and
 * not for all of it. Knows nothing of the model or of HTTP.
 */
import type { EmbeddedBatch, Encoder } from "./encoder.ts";

/** Texts of one batch. Measured for full texts: 94 ms alone, 73 ms each in fours, hardly less in eights. */
const MAX_BATCH_TEXTS = 4;

/** About 300 ms of work on one core, the longest a waiting query should be held up. Padded characters. */
const MAX_BATCH_COST = 2_000;

/** From here on a text costs no more: the model reads 128 tokens and no further. Characters. */
const FULL_TEXT_CHARS = 500;

/** A text this much longer than a batch's shortest makes the others dearer than a batch of its own would be. */
const isTooUnlike = (shortest: number, longest: number): boolean => longest > 2 * shortest + 60;

/** Requests up to this size in total are somebody waiting for a search, larger ones an indexing run. Characters. */
const SMALL_REQUEST_CHARS = 2_000;

/** After so many batches for small requests in a row, a large one gets its turn. */
const SMALL_BATCHES_IN_A_ROW = 8;

export interface Scheduler {
  /** Vectors and tokens in the order of the texts. Rejects when `signal` aborts or the embedding fails. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<EmbeddedBatch>;
}

interface Request {
  texts: readonly string[];
  result: EmbeddedBatch;
  /** Batches not yet begun, as positions in `texts`. */
  batches: number[][];
  unfinished: number;
  signal: AbortSignal | undefined;
  done: PromiseWithResolvers<EmbeddedBatch>;
}

/** @param concurrency batches that `embedBatch` can take at the same time */
export function createScheduler(embedBatch: Encoder, concurrency: number): Scheduler {
  /** Requests with batches to begin, oldest first. */
  const small: Request[] = [];
  const large: Request[] = [];
  let smallInARow = 0;
  let underWay = 0;

  const dispatch = (): void => {
    while (underWay < concurrency) {
      const isLargeDue = large.length > 0 && (small.length === 0 || smallInARow >= SMALL_BATCHES_IN_A_ROW);
      const lane = isLargeDue ? large : small;
      const request = lane[0];
      if (!request) return;
      smallInARow = isLargeDue ? 0 : smallInARow + 1;
      const positions = request.batches.shift() ?? [];
      if (request.batches.length === 0) lane.shift();
      underWay += 1;
      void work(request, positions).finally(() => {
        underWay -= 1;
        dispatch();
      });
    }
  };
  const work = async (request: Request, positions: readonly number[]): Promise<void> => {
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

  return {
    embed(texts, signal) {
      const batches = cutIntoBatches(texts.map((text) => text.length));
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
    },
  };
}

/**
 * Positions grouped into batches of like length, shortest first.
 * @param lengths characters of each text
 */
export function cutIntoBatches(lengths: readonly number[]): number[][] {
  const costs = lengths.map((length) => Math.min(length, FULL_TEXT_CHARS));
  const costOf = (position: number | undefined): number => costs[position ?? -1] ?? 0;
  const sorted = [...costs.keys()].sort((a, b) => costOf(a) - costOf(b));
  const batches: number[][] = [];
  let current: number[] = [];
  for (const position of sorted) {
    const cost = costOf(position);
    const isFull = current.length === MAX_BATCH_TEXTS || (current.length + 1) * cost > MAX_BATCH_COST;
    if (current.length > 0 && (isFull || isTooUnlike(costOf(current[0]), cost))) {
      batches.push(current);
      current = [];
    }
    current.push(position);
  }
  if (current.length > 0) batches.push(current);
  return batches;
}
