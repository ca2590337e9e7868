// Owns the adapter to any server that speaks `POST /rerank` as Cohere, Jina and Voyage do, or like them vLLM, llama.cpp
// and LiteLLM.

import { z } from "zod";
import { DependencyError } from "../dependencies.ts";
import { failureOf, parseJson, readStart } from "./http-response.ts";
import { createReranker, type Reranker, type RerankerOptions } from "./reranker.ts";

export interface HttpRerankerOptions extends RerankerOptions {
  /** Up to and including the version, for example `https://api.jina.ai/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
}

/** Enough for a server that sends the texts back; some do so unless told otherwise, and some refuse to be told. */
const MAX_REPLY_BYTES = 262_144;

const judgementsSchema = z.array(z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() }));
/** Voyage calls `data` what the others call `results`. */
const replySchema = z.union([z.object({ results: judgementsSchema }), z.object({ data: judgementsSchema })]);

export function createHttpReranker(options: HttpRerankerOptions): Reranker {
  const endpoint = `${options.baseUrl.replace(/\/+$/, "")}/rerank`;
  const headers = {
    "content-type": "application/json",
    ...(options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {}),
  };
  return createReranker(options, async (query, documents, signal) => {
    // These three alone are known to all; without a limit, all of them judge every document.
    const body = JSON.stringify({ model: options.model, query, documents });
    // A redirect could lead the texts elsewhere.
    const response = await fetch(endpoint, { method: "POST", headers, body, redirect: "manual", signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw failureOf("reranker", response);
    }
    const reply = replySchema.safeParse(parseJson(await readStart(response, MAX_REPLY_BYTES)));
    if (!reply.success) throw new DependencyError("reranker", "invalid_response", "the reply is not a list of scores");
    const judgements = "results" in reply.data ? reply.data.results : reply.data.data;
    return judgements.map(({ index, relevance_score }) => ({ index, score: relevance_score }));
  });
}
