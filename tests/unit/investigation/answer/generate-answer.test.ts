import { describe, expect, it } from "vitest";
import { DependencyError } from "../../../../functions/dependencies.ts";
import { CRITIQUE_INSTRUCTIONS } from "../../../../functions/investigation/prompts/critique.ts";
import { type Reply, sampleDraft } from "../samples.ts";

import { attempt, BUSY, critic, decided, FIRST, ORIGINAL, type Scripts, SECOND } from "./generate-answer-samples.ts";

describe("an answer above the confidence threshold", () => {
  it("is returned with the critique's score as its confidence", async () => {
    expect(await decided({ answer: [FIRST], small: [critic(0.8)] })).toEqual({
      summary: ORIGINAL,
      confidence: 0.8,
      initialConfidence: 0.8,
      feedback: "Feedback of 0.8.",
      reflected: false,
      changes: null,
      calls: [1, 1],
    });
  });

  it.each([
    [0.5, "0.5", 1],
    [0.49, "0.5", 2],
    [0.51, "0.5", 1],
    [0.7, "0.7", 1],
    [0.69, "0.7", 2],
    [0, "0", 1],
    [0.99, "1", 2],
    [1, "1", 1],
  ])("has a score of at least the threshold: %d, threshold %s", async (score, limit, drafts) => {
    const { calls } = await decided({
      small: [critic(score), critic(1)],
      environment: { CONFIDENCE_THRESHOLD: limit },
    });
    expect(calls[0]).toBe(drafts);
  });
});

describe("a critique's score", () => {
  it.each([
    ["1.7", 1],
    ["1", 1],
    ["100", 1],
    ["0.864", 0.86],
    ["0.866", 0.87],
  ])("of %s counts as %d", async (score, confidence) => {
    const { confidence: actual, initialConfidence } = await decided({
      answer: [FIRST],
      small: [`{"feedback": "Fine.", "score": ${score}}`],
    });
    expect([actual, initialConfidence]).toEqual([confidence, confidence]);
  });

  it.each(["-0.2", "-7", "0", "-0"])("of %s counts as 0", async (score) => {
    const { initialConfidence } = await decided({
      small: [`{"feedback": "Bad.", "score": ${score}}`, critic(0.6)],
    });
    expect(initialConfidence).toBe(0);
  });

  it.each(["NaN", "1e999", "-1e999", "null", '"0.9"'])("of %s is invalid and is requested again", async (score) => {
    const { confidence, calls } = await decided({
      answer: [FIRST],
      small: [`{"feedback": "Fine.", "score": ${score}}`, critic(0.9)],
    });
    expect([confidence, calls]).toEqual([0.9, [1, 2]]);
  });

  it("is the confidence, whatever the draft reports", async () => {
    const boasting = { ...FIRST, confidence: 1, score: 1 };
    expect(await decided({ answer: [boasting], small: [critic(0.6)] })).toMatchObject({ confidence: 0.6 });
  });
});

describe("an invalid critique", () => {
  const EMPTY = '{"feedback": " \\n", "score": 0.9}';

  it.each([
    ["an empty feedback", EMPTY, '"feedback" is empty.'],
    ["no text at all", "", "The answer is empty."],
    ["prose", "Looks good to me.", "The answer is not one complete JSON object."],
    ["no score", '{"feedback": "Fine."}', "The answer has another shape."],
  ])("is sent back with the error: %s", async (_case, text, error) => {
    const { value, small } = await attempt({ answer: [FIRST], small: [text, critic(0.9)] });
    expect(value?.confidence).toBe(0.9);
    const turns = small[1]?.turns ?? [];
    expect(turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(turns[0]).toEqual(small[0]?.turns[0]);
    expect(turns[2]?.text).toContain(error);
  });

  it("is sent back up to five times with the whole conversation", async () => {
    const { value, small } = await attempt({ answer: [FIRST], small: [...Array<string>(5).fill(EMPTY), critic(0.9)] });
    expect(value?.confidence).toBe(0.9);
    expect(small.map(({ turns }) => turns.length)).toEqual([1, 3, 5, 7, 9, 11]);
    expect(small.every(({ instructions }) => instructions === CRITIQUE_INSTRUCTIONS)).toBe(true);
  });

  it.each([
    ["5", 6],
    ["2", 3],
    ["0", 1],
  ])("is sent back at most AGENT_RETRIES=%s times, then the answer fails", async (retries, calls) => {
    const { error, small } = await attempt({
      answer: [FIRST],
      small: Array<string>(calls).fill(EMPTY),
      environment: { AGENT_RETRIES: retries },
    });
    expect(error).toBeInstanceOf(DependencyError);
    expect(error).toMatchObject({ dependency: "language_model", failure: "invalid_response" });
    expect(small.length).toBe(calls);
  });
});

describe("an answer below the confidence threshold", () => {
  it("is reflected on once, and the better draft is returned", async () => {
    expect(await decided({ small: [critic(0.3), critic(0.8)] })).toEqual({
      summary: "Improved.",
      confidence: 0.8,
      initialConfidence: 0.3,
      feedback: "Feedback of 0.8.",
      reflected: true,
      changes: "Named the limit.",
      failure: undefined,
      calls: [2, 2],
    });
  });

  it("is reflected on only once, even if the second draft is weak", async () => {
    const { calls, confidence } = await decided({ small: [critic(0.1), critic(0.2)] });
    expect([calls, confidence]).toEqual([[2, 2], 0.2]);
  });

  it("is returned with its own score and feedback if the second draft is worse", async () => {
    expect(await decided({ small: [critic(0.3), critic(0.29)] })).toEqual({
      summary: ORIGINAL,
      confidence: 0.3,
      initialConfidence: 0.3,
      feedback: "Feedback of 0.3.",
      reflected: true,
      changes: null,
      calls: [2, 2],
    });
  });

  it("is replaced by a second draft with the same score", async () => {
    expect(await decided({ small: [critic(0.3), critic(0.3, "Still weak.")] })).toMatchObject({
      summary: "Improved.",
      confidence: 0.3,
      feedback: "Still weak.",
      reflected: true,
      changes: "Named the limit.",
    });
  });

  it("is not written when no tokens are left, and the answer says so", async () => {
    const { value, answer } = await attempt({ small: [critic(0.3)], tokens: 24 });
    expect([value?.confidence, value?.reflected, value?.failure?.error.failure]).toEqual([0.3, false, "busy"]);
    expect(answer.length).toBe(1);
  });

  it("is compared by clamped scores", async () => {
    expect(await decided({ small: [critic(-5), critic(-9)] })).toMatchObject({ summary: "Improved.", confidence: 0 });
  });

  it.each<[string, readonly Reply[]]>([
    ["fails", [BUSY]],
    ["gives no answer that can be used, six times", Array<string>(6).fill("no JSON")],
    ["leaves out what it changed, six times", Array<object>(6).fill(FIRST)],
  ])("is returned with the failure if reflection %s", async (_case, replies) => {
    const { value, error } = await attempt({ answer: [FIRST, ...replies], small: [critic(0.3)] });
    expect(error).toBeUndefined();
    const { drafted, failure, ...rest } = value ?? unexpected();
    expect(drafted.answer.summary.text).toBe(ORIGINAL);
    expect(rest).toEqual({
      confidence: 0.3,
      initialConfidence: 0.3,
      feedback: "Feedback of 0.3.",
      reflected: false,
      changes: null,
    });
    expect(failure).toMatchObject({ step: "reflect", error: expect.any(DependencyError) });
  });

  it.each<[string, readonly Reply[]]>([
    ["fails", [BUSY]],
    ["gives nothing that can be used", Array<string>(6).fill("no JSON")],
  ])(
    "is replaced by the second draft, which keeps the first score, if the second critique %s",
    async (_case, replies) => {
      const { value } = await attempt({ small: [critic(0.3), ...replies] });
      const { drafted, failure, ...rest } = value ?? unexpected();
      expect(drafted.answer.summary.text).toBe("Improved.");
      expect(rest).toEqual({
        confidence: 0.3,
        initialConfidence: 0.3,
        feedback: "Feedback of 0.3.",
        reflected: true,
        changes: "Named the limit.",
      });
      expect(failure).toMatchObject({ step: "critique", error: expect.any(DependencyError) });
    },
  );

  it("is verified again after reflection", async () => {
    const second = { ...SECOND, summary: { citations: ["R9"], text: "Made up." } };
    const { value } = await attempt({ answer: [FIRST, second], small: [critic(0.3), critic(0.8)] });
    expect(value?.drafted.answer.summary.text).toBe("It went over its limit.");
    expect(value?.drafted.removed.citations).toBe(1);
  });
});

function unexpected(): never {
  throw new Error("There is no answer.");
}

describe("an answer that fails", () => {
  it.each<[string, Scripts]>([
    ["there is no first answer", { answer: [BUSY], small: [] }],
    ["the first critique fails: an answer without a confidence is none", { answer: [FIRST], small: [BUSY] }],
  ])("fails with the model's error where %s", async (_case, scripts) => {
    expect((await attempt(scripts)).error).toBe(BUSY);
  });

  it.each([
    ["5", 6],
    ["1", 2],
  ])("fails after AGENT_RETRIES=%s if no draft is valid", async (retries, calls) => {
    const replies = Array<string>(calls).fill("no JSON");
    const { error, answer } = await attempt({ answer: replies, small: [], environment: { AGENT_RETRIES: retries } });
    expect(error).toMatchObject({ failure: "invalid_response" });
    expect(answer.length).toBe(calls);
  });

  it("sends back a draft with an empty item", async () => {
    const silent = sampleDraft({ confirm: [{ citations: ["R1"], text: " ", command: "docker ps" }] });
    const { value, answer } = await attempt({ answer: [silent, FIRST], small: [critic(0.9)] });
    expect(value?.drafted.answer.summary.text).toBe(ORIGINAL);
    expect(answer[1]?.turns.at(-1)?.text).toContain("An item has no text.");
  });

  it.each<[string, Scripts]>([
    ["synthesis", { answer: [new TypeError("mistake")], small: [] }],
    ["the first critique", { answer: [FIRST], small: [new TypeError("mistake")] }],
    ["reflection", { answer: [FIRST, new TypeError("mistake")], small: [critic(0.3)] }],
    ["the second critique", { small: [critic(0.3), new TypeError("mistake")] }],
  ])("does not hide a bug in %s", async (_step, scripts) => {
    expect((await attempt(scripts)).error).toBeInstanceOf(TypeError);
  });
});
