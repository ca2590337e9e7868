import { expect, it } from "vitest";
import { z } from "zod";
import type { LanguageModel } from "../../../functions/adapters/language-model.ts";
import { createAnthropicModel } from "../../../functions/adapters/model-providers/anthropic.ts";
import { createOpenAiCompatibleModel } from "../../../functions/adapters/model-providers/openai-compatible.ts";
import { createTestTimers } from "../../support/test-timers.ts";
import { type Answer, lyingServer } from "../support/servers/lying-server.ts";

const { startTimer } = createTestTimers();

const completion: Answer = {
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    id: "c",
    created: 1,
    model: "m",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: '{"text":"short"}' } }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  }),
};
const message: Answer = {
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: '{"text":"short"}' }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 2 },
  }),
};

function ask(model: LanguageModel, temperature?: number) {
  return model.ask({
    instructions: "Shorten.",
    turns: [{ role: "user", text: "A long text." }],
    schema: z.object({ text: z.string() }),
    maxOutputTokens: 100,
    temperature,
    timeoutMs: 2_000,
    onUsage: () => {},
  });
}

function openAiModel(url: string): LanguageModel {
  return createOpenAiCompatibleModel("m", { baseUrl: `${url}/v1`, thinking: "default", json: "schema", startTimer });
}

const temperatureOf = (body: string): unknown => JSON.parse(body).temperature;

it.each([
  ["a server with OpenAI's API", openAiModel, completion],
  [
    "Anthropic",
    (url: string) => createAnthropicModel("claude-haiku-4-5", { apiKey: "k", baseUrl: `${url}/v1`, startTimer }),
    message,
  ],
])("sends the temperature to %s, and none without it", async (_vendor, create, answer) => {
  const sent: unknown[] = [];
  await using server = await lyingServer({
    answer: (body) => {
      sent.push(temperatureOf(body));
      return answer;
    },
  });
  const model = create(server.url);
  expect(await ask(model, 0.1)).toEqual({ ok: true, value: { text: "short" } });
  expect(await ask(model)).toEqual({ ok: true, value: { text: "short" } });
  expect(sent).toEqual([0.1, undefined]);
});

it("asks a model that refuses a temperature without it, and remembers that", async () => {
  const sent: unknown[] = [];
  await using server = await lyingServer({
    answer: (body) => {
      const temperature = temperatureOf(body);
      sent.push(temperature);
      if (temperature === undefined) return completion;
      const error = { message: "Unsupported value: 'temperature' does not support 0.1 with this model." };
      return { status: 400, body: JSON.stringify({ error }) };
    },
  });
  const model = openAiModel(server.url);
  expect(await ask(model, 0.1)).toEqual({ ok: true, value: { text: "short" } });
  expect(await ask(model, 0.1)).toEqual({ ok: true, value: { text: "short" } });
  expect(sent).toEqual([0.1, undefined, undefined]);
});

it("does not repeat a request that is refused for another reason", async () => {
  await using server = await lyingServer({
    answer: () => ({ status: 400, body: JSON.stringify({ error: { message: "unknown model" } }) }),
  });
  await expect(ask(openAiModel(server.url), 0.1)).rejects.toMatchObject({ failure: "refused" });
  expect(server.requests).toHaveLength(1);
});
