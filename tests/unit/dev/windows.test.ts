import { describe, expect, it } from "vitest";
import type { EmbeddedBatch } from "../../../dev/embeddings/encoder.ts";
import { createWindowCutter, embedInWindows, MODEL_READS_TOKENS } from "../../../dev/embeddings/windows.ts";

/** A token a word, and one a line break: as the model counts plain English. */
const countTokens = (text: string) => text.match(/\S+|\n/g)?.length ?? 0;
const cut = createWindowCutter(countTokens);
const words = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `w${from + i}`).join(" ");

describe("windows", () => {
  it("are the text itself where the model reads it whole", () => {
    const text = `Disk full\n\n${words(124)}`;
    expect(countTokens(text)).toBe(MODEL_READS_TOKENS);
    expect(cut(text)).toEqual([text]);
    expect(cut("")).toEqual([""]);
  });

  it("hold every word of a longer text in order, and no more tokens than the model reads", () => {
    const windows = cut(words(300));
    expect(windows.join(" ")).toBe(words(300));
    expect(windows.map(countTokens)).toEqual([128, 128, 44]);
  });

  it("each begin with the heading", () => {
    const windows = cut(`Disk full › Mitigate\n\n${words(250)}`);
    expect(windows.every((window) => window.startsWith("Disk full › Mitigate w"))).toBe(true);
    expect(windows.map((window) => window.replace("Disk full › Mitigate ", "")).join(" ")).toBe(words(250));
    expect(windows.map(countTokens)).toEqual([128, 128, 6]);
  });

  it("do not repeat a heading that would leave the text no room", () => {
    const text = `${words(60)}\n\n${words(200, 60)}`;
    expect(cut(text).join(" ")).toBe(words(260));
  });

  it("are four at most, the first and the last among them, evenly spread", () => {
    const windows = cut(words(128 * 10));
    expect(windows).toEqual([0, 3, 6, 9].map((place) => words(128, 128 * place)));
  });

  it("take a blob apart, and blanks for what they are", () => {
    const windows = cut("x".repeat(30_000));
    expect(windows.join("").replaceAll(" ", "")).toHaveLength(30_000);
    expect(windows.map(countTokens)).toEqual([128, 128, 44]);
    expect(cut(" \n".repeat(3_000))).toEqual([" \n".repeat(3_000)]);
  });
});

describe("the vector of a text", () => {
  const directions: Record<string, number[]> = { a: [1, 0], b: [0, 1] };
  const embed = async (texts: readonly string[]): Promise<EmbeddedBatch> => ({
    vectors: texts.map((text) => directions[text.slice(0, 1)] ?? []),
    tokens: texts.map((text) => text.length),
  });
  const inWindows = embedInWindows((text) => text.split(" "), embed);

  it("is the model's own where there is one window", async () => {
    expect(await inWindows(["b", "a"])).toEqual({
      vectors: [
        [0, 1],
        [1, 0],
      ],
      tokens: [1, 1],
    });
  });

  it("is the direction between those of its windows, by their tokens", async () => {
    const { vectors, tokens } = await inWindows(["aaaa bbb", "a", "b b"]);
    expect(vectors).toEqual([
      [0.8, 0.6],
      [1, 0],
      [0, 1],
    ]);
    expect(tokens).toEqual([7, 1, 2]);
  });
});
