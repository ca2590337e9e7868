// A fake server for the paid rerankers. It speaks their three wire formats, validates requests as strictly as the strictest
// of them, scores with the function of the test and fails on demand.

import { z } from "zod";
import { type Answer, type LyingServer, lyingServer } from "./lying-server.ts";

export type RerankWire = "cohere" | "jina" | "voyage";

export interface RerankInput {
  readonly model: string;
  readonly query: string;
  readonly documents: readonly string[];
  readonly authorization: string | undefined;
}

export interface RerankServer extends LyingServer {
  readonly inputs: readonly RerankInput[];
  /** Settings that make Dejavu use this server. */
  readonly env: Readonly<Record<string, string>>;
}

/** The fields that all of them accept; one of them rejects any other field. */
const requestSchema = z.strictObject({
  model: z.string().min(1),
  query: z.string().min(1),
  documents: z.array(z.string().min(1)).min(1),
});

/** Returns a response that replaces the scores, or undefined. Calls are counted from 1. */
export type Misbehave = (call: number) => Answer | undefined;

export async function rerankServer(
  scoreOf: (document: string, query: string) => number,
  { wire = "cohere", misbehave }: { readonly wire?: RerankWire; readonly misbehave?: Misbehave } = {},
): Promise<RerankServer> {
  const inputs: RerankInput[] = [];
  const server = await lyingServer({
    answer: (body, call, { authorization }) => {
      const request = requestSchema.safeParse(JSON.parse(body));
      if (!request.success) return { status: 400, body: JSON.stringify({ detail: z.prettifyError(request.error) }) };
      const { model, query, documents } = request.data;
      inputs.push({ model, query, documents, authorization });
      const scores = documents.map((document, index) => ({ index, score: scoreOf(document, query) }));
      return misbehave?.(call) ?? { body: JSON.stringify(replyOf(wire, scores, documents)) };
    },
  });
  return {
    ...server,
    inputs,
    env: { RERANKER: "http:test-reranker", RERANK_URL: `${server.url}/v1`, RERANK_API_KEY: "rerank-key" },
  };
}

export interface Scored {
  readonly index: unknown;
  readonly score: unknown;
}

/** Best first, as in the responses of all of them. */
export function replyOf(wire: RerankWire, scores: readonly Scored[], documents: readonly string[] = []): object {
  const sorted = scores.toSorted((a, b) => Number(b.score) - Number(a.score));
  const items = sorted.map(({ index, score }) => ({ index, relevance_score: score }));
  switch (wire) {
    case "cohere":
      return {
        id: "07734bd2",
        results: items,
        meta: { api_version: { version: "2" }, billed_units: { search_units: 1 } },
      };
    case "jina":
      // Jina returns the documents unless the request disables it.
      return {
        model: "jina-reranker-v2-base-multilingual",
        usage: { total_tokens: 815 },
        results: items.map((item) => ({ ...item, document: { text: documents[Number(item.index)] ?? "" } })),
      };
    case "voyage":
      return { object: "list", data: items, model: "rerank-2.5", usage: { total_tokens: 26 } };
  }
}
