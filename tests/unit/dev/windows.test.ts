import { describe, expect, it } from "vitest";
import type { EmbeddedBatch } from "../../../dev/embeddings/encoder.ts";
import { createWindowSplitter, embedInWindows, MODEL_READS_TOKENS } from "../../../dev/embeddings/windows.ts";

/** One token for each word and line break, as the model counts plain English. */
const countTokens = (text: string) => text.match(/\S+|\n/g)?.length ?? 0;
const split = createWindowSplitter(countTokens);
const words = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `w${from + i}`).join(" ");

describe("windows", () => {
  it("are the text itself when the model reads it whole", () => {
    const text = `Disk full\n\n${words(124)}`;
    expect(countTokens(text)).toBe(MODEL_READS_TOKENS);
    expect(split(text)).toEqual([text]);
    expect(split("")).toEqual([""]);
  });

  it("contain every word of a longer text in order, and at most as many tokens as the model reads", () => {
    const windows = split(words(300));
    expect(windows.join(" ")).toBe(words(300));
    expect(windows.map(countTokens)).toEqual([128, 128, 44]);
  });

  it("begin with the heading", () => {
    const windows = split(`Disk full › Mitigate\n\n${words(250)}`);
    expect(windows.every((window) => window.startsWith("Disk full › Mitigate w"))).toBe(true);
    expect(windows.map((window) => window.replace("Disk full › Mitigate ", "")).join(" ")).toBe(words(250));
    expect(windows.map(countTokens)).toEqual([128, 128, 6]);
  });

  it("do not repeat a heading that leaves too little room for the text", () => {
    const text = `${words(60)}\n\n${words(200, 60)}`;
    expect(split(text).join(" ")).toBe(words(260));
  });

  it("are at most four, evenly spaced from the first to the last", () => {
    const windows = split(words(128 * 10));
    expect(windows).toEqual([0, 3, 6, 9].map((place) => words(128, 128 * place)));
  });

  it("split a blob and keep a text of blanks", () => {
    const windows = split("x".repeat(30_000));
    expect(windows.join("").replaceAll(" ", "")).toHaveLength(30_000);
    expect(windows.map(countTokens)).toEqual([128, 128, 44]);
    expect(split(" \n".repeat(3_000))).toEqual([" \n".repeat(3_000)]);
  });
});

describe("the vector of a text", () => {
  const directions: Record<string, number[]> = { a: [1, 0], b: [0, 1] };
  const embed = async (texts: readonly string[]): Promise<EmbeddedBatch> => ({
    vectors: texts.map((text) => directions[text.slice(0, 1)] ?? []),
    tokens: texts.map((text) => text.length),
  });
  const inWindows = embedInWindows((text) => text.split(" "), embed);

  it("is the model's own for one window", async () => {
    expect(await inWindows(["b", "a"])).toEqual({
      vectors: [
        [0, 1],
        [1, 0],
      ],
      tokens: [1, 1],
    });
  });

  it("is the mean direction of its windows, weighted by their tokens", async () => {
    const { vectors, tokens } = await inWindows(["aaaa bbb", "a", "b b"]);
    expect(vectors).toEqual([
      [0.8, 0.6],
      [1, 0],
      [0, 1],
    ]);
    expect(tokens).toEqual([7, 1, 2]);
  });
});
