// Owns the interface of an embedding function and the checks that hold for every one of them.

import { callDependency, DependencyError } from "../dependencies.ts";

export interface Embedder {
  /** The model's own name, without the provider: the same model through two doors makes the same vectors. */
  readonly model: string;
  /** Length of each vector. */
  readonly dimensions: number;
  /** One vector a text, in the texts' order. @throws DependencyError */
  embed(texts: readonly string[]): Promise<number[][]>;
}

export interface EmbedderOptions {
  readonly model: string;
  readonly dimensions: number;
  /** Texts in one request. */
  readonly batchSize: number;
  /** For each request. */
  readonly timeoutMs: number;
}

/** Builds an embedder from a function that embeds one batch: adds batching, the deadline, a retry and the checks. */
export function createBatchingEmbedder(
  options: EmbedderOptions,
  embedBatch: (texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>,
): Embedder {
  const { model, dimensions, batchSize, timeoutMs } = options;
  return {
    model,
    dimensions,
    async embed(texts) {
      const vectors: number[][] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        const batch = texts.slice(start, start + batchSize);
        const reply = await callDependency({ dependency: "embedder", timeoutMs, retries: 1 }, (signal) =>
          embedBatch(batch, signal),
        );
        vectors.push(...checkVectors(reply, batch.length, dimensions));
      }
      return vectors;
    },
  };
}

function checkVectors(reply: readonly (readonly number[])[], expected: number, dimensions: number): number[][] {
  if (reply.length !== expected) {
    throw new DependencyError("embedder", "invalid_response", `${expected} texts gave ${reply.length} vectors`);
  }
  return reply.map((vector) => {
    if (vector.length !== dimensions) {
      throw new DependencyError(
        "embedder",
        "invalid_response",
        `a vector has ${vector.length} numbers and EMBEDDING_DIMENSIONS says ${dimensions}`,
      );
    }
    if (!vector.every(Number.isFinite)) {
      throw new DependencyError("embedder", "invalid_response", "a vector holds something that is no number");
    }
    return [...vector];
  });
}
