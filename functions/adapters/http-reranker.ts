// Reranker with the API `POST /rerank` of Cohere, Jina and Voyage, also served by vLLM, llama.cpp and LiteLLM.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import { fetchDirect } from "./http/fetch-direct.ts";
import { failureOf, parseJson, readStart } from "./http/http-response.ts";
import { createReranker, type Reranker, type RerankerOptions } from "./reranker.ts";

export interface HttpRerankerOptions extends RerankerOptions {
  /** Base URL up to and including the version, for example `https://api.jina.ai/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
}

/** Enough for servers that return the texts; some do so by default, and some reject the option. */
const MAX_RESPONSE_BYTES = 262_144;

const scoresSchema = z.array(z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() }));
/** Voyage's name for `results` is `data`. */
const responseSchema = z.union([z.object({ results: scoresSchema }), z.object({ data: scoresSchema })]);

export function createHttpReranker(options: HttpRerankerOptions): Reranker {
  const endpoint = `${options.baseUrl.replace(/(?<!\/)\/+$/, "")}/rerank`;
  const headers = {
    "content-type": "application/json",
    ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
  };
  return createReranker(options, async (query, documents, signal) => {
    // Only these three fields are common to all servers; without a limit, all documents are scored.
    const body = JSON.stringify({ model: options.model, query, documents });
    const response = await fetchDirect(endpoint, { method: "POST", headers, body, signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw failureOf("reranker", response);
    }
    const parsed = responseSchema.safeParse(parseJson(await readStart(response, MAX_RESPONSE_BYTES)));
    if (!parsed.success)
      throw new DependencyError("reranker", "invalid_response", "the response is not a list of scores");
    const scores = "results" in parsed.data ? parsed.data.results : parsed.data.data;
    return scores.map(({ index, relevance_score }) => ({ index, score: relevance_score }));
  });
}
