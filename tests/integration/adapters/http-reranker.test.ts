// The adapter for servers with `POST /rerank`.

import { expect, it } from "vitest";
import { createHttpReranker } from "../../../functions/adapters/http-reranker.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";
import { type RerankWire, replyOf, rerankServer } from "../support/servers/rerank-server.ts";
import { describeReranker } from "./reranker-contract.ts";

const WIRES: readonly RerankWire[] = ["cohere", "jina", "voyage"];
const TEXTS = ["disk", "memory"];
const options = { model: "rerank-v3.5", timeoutMs: 5_000, startTimer: createTestTimers().startTimer };

for (const wire of WIRES) {
  describeReranker(`the HTTP reranker over the wire of ${wire}`, {
    create: (url, rerankerOptions) => createHttpReranker({ ...rerankerOptions, baseUrl: url }),
    reply: (scores) => replyOf(wire, scores),
  });
}

it.each(WIRES)("sends a request to %s that all three accept", async (wire) => {
  await using server = await rerankServer((document) => document.length, { wire });
  for (const baseUrl of [`${server.url}/v2`, `${server.url}/v2/`]) {
    const reranker = createHttpReranker({ ...options, baseUrl, apiKey: "the-key" });
    expect(await reranker.rerank("which one?", TEXTS)).toEqual([4, 6]);
  }
  expect(server.requests).toEqual(["POST /v2/rerank", "POST /v2/rerank"]);
  const input = { model: "rerank-v3.5", query: "which one?", documents: TEXTS, authorization: "Bearer the-key" };
  expect(server.inputs).toEqual([input, input]);
});

it("sends no credentials without a key", async () => {
  await using server = await rerankServer(() => 0.5);
  await createHttpReranker({ ...options, baseUrl: server.url }).rerank("which one?", TEXTS);
  expect(server.inputs).toMatchObject([{ authorization: undefined }]);
});

async function failureOf(answer: (call: number) => Answer) {
  await using server = await lyingServer({ answer: (_, call) => answer(call) });
  const reranker = createHttpReranker({ ...options, baseUrl: server.url, apiKey: "s3cret-key" });
  const error: unknown = await reranker.rerank("which one?", TEXTS).catch((reason: unknown) => reason);
  return { error, requests: [...server.requests] };
}

it.each([400, 401, 403, 404, 422, 301, 307])("reports status %i as refused and does not retry", async (status) => {
  const elsewhere = { location: "http://127.0.0.1:9/rerank" };
  const { error, requests } = await failureOf(() => ({ status, body: "{}", headers: elsewhere }));
  expect(error).toMatchObject({
    dependency: "reranker",
    failure: "refused",
    message: expect.stringContaining(`${status}`),
  });
  expect(error).toMatchObject({ message: expect.not.stringContaining("s3cret-key") });
  expect(requests).toHaveLength(1);
});

it("waits for the retry-after time of a 429 when the timeout allows it", async () => {
  const good = {
    body: JSON.stringify(
      replyOf(
        "cohere",
        TEXTS.map((_, index) => ({ index, score: index })),
      ),
    ),
  };
  const busy = (seconds: string) => ({ status: 429, body: "{}", headers: { "retry-after": seconds } });
  const soon = await failureOf((call) => (call === 1 ? busy("0") : good));
  expect(soon).toMatchObject({ error: [0, 1], requests: { length: 2 } });
  const late = await failureOf(() => busy("60"));
  expect(late).toMatchObject({ error: { failure: "busy", retryAfterMs: 60_000 }, requests: { length: 1 } });
});

it("limits the size of a response", async () => {
  const scores = TEXTS.map((_, index) => ({ index, score: index }));
  const huge = JSON.stringify({ ...replyOf("cohere", scores), padding: "x".repeat(1_000_000) });
  expect((await failureOf(() => ({ body: huge }))).error).toMatchObject({ failure: "invalid_response" });
  const echoing = JSON.stringify({ ...replyOf("cohere", scores), padding: "x".repeat(100_000) });
  expect((await failureOf(() => ({ body: echoing }))).error).toEqual([0, 1]);
});

it("reports an unreachable server", async () => {
  const reranker = createHttpReranker({ ...options, baseUrl: "http://127.0.0.1:1" });
  await expect(reranker.rerank("which one?", TEXTS)).rejects.toMatchObject({
    dependency: "reranker",
    failure: "unreachable",
  });
});
