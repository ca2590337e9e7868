// The contract of all rerankers. The test of an adapter calls this with its wire and adds adapter-specific tests.

import { describe, expect, it } from "vitest";
import type { Reranker, RerankerOptions, RerankLimits } from "../../../functions/adapters/reranker.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";
import type { Scored } from "../support/servers/rerank-server.ts";

export interface RerankerFactory {
  create(url: string, options: RerankerOptions): Reranker;
  /** A response of the wire with these scores. */
  reply(scores: readonly Scored[]): object;
}

const TEXTS = ["the disk is full", "killed at the memory limit", "a deadlock"];
const GOOD = [0.2, 0.9, 0.1].map((score, index) => ({ index, score }));
const SECRET = "a sentence that occurs only in the texts";

export function describeReranker(name: string, { create, reply }: RerankerFactory): void {
  const scored = (scores: readonly Scored[]): Answer => ({ body: JSON.stringify(reply(scores)) });

  async function rerank(
    answer: (call: number) => Answer,
    {
      texts = TEXTS,
      timeoutMs = 5_000,
      ...limits
    }: RerankLimits & { texts?: readonly string[]; timeoutMs?: number } = {},
  ) {
    await using server = await lyingServer({ answer: (_, call) => answer(call) });
    const { startTimer, expireHung } = createTestTimers();
    expireHung(server, "reranker");
    try {
      const reranker = create(server.url, { model: "m", timeoutMs, startTimer });
      const scores = await reranker.rerank("exit code 137", texts, limits);
      return { scores, requests: server.requests.length };
    } catch (error) {
      return { error, requests: server.requests.length };
    }
  }

  describe(name, () => {
    it("has the name of its model", () => {
      const options = { model: "bge-reranker", timeoutMs: 50, startTimer: createTestTimers().startTimer };
      expect(create("http://127.0.0.1:1", options).model).toBe("bge-reranker");
    });

    it("returns the scores in the order of the texts, for any order in the response", async () => {
      expect(await rerank(() => scored(GOOD))).toEqual({ scores: [0.2, 0.9, 0.1], requests: 1 });
      expect(await rerank(() => scored(GOOD.toReversed()))).toEqual({ scores: [0.2, 0.9, 0.1], requests: 1 });
    });

    it("accepts any scale of scores", async () => {
      const logits = [-11.4, 0, 7.25].map((score, index) => ({ index, score }));
      expect((await rerank(() => scored(logits))).scores).toEqual([-11.4, 0, 7.25]);
    });

    it("sends no request without texts", async () => {
      expect(await rerank(() => scored([]), { texts: [] })).toEqual({ scores: [], requests: 0 });
    });

    it.each<[string, readonly Scored[]]>([
      ["one text too few", GOOD.slice(1)],
      ["one text too many", [...GOOD, { index: 3, score: 0.5 }]],
      ["one text twice", [...GOOD.slice(1), { index: 2, score: 0.5 }]],
      ["one text twice beside all others", [...GOOD, { index: 2, score: 0.5 }]],
      ["an index out of range", [...GOOD.slice(1), { index: 7, score: 0.5 }]],
      ["a negative index", [...GOOD.slice(1), { index: -1, score: 0.5 }]],
      ["half an index", [...GOOD.slice(1), { index: 0.5, score: 0.5 }]],
      ["an index as a string", [...GOOD.slice(1), { index: "0", score: 0.5 }]],
      ["no score", [...GOOD.slice(1), { index: 0, score: null }]],
      ["a score as a string", [...GOOD.slice(1), { index: 0, score: "0.5" }]],
      ["no scores at all", []],
    ])("refuses %s and does not retry", async (_, scores) => {
      const { error, requests } = await rerank(() => scored(scores));
      expect(error).toMatchObject({ dependency: "reranker", failure: "invalid_response" });
      expect(requests).toBe(1);
    });

    it.each([
      ["a number that is not finite", JSON.stringify(reply(GOOD)).replace("0.9", "1e999")],
      ["NaN", JSON.stringify(reply(GOOD)).replace("0.9", "NaN")],
      ["another shape", JSON.stringify({ scores: [0.2, 0.9, 0.1] })],
      ["nothing", "null"],
      ["a truncated response", JSON.stringify(reply(GOOD)).slice(0, 40)],
    ])("refuses %s", async (_, body) => {
      expect((await rerank(() => ({ body }))).error).toMatchObject({
        name: DependencyError.name,
        dependency: "reranker",
      });
    });

    it("refuses the HTML page of a proxy", async () => {
      const page = { body: "<html>busy</html>", headers: { "content-type": "text/html" } };
      expect((await rerank(() => page)).error).toMatchObject({ failure: "invalid_response" });
    });

    it("retries once after a 503 or a cut connection and fails after the second", async () => {
      const flaky = await rerank((call) => (call === 1 ? { status: 503, body: "{}" } : scored(GOOD)));
      expect(flaky).toEqual({ scores: [0.2, 0.9, 0.1], requests: 2 });
      const cut = await rerank((call) => (call === 1 ? "cut" : scored(GOOD)));
      expect(cut).toEqual({ scores: [0.2, 0.9, 0.1], requests: 2 });
      const down = await rerank(() => ({ status: 503, body: "{}" }));
      expect(down).toMatchObject({ error: { dependency: "reranker", failure: "unreachable" }, requests: 2 });
    });

    it("fails at its timeout, or earlier when the caller has less time", async () => {
      const late = (ms: number) => ({ failure: "timeout", message: expect.stringContaining(`within ${ms} ms`) });
      expect((await rerank(() => "hang", { timeoutMs: 5_000 })).error).toMatchObject(late(5_000));
      expect((await rerank(() => "hang", { timeoutMs: 5_000, remainingMs: 50 })).error).toMatchObject(late(50));
    });

    it("sends no request when no time remains", async () => {
      const { error, requests } = await rerank(() => scored(GOOD), { remainingMs: 0 });
      expect(error).toMatchObject({ dependency: "reranker", failure: "timeout" });
      expect(requests).toBe(0);
    });

    it("stops when the caller disconnects", async () => {
      const controller = new AbortController();
      const { error } = await rerank(
        () => {
          controller.abort();
          return "hang";
        },
        { timeoutMs: 60_000, cancelled: controller.signal },
      );
      expect(error).toMatchObject({ dependency: "reranker", failure: "cancelled" });
    });

    it("has no content of the texts in its errors", async () => {
      const echo = { status: 400, body: JSON.stringify({ detail: SECRET }) };
      const { error } = await rerank(() => echo, { texts: [SECRET, "b"] });
      expect(error).toMatchObject({ name: DependencyError.name, message: expect.not.stringContaining(SECRET) });
    });
  });
}
