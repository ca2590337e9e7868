// Interface of a reranker, a model that scores question and text together, and checks for all implementations.

import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";

export interface RerankLimits {
  /** Milliseconds of the caller's remaining budget; the reranker's own timeout applies as well. */
  readonly remainingMs?: number;
  /** Fires when the caller disconnects. */
  readonly cancelled?: AbortSignal | undefined;
  /** Texts that show what is a name in query and texts. They are not sent. */
  readonly nameHints?: readonly string[];
}

export interface Reranker {
  /** The model's name without the provider: `bge-reranker-v2-m3`. */
  readonly model: string;
  /**
   * The relevance of each text, in the order of the texts; higher is better. Values are finite and on the model's own
   * scale (0 to 1 for most, any number for some): compare only values of one call.
   * @throws DependencyError of role `reranker`
   */
  rerank(query: string, texts: readonly string[], limits?: RerankLimits): Promise<readonly number[]>;
}

export interface RerankerOptions {
  readonly model: string;
  /** For a whole call, the retry included. */
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
}

/** The score of one text. */
export interface TextScore {
  /** The text's position in the request, from 0. */
  readonly index: number;
  readonly score: number;
}

/** Creates a reranker from a function that sends one request: adds the timeout, a retry and the checks. */
export function createReranker(
  { model, timeoutMs, startTimer }: RerankerOptions,
  score: (query: string, texts: readonly string[], signal: AbortSignal) => Promise<readonly TextScore[]>,
): Reranker {
  return {
    model,
    async rerank(query, texts, { remainingMs = timeoutMs, cancelled } = {}) {
      if (texts.length === 0) return [];
      if (remainingMs <= 0) throw new DependencyError("reranker", "timeout", "no time is left");
      const call = {
        dependency: "reranker",
        timeoutMs: Math.min(timeoutMs, remainingMs),
        startTimer,
        retries: 1,
        cancelled,
      } as const;
      return inRequestOrder(await callDependency(call, (signal) => score(query, texts, signal)), texts.length);
    },
  };
}

/** Orders scores by index: servers return the best first. Every text needs exactly one score. */
function inRequestOrder(textScores: readonly TextScore[], expected: number): number[] {
  const scores = new Map(textScores.map(({ index, score }) => [index, score]));
  if (textScores.length !== expected || scores.size !== expected)
    throw invalidResponse(
      `${expected} texts gave ${textScores.length} scores, ${scores.size} of them for different texts`,
    );
  return Array.from({ length: expected }, (_, index) => {
    const value = scores.get(index);
    if (value === undefined) throw invalidResponse(`the score of text ${index} is missing`);
    if (!Number.isFinite(value)) throw invalidResponse(`the score of text ${index} is not a number`);
    return value;
  });
}

function invalidResponse(detail: string): DependencyError {
  return new DependencyError("reranker", "invalid_response", detail);
}
