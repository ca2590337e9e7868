// Owns the adapter to the embedding models of Cloudflare Workers AI, through the Worker's AI binding.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import type { AiBinding } from "./ai-binding.ts";
import { createBatchingEmbedder, type Embedder, type EmbedderOptions } from "./embedder.ts";

const replySchema = z.object({ data: z.array(z.array(z.number())) });

export function createWorkersAiEmbedder(options: EmbedderOptions, ai: AiBinding): Embedder {
  return createBatchingEmbedder(options, async (texts) => {
    const parsed = replySchema.safeParse(await ai.run(options.model, { text: [...texts] }));
    if (!parsed.success)
      throw new DependencyError("embedder", "invalid_response", "the reply is not an embedding list");
    return parsed.data.data;
  });
}
