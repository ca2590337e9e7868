// The judge of the evaluation, against a local server that speaks the wire formats of the model providers.

import { describe, expect, it } from "vitest";
import { caseSchema } from "../../../evals/case-files/case-schema.ts";
import { createJudge, judgeModel } from "../../../evals/runner/judge.ts";
import { sampleResult } from "../../unit/investigation/samples.ts";
import { type ModelCall, type ModelReply, startModelServer } from "../support/servers/model-server.ts";

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
const BASELINE: ModelReply = { kind: "json", value: { answer: "It ran out of memory." } };

const isBaselineCall = ({ schema }: ModelCall) => JSON.stringify(schema).includes('"answer"');

/** @param verdicts replies to the passes in their order; the last one answers all further passes */
async function judged(verdicts: readonly ModelReply[], { baseline = BASELINE, wire = "anthropic" } = {}) {
  let passes = 0;
  await using server = await startModelServer((call) =>
    isBaselineCall(call) ? baseline : (verdicts[Math.min(passes++, verdicts.length - 1)] ?? BASELINE),
  );
  const url = `${server.url}/v1`;
  const model = judgeModel(
    wire === "anthropic"
      ? { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: url }
      : { EVAL_JUDGE_MODEL: "openai-compatible:judge", MODEL_BASE_URL: url },
  );
  const judge = createJudge(model, 3);
  const scores = await judge.judge(CASE, sampleResult(), NEVER);
  return { scores, missing: judge.missingPasses(), model: judge.model, calls: [...server.calls] };
}

describe("the judge", () => {
  it.each([
    ["anthropic", "anthropic:claude-haiku-4-5"],
    ["openai", "openai-compatible:judge"],
  ])("scores the share of stated facts in each pass, for the answer and for the baseline (%s)", async (wire, name) => {
    const { scores, missing, model, calls } = await judged([verdict(true, true), verdict(true, false)], { wire });
    expect(scores.KeywordScore?.toSorted()).toEqual([0.5, 0.5, 1]);
    expect(scores.BaselineScore).toEqual([0.5, 0.5, 0.5]);
    expect([missing, model, calls.length]).toEqual([0, name, 7]);
  });

  it("sends only the report for the baseline, and only the facts and the answer to the judge", async () => {
    const { calls } = await judged([verdict(true, true)]);
    const texts = (isBaseline: boolean) =>
      calls
        .filter((call) => isBaselineCall(call) === isBaseline)
        .flatMap(({ messages }) => messages.map(({ text }) => text));
    expect(texts(true).join()).toContain("api-gateway exited with code 137");
    expect(texts(true).join()).not.toContain("memory limit");
    expect(texts(false).join()).toContain("It was killed at its memory limit.");
  });

  it.each<[string, ModelReply]>([
    ["leaves a fact out", verdict(true)],
    ["grades a fact that does not exist", verdict(true, true, true)],
    ["returns text instead of JSON", { kind: "text", text: "Both are stated." }],
    ["refuses", { kind: "text", text: "", stop: "refusal" }],
    ["is unavailable", { kind: "status", status: 400 }],
  ])("leaves out a pass, and does not score it 0, when the model %s", async (_, reply) => {
    const { scores, missing } = await judged([reply, verdict(true, true)]);
    expect(scores.KeywordScore).toEqual([1, 1]);
    expect(missing).toBe(1);
  });

  it("has no baseline score when the baseline answer fails", async () => {
    const { scores, missing } = await judged([verdict(true, true)], { baseline: { kind: "status", status: 400 } });
    expect(scores).toEqual({ KeywordScore: [1, 1, 1], BaselineScore: [] });
    expect(missing).toBe(3);
  });

  it("returns no scores for a case without facts", async () => {
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
  ])("%j are rejected", (environment, message) => {
    expect(() => judgeModel(environment)).toThrow(message);
  });
});
