import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { embedFromCache } from "../../../dev/embeddings/vector-cache.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dejavu-vectors-"));
  path = join(folder, "new", "vectors.sqlite");
});
afterEach(() => rm(folder, { recursive: true }));

/** An encoder that records its inputs. No 32-bit float can represent its vectors. */
function encoder() {
  const inputs: string[][] = [];
  const embed = async (texts: readonly string[]) => {
    inputs.push([...texts]);
    return { vectors: texts.map((text) => [text.length / 3, -0.1]), tokens: texts.map((text) => text.length) };
  };
  return { inputs, embed };
}

describe("the vector cache", () => {
  it("computes each vector once and returns it exactly", async () => {
    const { inputs, embed } = encoder();
    const cached = embedFromCache(path, embed);
    const first = await cached(["pod", "container"]);
    expect(first).toEqual({
      vectors: [
        [1, -0.1],
        [3, -0.1],
      ],
      tokens: [3, 9],
    });
    expect(await cached(["container", "pod"])).toEqual({ vectors: [...first.vectors].reverse(), tokens: [9, 3] });
    expect(inputs).toEqual([["pod", "container"]]);
  });

  it("computes only missing vectors and keeps the order of the texts", async () => {
    const { inputs, embed } = encoder();
    const cached = embedFromCache(path, embed);
    await cached(["b"]);
    const { tokens } = await cached(["aaa", "b", "cc"]);
    expect(tokens).toEqual([3, 1, 2]);
    expect(inputs).toEqual([["b"], ["aaa", "cc"]]);
  });

  it("shares vectors between processes that open the same file", async () => {
    const [one, other] = [encoder(), encoder()];
    const cached = embedFromCache(path, one.embed);
    const otherCached = embedFromCache(path, other.embed);
    await cached(["pod"]);
    expect(await otherCached(["pod"])).toEqual({ vectors: [[1, -0.1]], tokens: [3] });
    expect(other.inputs).toEqual([]);
  });

  it("stores nothing when the computation fails", async () => {
    const { inputs, embed } = encoder();
    const failing = embedFromCache(path, () => Promise.reject(new Error("The encoder died.")));
    await expect(failing(["pod"])).rejects.toThrow("The encoder died.");
    await embedFromCache(path, embed)(["pod"]);
    expect(inputs).toEqual([["pod"]]);
  });
});
