import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { LanguageModel, ModelRequest } from "../../../../functions/adapters/language-model.ts";
import { DependencyError } from "../../../../functions/dependencies.ts";
import { askModel, type StepRequest } from "../../../../functions/investigation/model/ask-model.ts";
import { createRun } from "../../../../functions/investigation/run/run.ts";
import { modelsOf, NOW, type Reply, sampleServices, scriptedModel } from "../samples.ts";

interface Answer {
  readonly text: string;
}

const schema = z.object({ text: z.string() });
const QUESTION: StepRequest<Answer> = {
  step: "test",
  role: "answer",
  instructions: "INSTRUCTIONS",
  prompt: "PROMPT",
  schema,
  retries: 2,
  maxOutputTokens: 500,
  reserved: 0.2,
};
const GOOD = { text: "good" };

/** Asks a model with scripted replies; returns the answer or the failure, and the requests. */
async function askScripted(replies: readonly Reply[], changes: Partial<StepRequest<Answer>> = {}, passedMs = 0) {
  const model = scriptedModel(replies);
  const models = modelsOf(model);
  let time = NOW.getTime();
  const run = createRun(sampleServices({ models, now: () => new Date(time) }), {});
  time += passedMs;
  const outcome = await askModel(models, run, { ...QUESTION, ...changes }).catch((error: unknown) => error);
  return { outcome, requests: model.requests, usage: run.usage() };
}

describe("a request to a model", () => {
  it("has the instructions first and the prompt as its only turn", async () => {
    const { outcome, requests } = await askScripted([GOOD]);
    expect(outcome).toEqual(GOOD);
    expect(requests).toEqual([
      {
        instructions: "INSTRUCTIONS",
        turns: [{ role: "user", text: "PROMPT" }],
        maxOutputTokens: 500,
        timeoutMs: 18_000,
      },
    ]);
  });

  it.each(["answer", "small"] as const)("goes to the model of the role %s", async (role) => {
    const models = modelsOf(scriptedModel([{ text: "answer" }]), scriptedModel([{ text: "small" }]));
    const run = createRun(sampleServices({ models }), {});
    expect(await askModel(models, run, { ...QUESTION, role })).toEqual({ text: role });
  });

  it("passes on the caller's abort signal", async () => {
    const received: unknown[] = [];
    const model: LanguageModel = {
      name: "test:signal",
      async ask<T>({ schema: shape, cancelled }: ModelRequest<T>) {
        received.push(cancelled);
        return { ok: true, value: shape.parse(GOOD) };
      },
    };
    const { signal } = new AbortController();
    const run = createRun(sampleServices(), { cancelled: signal });
    await askModel(modelsOf(model), run, QUESTION);
    expect(received).toEqual([signal]);
  });

  it("counts the usage of each request", async () => {
    const { usage } = await askScripted(["", GOOD]);
    expect(usage).toMatchObject({ calls: 2, inputTokens: 20, cachedInputTokens: 8, outputTokens: 4 });
  });
});

describe("an invalid answer", () => {
  const again = (error: string) => ({
    role: "user",
    text: `Your answer could not be used. ${error} Answer again, with the JSON object alone.`,
  });

  it("is sent back with the error and the whole conversation", async () => {
    const { outcome, requests } = await askScripted(["no JSON", '{"text": 1}', GOOD]);
    expect(outcome).toEqual(GOOD);
    expect(requests.map(({ turns }) => turns.length)).toEqual([1, 3, 5]);
    const turns = requests[2]?.turns ?? [];
    expect(turns.slice(0, 4)).toEqual([
      { role: "user", text: "PROMPT" },
      { role: "assistant", text: "no JSON" },
      again("The answer is not one complete JSON object."),
      { role: "assistant", text: '{"text": 1}' },
    ]);
    expect(turns[4]?.text).toMatch(/^Your answer could not be used\. The answer has another shape\. [\s\S]*text/);
    expect(new Set(requests.map(({ instructions }) => instructions))).toEqual(new Set(["INSTRUCTIONS"]));
  });

  it.each(["", " \n"])('is sent back as "(empty)" if it was %j', async (text) => {
    const { requests } = await askScripted([text, GOOD]);
    expect(requests[1]?.turns.slice(1)).toEqual([
      { role: "assistant", text: "(empty)" },
      again("The answer is empty."),
    ]);
  });

  it("includes an answer of the right shape with an objection", async () => {
    const objection = ({ text }: Answer) => (text === "good" ? undefined : `"text" is ${text}.`);
    const { outcome, requests } = await askScripted([{ text: "bad" }, GOOD], { objection });
    expect(outcome).toEqual(GOOD);
    expect(requests[1]?.turns.slice(1)).toEqual([
      { role: "assistant", text: '{"text":"bad"}' },
      again('"text" is bad.'),
    ]);
  });

  it.each([0, 1, 2, 5])("is sent back at most %i times", async (retries) => {
    const { outcome, requests } = await askScripted(Array<string>(retries + 1).fill("no JSON"), { retries });
    expect(outcome).toBeInstanceOf(DependencyError);
    expect(outcome).toMatchObject({ dependency: "language_model", failure: "invalid_response" });
    expect(requests.length).toBe(retries + 1);
  });

  it("is not sent back when the run has no tokens left", async () => {
    const model = scriptedModel(["no JSON", GOOD]);
    const run = createRun(sampleServices({ models: modelsOf(model) }), {});
    run.limitTokens(12);
    await expect(askModel(modelsOf(model), run, QUESTION)).rejects.toMatchObject({ failure: "invalid_response" });
    expect([model.requests.length, run.remainingTokens()]).toEqual([1, 0]);
  });

  it("is not quoted in the error", async () => {
    const { outcome } = await askScripted(["pl4nted"], { retries: 0 });
    expect(String(outcome)).not.toContain("pl4nted");
  });
});

describe("a model that fails", () => {
  const busy = new DependencyError("language_model", "busy", "the server answered 529");

  it("is not asked again", async () => {
    const { outcome, requests, usage } = await askScripted([busy]);
    expect(outcome).toBe(busy);
    expect([requests.length, usage.calls]).toEqual([1, 1]);
  });

  it("is not asked again after an invalid answer either", async () => {
    const { outcome, requests } = await askScripted(["no JSON", busy]);
    expect(outcome).toBe(busy);
    expect(requests.length).toBe(2);
  });
});

describe("the timeout of a request", () => {
  it("is the remaining budget or the request's maximum, whichever is less", async () => {
    const timeoutOf = async (changes: Partial<StepRequest<Answer>>, passedMs?: number) =>
      (await askScripted([GOOD], changes, passedMs)).requests[0]?.timeoutMs;
    expect(await timeoutOf({ reserved: 0 })).toBe(23_000);
    expect(await timeoutOf({ reserved: 0, maxMs: 5_000 })).toBe(5_000);
    expect(await timeoutOf({ reserved: 0, maxMs: 5_000 }, 20_000)).toBe(3_000);
  });

  it("fails without a request if nothing remains", async () => {
    const { outcome, requests, usage } = await askScripted([GOOD], {}, 18_000);
    expect(outcome).toMatchObject({ dependency: "language_model", failure: "timeout" });
    expect([requests.length, usage.calls]).toEqual([0, 0]);
  });

  it("counts the request's maximum for all attempts together", async () => {
    let time = NOW.getTime();
    const slow = scriptedModel(["no JSON", GOOD]);
    const model: LanguageModel = {
      name: slow.name,
      ask(request) {
        time += 4_000;
        return slow.ask(request);
      },
    };
    const run = createRun(sampleServices({ now: () => new Date(time) }), {});
    time += 1_000;
    expect(await askModel(modelsOf(model), run, { ...QUESTION, reserved: 0, maxMs: 5_000 })).toEqual(GOOD);
    expect(slow.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([5_000, 1_000]);
  });

  it("is computed again for each attempt", async () => {
    let time = NOW.getTime();
    const slow = scriptedModel(["no JSON", "no JSON", GOOD]);
    const model: LanguageModel = {
      name: slow.name,
      ask(request) {
        time += 10_000;
        return slow.ask(request);
      },
    };
    const run = createRun(sampleServices({ now: () => new Date(time) }), {});
    expect(await askModel(modelsOf(model), run, { ...QUESTION, reserved: 0 })).toEqual(GOOD);
    expect(slow.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([23_000, 13_000, 3_000]);
    await expect(askModel(modelsOf(model), run, { ...QUESTION, reserved: 0 })).rejects.toMatchObject({
      failure: "timeout",
    });
  });
});

describe("a partial answer", () => {
  it("numbers all attempts, the adapter's own retries included", async () => {
    const usage = { input: 1, cachedInput: 0, output: 1 };
    const texts = ["no JSON", JSON.stringify(GOOD)];
    let asks = 0;
    const model: LanguageModel = {
      name: "test:twice",
      async ask<T>({ schema: shape, onPartial, onUsage }: ModelRequest<T>) {
        const text = texts[asks] ?? "";
        asks += 1;
        for (const attempt of [1, 2]) {
          onPartial?.({ text: `ask ${asks}, attempt ${attempt}` }, attempt);
          onUsage(usage);
        }
        if (text === "no JSON") return { ok: false, error: "The answer is not one complete JSON object.", text };
        return { ok: true, value: shape.parse(JSON.parse(text)) };
      },
    };
    const received: unknown[] = [];
    const run = createRun(sampleServices(), {});
    await askModel(modelsOf(model), run, {
      ...QUESTION,
      onPartial: (value, attempt) => received.push([attempt, value]),
    });
    expect(received).toEqual([
      [1, { text: "ask 1, attempt 1" }],
      [2, { text: "ask 1, attempt 2" }],
      [3, { text: "ask 2, attempt 1" }],
      [4, { text: "ask 2, attempt 2" }],
    ]);
  });

  it("is not requested without a listener", async () => {
    const received: unknown[] = [];
    const model: LanguageModel = {
      name: "test:partial",
      async ask<T>({ schema: shape, onPartial }: ModelRequest<T>) {
        received.push(onPartial);
        return { ok: true, value: shape.parse(GOOD) };
      },
    };
    await askModel(modelsOf(model), createRun(sampleServices(), {}), QUESTION);
    expect(received).toEqual([undefined]);
  });
});
