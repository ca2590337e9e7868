// Interface of an embedder, and checks for all implementations.

import { callDependency, DependencyError } from "../dependencies.ts";
import type { StartTimer } from "../timers.ts";
import { relevanceOfCosineDistance } from "./vector-store.ts";

/** The range of `1 − cosine distance / 2` in which an embedding model distinguishes texts. */
export interface RelevanceScale {
  readonly unrelated: number;
  readonly close: number;
}

/** Where a cosine distance lies in the range: 0 for unrelated texts, 1 for closely related ones; beyond for others. */
export function shareOfScale(distance: number, { unrelated, close }: RelevanceScale): number {
  return (relevanceOfCosineDistance(distance) - unrelated) / (close - unrelated);
}

/** Of a model about which nothing is known. */
export const USUAL_SCALE: RelevanceScale = { unrelated: 0.6, close: 0.9 };

/** Some models embed a question unlike the text that answers it. */
export type EmbeddingPurpose = "query" | "document";

export interface Embedder {
  /** The model's name without the provider: the same model makes the same vectors at every provider. */
  readonly model: string;
  /** Length of each vector. */
  readonly dimensions: number;
  readonly scale: RelevanceScale;
  /** One vector for each text, in order. @param purpose `document` by default @throws DependencyError */
  embed(texts: readonly string[], purpose?: EmbeddingPurpose): Promise<number[][]>;
  /**
   * Present if this embedder hides the names that the structure of a text shows. Hides those that only other texts show, such
   * as `pod="checkout-0"`, before the texts are embedded.
   */
  readonly hideNames?: ((texts: readonly string[], hints: readonly string[]) => string[]) | undefined;
}

export interface EmbedderOptions {
  readonly model: string;
  readonly dimensions: number;
  /** `USUAL_SCALE` by default. */
  readonly scale?: RelevanceScale;
  /** Texts in one request. */
  readonly batchSize: number;
  /** For each request. */
  readonly timeoutMs: number;
  readonly startTimer: StartTimer;
  /** Nobody waits for its vectors: a server may serve other requests first. */
  readonly isBackground?: boolean;
}

/** Creates an embedder from a function that embeds one batch: adds batching, the timeout, a retry and the checks. */
export function createBatchingEmbedder(
  options: EmbedderOptions,
  embedBatch: (
    texts: readonly string[],
    request: { readonly purpose: EmbeddingPurpose; readonly signal: AbortSignal },
  ) => Promise<readonly (readonly number[])[]>,
): Embedder {
  const { model, dimensions, scale = USUAL_SCALE, batchSize, timeoutMs, startTimer } = options;
  const call = { dependency: "embedder", timeoutMs, startTimer, retries: 1 } as const;
  return {
    model,
    dimensions,
    scale,
    async embed(texts, purpose = "document") {
      const vectors: number[][] = [];
      for (let start = 0; start < texts.length; start += batchSize) {
        const batch = texts.slice(start, start + batchSize);
        const batchVectors = await callDependency(call, (signal) => embedBatch(batch, { purpose, signal }));
        vectors.push(...checkVectors(batchVectors, batch.length, dimensions));
      }
      return vectors;
    },
  };
}

function checkVectors(batchVectors: readonly (readonly number[])[], expected: number, dimensions: number): number[][] {
  if (batchVectors.length !== expected) {
    throw new DependencyError("embedder", "invalid_response", `${expected} texts gave ${batchVectors.length} vectors`);
  }
  return batchVectors.map((vector) => {
    if (vector.length !== dimensions) {
      throw new DependencyError(
        "embedder",
        "invalid_response",
        `a vector has ${vector.length} numbers and EMBEDDING_DIMENSIONS says ${dimensions}`,
      );
    }
    if (!vector.every(Number.isFinite)) {
      throw new DependencyError("embedder", "invalid_response", "a vector contains a value that is not a number");
    }
    return [...vector];
  });
}
