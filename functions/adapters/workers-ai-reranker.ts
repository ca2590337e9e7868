// Owns the adapter to the rerankers of Cloudflare Workers AI, such as @cf/baai/bge-reranker-base, through the AI binding.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import type { AiBinding } from "./ai-binding.ts";
import { createReranker, type Reranker, type RerankerOptions } from "./reranker.ts";

const replySchema = z.object({
  response: z.array(z.object({ id: z.number().int().nonnegative(), score: z.number() })),
});

export function createWorkersAiReranker(options: RerankerOptions, ai: AiBinding): Reranker {
  return createReranker(options, async (query, texts) => {
    const contexts = texts.map((text) => ({ text }));
    const reply = replySchema.safeParse(await ai.run(options.model, { query, contexts, top_k: contexts.length }));
    if (!reply.success) throw new DependencyError("reranker", "invalid_response", "the reply is not a list of scores");
    return reply.data.response.map(({ id, score }) => ({ index: id, score }));
  });
}
