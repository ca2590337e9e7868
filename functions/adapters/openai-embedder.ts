// Embedder for servers with OpenAI's API `POST /embeddings`.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import { createBatchingEmbedder, type Embedder, type EmbedderOptions, type EmbeddingPurpose } from "./embedder.ts";
import { fetchDirect, redirectFailure } from "./http/fetch-direct.ts";

export interface OpenAiEmbedderOptions extends EmbedderOptions {
  /** Base URL up to and including the version, for example `http://127.0.0.1:8080/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** The server's `input_type` of queries and of documents; not sent without it. */
  readonly inputTypes?: Readonly<Record<EmbeddingPurpose, string>> | undefined;
}

const responseSchema = z.object({
  data: z.array(
    z.object({
      index: z.number().int().nonnegative(),
      embedding: z.union([z.array(z.number()), z.base64().transform(readFloats)]),
    }),
  ),
});
/** Statuses after which a retry may succeed. */
const RETRYABLE_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

export function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const endpoint = `${options.baseUrl.replace(/(?<!\/)\/+$/, "")}/embeddings`;
  const headers = {
    "content-type": "application/json",
    // RFC 9218. Servers that do not know it ignore it.
    ...(options.isBackground ? { priority: "u=6" } : {}),
    ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
  };
  return createBatchingEmbedder(options, async (texts, { purpose, signal }) => {
    const body = JSON.stringify({
      model: options.model,
      input: texts,
      // As OpenAI's own clients ask: Voyage accepts nothing else. A server that answers with numbers is understood, too.
      encoding_format: "base64",
      input_type: options.inputTypes?.[purpose],
    });
    const response = await fetchDirect(endpoint, { method: "POST", headers, body, signal });
    if (!response.ok) {
      await response.body?.cancel();
      const failure = RETRYABLE_STATUSES.has(response.status) ? "unreachable" : "refused";
      throw (
        redirectFailure("embedder", response.status) ??
        new DependencyError("embedder", failure, `the server answered ${response.status}`)
      );
    }
    return inRequestOrder(await readEmbeddings(response), texts.length);
  });
}

const BYTES_OF_FLOAT = 4;

/** The numbers in base64 of 32-bit floats, little-endian. */
function readFloats(text: string, context: z.RefinementCtx): number[] {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  if (bytes.length % BYTES_OF_FLOAT !== 0) {
    context.addIssue({ code: "custom", message: "is not a list of 32-bit floats" });
    return z.NEVER;
  }
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / BYTES_OF_FLOAT }, (_, i) => view.getFloat32(i * BYTES_OF_FLOAT, true));
}

async function readEmbeddings(response: Response): Promise<z.infer<typeof responseSchema>> {
  const text = await response.text();
  try {
    return responseSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new DependencyError("embedder", "invalid_response", "the response is not a list of embeddings", {
      cause: error,
    });
  }
}

/** Orders vectors by index: a server may answer in any order, but must not omit or repeat a text. */
function inRequestOrder(embeddings: z.infer<typeof responseSchema>, expected: number): number[][] {
  const vectors = new Map(embeddings.data.map((item) => [item.index, item.embedding]));
  if (vectors.size !== embeddings.data.length) {
    throw new DependencyError("embedder", "invalid_response", "two vectors have the same index");
  }
  return Array.from({ length: Math.max(expected, embeddings.data.length) }, (_, index) => {
    const vector = vectors.get(index);
    if (!vector) throw new DependencyError("embedder", "invalid_response", `the vector of text ${index} is missing`);
    return vector;
  });
}
