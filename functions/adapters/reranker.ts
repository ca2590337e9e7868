// Owns the interface of a reranker, a model that reads question and text together, and the checks that hold for every one.

import { callDependency, DependencyError } from "../dependencies.ts";

export interface RerankLimits {
  /** Milliseconds that the caller has left; the reranker's own time-out holds besides. */
  readonly remainingMs?: number;
  /** Fires when nobody waits for the answer any more. */
  readonly cancelled?: AbortSignal | undefined;
}

export interface Reranker {
  /** As configured, without the provider: `bge-reranker-v2-m3`. */
  readonly model: string;
  /**
   * The relevance of each text, in the texts' order; higher is better. It is finite and on the model's own scale (0 to 1
   * for most, any number for some), so that only values of one call can be compared.
   * @throws DependencyError of the system `reranker`
   */
  rerank(query: string, texts: readonly string[], limits?: RerankLimits): Promise<readonly number[]>;
}

export interface RerankerOptions {
  readonly model: string;
  /** For a whole call, its retry included. */
  readonly timeoutMs: number;
}

/** What a server says of one text. */
export interface Judgement {
  /** The text's place in the request, from 0. */
  readonly index: number;
  readonly score: number;
}

/** Builds a reranker from a function that asks once: adds the deadline, a retry and the checks. */
export function createReranker(
  { model, timeoutMs }: RerankerOptions,
  judge: (query: string, texts: readonly string[], signal: AbortSignal) => Promise<readonly Judgement[]>,
): Reranker {
  return {
    model,
    async rerank(query, texts, { remainingMs = timeoutMs, cancelled } = {}) {
      if (texts.length === 0) return [];
      if (remainingMs <= 0) throw new DependencyError("reranker", "timeout", "there is no time left for it");
      const call = {
        dependency: "reranker",
        timeoutMs: Math.min(timeoutMs, remainingMs),
        retries: 1,
        cancelled,
      } as const;
      return inRequestOrder(await callDependency(call, (signal) => judge(query, texts, signal)), texts.length);
    },
  };
}

/** The index decides, not the position: best first is how servers answer. None may be left out, repeated or made up. */
function inRequestOrder(judgements: readonly Judgement[], expected: number): number[] {
  const scores = new Map(judgements.map(({ index, score }) => [index, score]));
  if (judgements.length !== expected || scores.size !== expected)
    throw unusable(`${expected} texts gave ${judgements.length} scores, ${scores.size} of them for different texts`);
  return Array.from({ length: expected }, (_, index) => {
    const score = scores.get(index);
    if (score === undefined) throw unusable(`the score of text ${index} is missing`);
    if (!Number.isFinite(score)) throw unusable(`the score of text ${index} is no number`);
    return score;
  });
}

function unusable(detail: string): DependencyError {
  return new DependencyError("reranker", "invalid_response", detail);
}
