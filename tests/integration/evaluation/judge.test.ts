// The judge of the evaluation, with a server that speaks the wire of the paid model in its place.

import { describe, expect, it } from "vitest";
import { caseSchema } from "../../evals/case-files/case-schema.ts";
import { createJudge, judgeModel } from "../../evals/runner/judge.ts";
import { sampleResult } from "../../unit/investigation/samples.ts";
import { type ModelCall, type ModelReply, startModelServer } from "../support/model-server.ts";

const CASE = caseSchema.parse({
  id: "a-case",
  category: "reasoning",
  description: "A case.",
  domain: "docker",
  ask: { title: "api-gateway exited with code 137" },
  expect: { facts: [["memory limit", "cgroup limit"], "SIGKILL"] },
});
const NEVER = new AbortController().signal;

const verdict = (...stated: readonly boolean[]): ModelReply => ({
  kind: "json",
  value: { facts: stated.map((each, i) => ({ number: i + 1, stated: each })) },
});
const PLAIN: ModelReply = { kind: "json", value: { answer: "It ran out of memory." } };

const asksPlainly = ({ schema }: ModelCall) => JSON.stringify(schema).includes('"answer"');

/** @param verdicts for the passes, in the order in which they come; the last for all others */
async function judged(verdicts: readonly ModelReply[], { plain = PLAIN, wire = "anthropic" } = {}) {
  let passes = 0;
  await using server = await startModelServer((call) =>
    asksPlainly(call) ? plain : (verdicts[Math.min(passes++, verdicts.length - 1)] ?? PLAIN),
  );
  const url = `${server.url}/v1`;
  const model = judgeModel(
    wire === "anthropic"
      ? { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: url }
      : { EVAL_JUDGE_MODEL: "openai-compatible:judge", MODEL_BASE_URL: url },
  );
  const judge = createJudge(model, 3);
  const scores = await judge.judge(CASE, sampleResult(), NEVER);
  return { scores, missing: judge.missing(), model: judge.model, calls: [...server.calls] };
}

describe("the judge", () => {
  it.each([
    ["anthropic", "anthropic:claude-haiku-4-5"],
    ["openai", "openai-compatible:judge"],
  ])(
    "says in each pass which share of the facts is stated, of the answer and of the plain model's (%s)",
    async (wire, name) => {
      const { scores, missing, model, calls } = await judged([verdict(true, true), verdict(true, false)], { wire });
      expect(scores.KeywordScore?.toSorted()).toEqual([0.5, 0.5, 1]);
      expect(scores.BaselineScore).toEqual([0.5, 0.5, 0.5]);
      expect([missing, model, calls.length]).toEqual([0, name, 7]);
    },
  );

  it("shows the plain model the report alone, and the judge the answer alone", async () => {
    const { calls } = await judged([verdict(true, true)]);
    const texts = (wanted: boolean) =>
      calls.filter((call) => asksPlainly(call) === wanted).flatMap(({ messages }) => messages.map(({ text }) => text));
    expect(texts(true).join()).toContain("api-gateway exited with code 137");
    expect(texts(true).join()).not.toContain("memory limit");
    expect(texts(false).join()).toContain("It was killed at its memory limit.");
  });

  it.each<[string, ModelReply]>([
    ["leaves a fact out", verdict(true)],
    ["judges a fact that there is not", verdict(true, true, true)],
    ["answers in another shape", { kind: "text", text: "Both are stated." }],
    ["refuses", { kind: "text", text: "", stop: "refusal" }],
    ["is away", { kind: "status", status: 400 }],
  ])("is missing, not 0, in a pass in which the model %s", async (_, reply) => {
    const { scores, missing } = await judged([reply, verdict(true, true)]);
    expect(scores.KeywordScore).toEqual([1, 1]);
    expect(missing).toBe(1);
  });

  it("has no baseline where the plain model says nothing", async () => {
    const { scores, missing } = await judged([verdict(true, true)], { plain: { kind: "status", status: 400 } });
    expect(scores).toEqual({ KeywordScore: [1, 1, 1], BaselineScore: [] });
    expect(missing).toBe(3);
  });

  it("has nothing to say of a case without facts", async () => {
    const judge = createJudge(judgeModel({ ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }), 3);
    expect(await judge.judge({ ...CASE, expect: {} }, sampleResult(), NEVER)).toEqual({});
  });
});

describe("the settings of the judge", () => {
  it.each([
    [{ EVAL_JUDGE_MODEL: "anthropic:claude-haiku-4-5" }, "ANTHROPIC_API_KEY must be set"],
    [{ EVAL_JUDGE_MODEL: "openai-compatible:qwen" }, "MODEL_BASE_URL must be set"],
    [{ EVAL_JUDGE_MODEL: "anthropic:", ANTHROPIC_API_KEY: "a-key" }, "must be anthropic:<model>"],
    [{}, "--judge needs a model"],
  ])("%j are refused", (environment, told) => {
    expect(() => judgeModel(environment)).toThrow(told);
  });
});
