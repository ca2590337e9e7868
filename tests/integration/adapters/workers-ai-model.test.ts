// The adapter for the language models of Workers AI, with a fake of the platform's binding.

import { expect, it } from "vitest";
import { z } from "zod";
import type { TokenUsage } from "../../../functions/adapters/language-model.ts";
import { createWorkersAiModel } from "../../../functions/adapters/model-providers/workers-ai.ts";
import { DependencyError } from "../../../functions/dependencies.ts";
import { createTestTimers } from "../../support/test-timers.ts";

const schema = z.object({ feedback: z.string(), score: z.number() });
const MODEL = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";

interface BindingCall {
  readonly model: string;
  readonly inputs: Record<string, unknown>;
}

function bindingOf(answer: (call: BindingCall) => unknown) {
  const calls: BindingCall[] = [];
  return {
    calls,
    async run(model: string, inputs: Record<string, unknown>) {
      calls.push({ model, inputs });
      return answer({ model, inputs });
    },
  };
}

function ask(ai: unknown, used: TokenUsage[] = []) {
  return createWorkersAiModel(MODEL, { ai, startTimer: createTestTimers().startTimer }).ask({
    instructions: "Judge.",
    turns: [{ role: "user", text: "The answer." }],
    schema,
    maxOutputTokens: 300,
    timeoutMs: 2_000,
    onUsage: (usage) => used.push(usage),
  });
}

it("sends the schema and reads the answer, as text or as an object, and its tokens", async () => {
  const value = { feedback: "Fine.", score: 0.7 };
  for (const response of [value, JSON.stringify(value)]) {
    const used: TokenUsage[] = [];
    const binding = bindingOf(() => ({
      response,
      usage: { prompt_tokens: 90, completion_tokens: 12, total_tokens: 102 },
    }));
    expect(await ask(binding, used)).toEqual({ ok: true, value });
    expect(used).toEqual([{ input: 90, cachedInput: 0, output: 12 }]);
    expect(binding.calls).toMatchObject([
      {
        model: MODEL,
        inputs: {
          max_tokens: 300,
          messages: [
            { role: "system", content: "Judge." },
            { role: "user", content: "The answer." },
          ],
          response_format: { type: "json_schema", json_schema: { properties: { score: { type: "number" } } } },
        },
      },
    ]);
  }
});

it("ignores the thinking section of an answer", async () => {
  const binding = bindingOf(() => ({ response: '<think>{"score": 0}</think>{"feedback": "Fine.", "score": 0.7}' }));
  expect(await ask(binding)).toEqual({ ok: true, value: { feedback: "Fine.", score: 0.7 } });
});

it("retries once when the platform fails and then throws a DependencyError", async () => {
  const binding = bindingOf(() => {
    throw new Error("3040: Capacity temporarily exceeded, please try again.");
  });
  await expect(ask(binding)).rejects.toMatchObject({ name: DependencyError.name, dependency: "language_model" });
  expect(binding.calls.length).toBe(2);
});
