// Owns the adapter to any server that speaks OpenAI's `POST /embeddings`.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import { createBatchingEmbedder, type Embedder, type EmbedderOptions } from "./embedder.ts";

export interface OpenAiEmbedderOptions extends EmbedderOptions {
  /** Up to and including the version, for example `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
}

const replySchema = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative(), embedding: z.array(z.number()) })),
});
/** Statuses that say "not now" instead of "no". */
const PASSING_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const endpoint = `${options.baseUrl.replace(/\/+$/, "")}/embeddings`;
  const headers = {
    "content-type": "application/json",
    ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
  };
  return createBatchingEmbedder(options, async (texts, signal) => {
    const body = JSON.stringify({ model: options.model, input: texts, encoding_format: "float" });
    const response = await fetch(endpoint, { method: "POST", headers, body, signal });
    if (!response.ok) {
      await response.body?.cancel();
      const failure = PASSING_STATUS.has(response.status) ? "unreachable" : "refused";
      throw new DependencyError("embedder", failure, `the server answered ${response.status}`);
    }
    return inRequestOrder(await readReply(response), texts.length);
  });
}

async function readReply(response: Response): Promise<z.infer<typeof replySchema>> {
  const text = await response.text();
  try {
    return replySchema.parse(JSON.parse(text));
  } catch (error) {
    throw new DependencyError("embedder", "invalid_response", "the reply is not an embedding list", { cause: error });
  }
}

/** The index decides, not the position: a server may answer in any order, but not leave out or repeat a text. */
function inRequestOrder(reply: z.infer<typeof replySchema>, expected: number): number[][] {
  const vectors = new Map(reply.data.map((item) => [item.index, item.embedding]));
  if (vectors.size !== reply.data.length) {
    throw new DependencyError("embedder", "invalid_response", "two vectors have the same index");
  }
  return Array.from({ length: Math.max(expected, reply.data.length) }, (_, index) => {
    const vector = vectors.get(index);
    if (!vector) throw new DependencyError("embedder", "invalid_response", `the vector of text ${index} is missing`);
    return vector;
  });
}
