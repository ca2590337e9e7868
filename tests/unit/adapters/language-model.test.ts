import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { costOf, estimateTokens, readAnswer, withStorableText } from "../../../functions/adapters/language-model.ts";

const schema = z.object({ text: z.string(), score: z.number(), next: z.string().nullable() });
const VALUE = { text: "It is {full}.", score: 0.5, next: null };
const JSON_TEXT = JSON.stringify(VALUE);

/** What is wrong with an answer; "" where nothing is. */
function fault(text: string): string {
  const reply = readAnswer(schema, text);
  if (reply.ok) return "";
  expect(reply.text).toBe(text);
  return reply.error;
}

describe("reading an answer", () => {
  it.each([
    ["the object alone", JSON_TEXT],
    ["the object on several lines", JSON.stringify(VALUE, null, 2)],
    ["white space around it", `\n\n  ${JSON_TEXT}\n`],
    ["a fence", `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ["a fence without a language", `\`\`\`\n${JSON_TEXT}\n\`\`\``],
    ["sentences around it", `Here is the answer:\n${JSON_TEXT}\nI hope that this helps.`],
    ["a fence between sentences", `Sure!\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\nAnything else?`],
    ["a byte order mark", `\ufeff${JSON_TEXT}`],
    ["fields that nobody asked for", JSON.stringify({ ...VALUE, mood: "good" })],
  ])("finds the object in %s", (_case, text) => {
    expect(readAnswer(schema, text)).toEqual({ ok: true, value: VALUE });
  });

  it.each(["", " ", "\n\t\u00a0"])("calls %j empty", (text) => {
    expect(fault(text)).toBe("The answer is empty.");
  });

  it.each([
    ["prose", "I cannot answer that."],
    ["an object that ends too early", JSON_TEXT.slice(0, -1)],
    ["an object that breaks off in a text", JSON_TEXT.slice(0, 12)],
    ["two objects", `${JSON_TEXT}\n${JSON_TEXT}`],
    ["braces the wrong way round", "}{"],
    ["a brace in the prose before it", `In {braces}: ${JSON_TEXT}`],
    ["single quotes", "{'text': 'x'}"],
    ["a comma too many", '{"text": "x",}'],
    ["no object but a text", '"It is full."'],
  ])("takes %s for no complete object", (_case, text) => {
    expect(fault(text)).toBe("The answer is not one complete JSON object.");
  });

  it.each<[string, object, string]>([
    ["a field that is missing", { text: "x", next: null }, "score"],
    ["a field of another type", { ...VALUE, score: "0.5" }, "score"],
    ["null where it may not be", { ...VALUE, text: null }, "text"],
    ["another field that may be null but must be there", { text: "x", score: 1 }, "next"],
  ])("names %s in words that a model can act on", (_case, value, field) => {
    expect(fault(JSON.stringify(value))).toMatch(/^The answer has another shape\. /);
    expect(fault(JSON.stringify(value))).toContain(field);
  });

  it.each(["1e999", "-1e999"])("takes %s for no number", (score) => {
    expect(fault(`{"text": "x", "score": ${score}, "next": null}`)).toContain("score");
  });

  it("reads back every value of the shape, whatever stands around it without braces", () => {
    const value = fc.record({
      text: fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
      score: fc.double({ noNaN: true, noDefaultInfinity: true }).map((score) => score + 0),
      next: fc.option(fc.string()),
    });
    const prose = fc.string().map((text) => text.replace(/[{}]/g, ""));
    fc.assert(
      fc.property(value, prose, prose, (answer, before, after) => {
        expect(readAnswer(schema, `${before}${JSON.stringify(answer)}${after}`)).toEqual({
          ok: true,
          value: withStorableText(answer),
        });
      }),
    );
  });

  it("keeps no text that cannot be stored or that a terminal would obey", () => {
    const text = '{"text":"a\\u0000b\\ud83d \\u001b[2J\\n\\tc","score":1,"next":null}';
    expect(readAnswer(schema, text)).toMatchObject({ ok: true, value: { text: "a\ufffdb\ufffd \ufffd[2J\n\tc" } });
  });

  it("never throws, whatever a model writes", () => {
    const piece = fc.oneof(fc.constantFrom("{", "}", '"', ":", ",", "[", "text", "\\", "0"), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join("");
        const reply = readAnswer(schema, text);
        if (!reply.ok) expect([reply.text, reply.error.length > 0]).toEqual([text, true]);
      }),
    );
  });
});

describe("the cost of a request", () => {
  const price = { input: 1, cachedInput: 0.1, output: 5 };

  it("counts what was cached at its own price, and only once", () => {
    expect(costOf({ input: 1_000_000, cachedInput: 400_000, output: 200_000 }, price)).toBeCloseTo(0.6 + 0.04 + 1, 10);
  });

  it.each([
    ["nothing", { input: 0, cachedInput: 0, output: 0 }, 0],
    ["a million tokens read", { input: 1_000_000, cachedInput: 0, output: 0 }, 1],
    ["a million tokens read from the cache", { input: 1_000_000, cachedInput: 1_000_000, output: 0 }, 0.1],
    ["a million tokens written", { input: 0, cachedInput: 0, output: 1_000_000 }, 5],
  ])("is for %s what the price says", (_case, usage, cost) => {
    expect(costOf(usage, price)).toBeCloseTo(cost, 10);
  });

  it("is never negative, even where a provider counts more cached than read", () => {
    expect(costOf({ input: 10, cachedInput: 30, output: 0 }, price)).toBeCloseTo(30 * 0.1e-6, 12);
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), (input, cachedInput, output) => {
        expect(costOf({ input, cachedInput, output }, price)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("an estimate of tokens", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["abcd", 1],
    ["abcde", 2],
    ["a".repeat(4_000), 1_000],
  ])("takes four characters for a token: %j", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});
