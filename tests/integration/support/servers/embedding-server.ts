// A fake embedding server: speaks OpenAI's `POST /embeddings`, records the texts, answers with the built-in word vectors and
// fails on demand.

import { z } from "zod";
import { createWordEmbedder } from "../../../../functions/adapters/word-embedder.ts";
import { wordVectors } from "../../../../lib/embedding/shipped-vectors.ts";
import { type Answer, type LyingServer, lyingServer } from "./lying-server.ts";

export interface EmbeddingServer extends LyingServer {
  /** All texts of all requests, in order. */
  readonly inputs: string[];
  /** Settings that make Dejavu use this server. */
  readonly env: Readonly<Record<string, string>>;
}

/** Settings for an embedder at an address. The index of the built-in embedder stays valid: it names the same model. */
export function embedderAt(url: string): Readonly<Record<string, string>> {
  const { model, dimensions } = createWordEmbedder();
  return {
    EMBEDDING_MODEL: `openai-compatible:${model}`,
    EMBEDDING_DIMENSIONS: String(dimensions),
    EMBEDDINGS_URL: `${url}/v1`,
  };
}

const requestSchema = z.object({ input: z.array(z.string()) });

/** @param misbehave returns a response that replaces the vectors, or undefined; calls are counted from 1 */
export async function embeddingServer({
  vectorOf = wordVectors.embed,
  misbehave,
}: {
  readonly vectorOf?: (text: string) => ArrayLike<number>;
  readonly misbehave?: (input: readonly string[], call: number) => Answer | undefined | Promise<Answer | undefined>;
} = {}): Promise<EmbeddingServer> {
  const inputs: string[] = [];
  const server = await lyingServer({
    answer: async (body, call) => {
      const { input } = requestSchema.parse(JSON.parse(body));
      inputs.push(...input);
      const data = input.map((text, index) => ({ index, embedding: Array.from(vectorOf(text)) }));
      return (await misbehave?.(input, call)) ?? { body: JSON.stringify({ data }) };
    },
  });
  return { ...server, inputs, env: embedderAt(server.url) };
}

/** Refuses every request whose texts name poison. */
export function refusePoison(input: readonly string[]): Answer | undefined {
  return input.some((text) => text.includes("poison")) ? { status: 400, body: "{}" } : undefined;
}
