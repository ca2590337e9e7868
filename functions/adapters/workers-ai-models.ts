// Embedding models and rerankers of Cloudflare Workers AI, through the Worker's AI binding.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import {
  createBatchingEmbedder,
  type Embedder,
  type EmbedderOptions,
  type RelevanceScale,
  USUAL_SCALE,
} from "./embedder.ts";
import { createReranker, type Reranker, type RerankerOptions } from "./reranker.ts";

/** The used part of Cloudflare's AI binding. */
export interface AiBinding {
  run(model: string, input: object): Promise<unknown>;
}

/** Vectors of these models lie close together. */
const BGE = /^@cf\/baai\/bge-/;
const BGE_SCALE: RelevanceScale = { unrelated: 0.75, close: 0.95 };

const embeddingsSchema = z.object({ data: z.array(z.array(z.number())) });

export function createWorkersAiEmbedder(options: EmbedderOptions, ai: AiBinding): Embedder {
  const scale = BGE.test(options.model) ? BGE_SCALE : USUAL_SCALE;
  return createBatchingEmbedder({ ...options, scale }, async (texts) => {
    const parsed = embeddingsSchema.safeParse(await ai.run(options.model, { text: [...texts] }));
    if (!parsed.success)
      throw new DependencyError("embedder", "invalid_response", "the response is not a list of embeddings");
    return parsed.data.data;
  });
}

const scoresSchema = z.object({
  response: z.array(z.object({ id: z.number().int().nonnegative(), score: z.number() })),
});

/** A reranker such as `@cf/baai/bge-reranker-base`. */
export function createWorkersAiReranker(options: RerankerOptions, ai: AiBinding): Reranker {
  return createReranker(options, async (query, texts) => {
    const contexts = texts.map((text) => ({ text }));
    const parsed = scoresSchema.safeParse(await ai.run(options.model, { query, contexts, top_k: contexts.length }));
    if (!parsed.success)
      throw new DependencyError("reranker", "invalid_response", "the response is not a list of scores");
    return parsed.data.response.map(({ id, score }) => ({ index: id, score }));
  });
}
