// The adapter to the rerankers of Workers AI, against a binding that asks a server over HTTP as the platform's does.

import { expect, it } from "vitest";
import { createWorkersAiReranker } from "../../../functions/adapters/workers-ai.ts";
import { describeReranker } from "./reranker-contract.ts";

const MODEL = "@cf/baai/bge-reranker-base";

/** Throws on any status but 2xx, and hands over what is no JSON as a stream. */
function bindingOf(url: string) {
  return {
    async run(model: string, input: object): Promise<unknown> {
      const response = await fetch(`${url}/run/${model}`, { method: "POST", body: JSON.stringify(input) });
      if (!response.ok) throw new Error(`InferenceUpstreamError: ${await response.text()}`);
      return response.headers.get("content-type")?.startsWith("application/json") ? response.json() : response.body;
    },
  };
}

describeReranker("the Workers AI reranker", {
  create: (url, options) => createWorkersAiReranker(options, bindingOf(url)),
  reply: (scores) => ({ response: scores.map(({ index, score }) => ({ id: index, score })) }),
});

it("asks the binding for the score of every text", async () => {
  const asked: unknown[] = [];
  const ai = {
    run: async (model: string, input: object) => {
      asked.push([model, input]);
      return {
        response: [
          { id: 1, score: 0.49 },
          { id: 0, score: 0.03 },
        ],
        usage: { total_tokens: 12 },
      };
    },
  };
  const reranker = createWorkersAiReranker({ model: MODEL, timeoutMs: 2_000 }, ai);
  expect(await reranker.rerank("which one?", ["disk", "memory"])).toEqual([0.03, 0.49]);
  expect(asked).toEqual([[MODEL, { query: "which one?", contexts: [{ text: "disk" }, { text: "memory" }], top_k: 2 }]]);
});

it("refuses a score that is no number, which a binding can hand over", async () => {
  const ai = { run: async () => ({ response: [{ id: 0, score: Number.NaN }] }) };
  const reranker = createWorkersAiReranker({ model: MODEL, timeoutMs: 2_000 }, ai);
  await expect(reranker.rerank("which one?", ["disk"])).rejects.toMatchObject({ failure: "invalid_response" });
});
