import { describe, expect, it } from "vitest";
import { createWordEmbedder } from "../../../functions/adapters/word-embedder.ts";
import { wordVectors } from "../../../lib/embedding/shipped-vectors.ts";
import { dot } from "../../../lib/embedding/word-vectors.ts";

const embedder = createWordEmbedder();

describe("the built-in embedder", () => {
  it("names the version of its table, so that an index of another table is refused", () => {
    expect(embedder.model).toMatch(/^word-vectors-[0-9a-f]{8}$/);
    expect(parseInt(embedder.model.slice(-8), 16)).toBe(wordVectors.version);
  });

  it("returns a vector of length 1 for each text, in order, nearer for texts about one failure", async () => {
    const texts = ["the disk is full", "no space left on the disk", "a certificate has expired"];
    const [a = [], b = [], c = []] = await embedder.embed(texts);
    for (const vector of [a, b, c]) {
      expect(vector).toHaveLength(embedder.dimensions);
      expect(dot(vector, vector)).toBeCloseTo(1, 5);
    }
    expect(dot(a, b)).toBeGreaterThan(dot(a, c));
  });

  it("returns no vector without a text, and zeros without a word", async () => {
    expect(await embedder.embed([])).toEqual([]);
    expect(await embedder.embed([""])).toEqual([Array(embedder.dimensions).fill(0)]);
  });
});
