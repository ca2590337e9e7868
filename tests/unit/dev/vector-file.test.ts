import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DIMENSIONS } from "../../../dev/embeddings/encoder.ts";
import {
  embedFromFile,
  encodeVectorFile,
  RUNBOOK_VECTORS,
  readVectorFile,
  type TextVector,
  textKey,
} from "../../../dev/embeddings/vector-file.ts";
import { computeVectors, shippedTexts } from "../../../dev/generate-vectors.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-vectors-"));
  path = join(folder, "vectors.bin");
});
afterEach(() => rm(folder, { recursive: true }));

/** A vector of unit length in which each number differs. */
function unitVector(seed: number): number[] {
  const numbers = Array.from({ length: DIMENSIONS }, (_, i) => Math.sin(seed + i));
  const length = Math.hypot(...numbers);
  return numbers.map((value) => value / length);
}

function entries(...texts: readonly string[]): Map<string, TextVector> {
  return new Map(texts.map((text) => [textKey(text), { vector: unitVector(text.length), tokens: text.length }]));
}

function dot(a: readonly number[] = [], b: readonly number[] = []): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** The vectors of the file that ships. @throws Error when they do not belong to the embedder */
function shippedVectors() {
  const file = readVectorFile(RUNBOOK_VECTORS);
  if (file.state === "unusable") throw new Error(file.reason);
  return file.vectors;
}

describe("a vector file", () => {
  it("returns each vector almost exactly, at unit length, with its tokens", async () => {
    await writeFile(path, encodeVectorFile(entries("pod", "container")));
    const file = readVectorFile(path);
    const entry = file.state === "valid" ? file.vectors.get(textKey("container")) : undefined;
    expect(entry?.tokens).toBe(9);
    expect(Math.hypot(...(entry?.vector ?? []))).toBeCloseTo(1, 12);
    expect(dot(entry?.vector, unitVector(9))).toBeGreaterThan(0.999_999);
  });

  it("has the same bytes in any order of the texts, and after it is read and written", async () => {
    const bytes = encodeVectorFile(entries("pod", "container"));
    expect(encodeVectorFile(entries("container", "pod"))).toEqual(bytes);
    await writeFile(path, bytes);
    const file = readVectorFile(path);
    expect(file.state === "valid" && encodeVectorFile(file.vectors)).toEqual(bytes);
  });

  it("is not used with another embedder, nor when it is damaged, empty or missing", async () => {
    const bytes = encodeVectorFile(entries("pod"), "0123456789abcdef");
    await writeFile(path, bytes);
    expect(readVectorFile(path, "0123456789abcdef")).toMatchObject({ state: "valid" });
    expect(readVectorFile(path)).toMatchObject({ state: "unusable", reason: expect.stringContaining("embedder") });
    for (const damaged of [bytes.subarray(0, -1), bytes.subarray(9), new Uint8Array()]) {
      await writeFile(path, damaged);
      expect(readVectorFile(path)).toMatchObject({ state: "unusable", reason: expect.stringContaining("damaged") });
    }
    await rm(path);
    expect(readVectorFile(path)).toMatchObject({
      state: "unusable",
      reason: expect.stringContaining("npm run generate -- vectors"),
    });
  });

  it("answers its texts, and only the others are computed", async () => {
    const inputs: string[][] = [];
    const embed = embedFromFile(entries("pod"), async (texts) => {
      inputs.push([...texts]);
      return { vectors: texts.map((text) => [text.length]), tokens: texts.map((text) => text.length) };
    });
    const pod = [...(entries("pod").get(textKey("pod"))?.vector ?? [])];
    expect(await embed(["b", "pod", "aa"])).toEqual({ vectors: [[1], pod, [2]], tokens: [1, 3, 2] });
    expect(await embed(["pod"])).toEqual({ vectors: [pod], tokens: [3] });
    expect(inputs).toEqual([["b", "aa"]]);
  });
});

describe("the vectors that ship", async () => {
  const texts = await shippedTexts();

  it("cover every chunk of the shipped runbooks and nothing else", () => {
    const stored = shippedVectors();
    const missing = texts.filter((text) => !stored.has(textKey(text))).map((text) => text.split("\n", 1)[0]);
    expect(missing, "The runbooks have changed: run `npm run generate -- vectors`.").toEqual([]);
    expect(stored.size, "The runbooks have changed: run `npm run generate -- vectors`.").toBe(new Set(texts).size);
  });

  it("are those that the encoder computes", { timeout: 60_000 }, async () => {
    const stored = shippedVectors();
    // A text has a vector by its hash: only another encoder makes one wrong, and that shows in each.
    const sample = texts.filter((_, i) => i % 900 === 0);
    expect(sample.length).toBeGreaterThan(1);
    const { vectors } = await computeVectors(sample);
    for (const text of sample) {
      const [shipped, computed] = [stored.get(textKey(text)), vectors.get(textKey(text))];
      expect(dot(shipped?.vector, computed?.vector), text.split("\n", 1)[0]).toBeGreaterThan(0.999_9);
      expect(shipped?.tokens).toBe(computed?.tokens);
    }
  });
});
