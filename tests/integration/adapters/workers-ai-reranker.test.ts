// The adapter for the rerankers of Workers AI, with a fake of the platform's binding that calls a server over HTTP.

import { expect, it } from "vitest";
import { createWorkersAiReranker } from "../../../functions/adapters/workers-ai-models.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { describeReranker } from "./reranker-contract.ts";

const MODEL = "@cf/baai/bge-reranker-base";
const options = { model: MODEL, timeoutMs: 2_000, startTimer: createTestTimers().startTimer };

/** Throws on any status but 2xx and returns a body that is not JSON as a stream. */
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

it("requests the score of every text from the binding", async () => {
  const calls: unknown[] = [];
  const ai = {
    run: async (model: string, input: object) => {
      calls.push([model, input]);
      return {
        response: [
          { id: 1, score: 0.49 },
          { id: 0, score: 0.03 },
        ],
        usage: { total_tokens: 12 },
      };
    },
  };
  const reranker = createWorkersAiReranker(options, ai);
  expect(await reranker.rerank("which one?", ["disk", "memory"])).toEqual([0.03, 0.49]);
  expect(calls).toEqual([[MODEL, { query: "which one?", contexts: [{ text: "disk" }, { text: "memory" }], top_k: 2 }]]);
});

it("refuses NaN as a score, which a binding can return", async () => {
  const ai = { run: async () => ({ response: [{ id: 0, score: Number.NaN }] }) };
  const reranker = createWorkersAiReranker(options, ai);
  await expect(reranker.rerank("which one?", ["disk"])).rejects.toMatchObject({ failure: "invalid_response" });
});
