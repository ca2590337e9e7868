// Owns the adapter to the embedding models of Cloudflare Workers AI, through the Worker's AI binding.

import { z } from "zod";
import { createBatchingEmbedder, type Embedder, type EmbedderOptions } from "./embedder.ts";
import { OutsideError } from "./outside.ts";

/** The part of the AI binding that is used here. */
export interface AiBinding {
  run(model: string, input: { text: string[] }): Promise<unknown>;
}

const replySchema = z.object({ data: z.array(z.array(z.number())) });

export function createWorkersAiEmbedder(options: EmbedderOptions, ai: AiBinding): Embedder {
  return createBatchingEmbedder(options, async (texts) => {
    const parsed = replySchema.safeParse(await ai.run(options.model, { text: [...texts] }));
    if (!parsed.success) throw new OutsideError("embeddings", "invalid_reply", "the reply is not an embedding list");
    return parsed.data.data;
  });
}
