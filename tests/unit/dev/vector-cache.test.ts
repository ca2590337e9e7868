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

/** Vectors that no float of 32 bits could hold, and what was asked for. */
function encoder() {
  const asked: string[][] = [];
  const embed = async (texts: readonly string[]) => {
    asked.push([...texts]);
    return { vectors: texts.map((text) => [text.length / 3, -0.1]), tokens: texts.map((text) => text.length) };
  };
  return { asked, embed };
}

describe("vectors that are kept", () => {
  it("are computed once, and the same to the last digit afterwards", async () => {
    const { asked, embed } = encoder();
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
    expect(asked).toEqual([["pod", "container"]]);
  });

  it("leave only what is missing to be computed, in its place", async () => {
    const { asked, embed } = encoder();
    const cached = embedFromCache(path, embed);
    await cached(["b"]);
    const { tokens } = await cached(["aaa", "b", "cc"]);
    expect(tokens).toEqual([3, 1, 2]);
    expect(asked).toEqual([["b"], ["aaa", "cc"]]);
  });

  it("serve whoever opens the same file, at the same time or later", async () => {
    const [one, other] = [encoder(), encoder()];
    const cached = embedFromCache(path, one.embed);
    const beside = embedFromCache(path, other.embed);
    await cached(["pod"]);
    expect(await beside(["pod"])).toEqual({ vectors: [[1, -0.1]], tokens: [3] });
    expect(other.asked).toEqual([]);
  });

  it("hold nothing of what could not be computed", async () => {
    const { asked, embed } = encoder();
    const failing = embedFromCache(path, () => Promise.reject(new Error("The encoder died.")));
    await expect(failing(["pod"])).rejects.toThrow("The encoder died.");
    await embedFromCache(path, embed)(["pod"]);
    expect(asked).toEqual([["pod"]]);
  });
});
