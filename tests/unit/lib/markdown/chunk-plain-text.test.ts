import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkLog } from "../../../../lib/markdown/chunk-log.ts";
import { chunkPlainText } from "../../../../lib/markdown/chunk-plain-text.ts";
import { bytesOf, lastWords, splitByWeight, weightOf } from "../../../../lib/text/text-weight.ts";

const words = (text: string) => text.match(/\S+/g) ?? [];
const numbered = (from: number, count: number) => Array.from({ length: count }, (_, i) => `w${from + i}`).join(" ");

/** Text of any kind: words, sentences, blank lines, blobs, other scripts. */
const anyText = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.lorem({ maxCount: 12 }) },
      { weight: 2, arbitrary: fc.constantFrom("\n\n", "\n", "\r\n\r\n", "\t", "   \n  \n", ". ", "!\n") },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 900 }).map((length) => "😀x".repeat(length)) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(" "));

const options = fc
  .record({ size: fc.integer({ min: 20, max: 60 }), share: fc.double({ min: 0, max: 0.9, noNaN: true }) })
  .map(({ size, share }) => ({ size, overlap: Math.floor(size * share) }));

describe("chunkPlainText", () => {
  it("keeps paragraphs together where they fit", () => {
    const text = `${numbered(0, 10)}\n\n${numbered(10, 8)}\n\n${numbered(18, 6)}`;
    expect(chunkPlainText(text, { size: 20, overlap: 0 })).toEqual([
      `${numbered(0, 10)}\n\n${numbered(10, 8)}`,
      numbered(18, 6),
    ]);
  });

  it("splits a long paragraph after a sentence, and a long sentence after a word", () => {
    const text = "One two three four. Five six seven eight nine. Ten eleven twelve.";
    expect(chunkPlainText(text, { size: 8, overlap: 0 })).toEqual([
      "One two three four.",
      "Five six seven eight nine. Ten eleven twelve.",
    ]);
    expect(chunkPlainText(numbered(0, 25), { size: 10, overlap: 0 })).toEqual([
      numbered(0, 10),
      numbered(10, 10),
      numbered(20, 5),
    ]);
  });

  it("begins each chunk with the last words of the previous chunk", () => {
    const chunks = chunkPlainText(`${numbered(0, 8)}\n\n${numbered(8, 6)}`, { size: 10, overlap: 3 });
    expect(chunks).toEqual([numbered(0, 8), `w5 w6 w7\n\n${numbered(8, 6)}`]);
  });

  it("returns one chunk for a short text and none for a blank text", () => {
    expect(chunkPlainText("  hello there \n", { size: 20, overlap: 5 })).toEqual(["  hello there"]);
    for (const blank of ["", " ", "\n\n\n"]) expect(chunkPlainText(blank, { size: 20, overlap: 5 })).toEqual([]);
  });

  it("loses and repeats nothing without overlap, for any text", () => {
    fc.assert(
      fc.property(anyText, options, (text, { size }) => {
        const chunks = chunkPlainText(text, { size, overlap: 0 });
        expect(chunks.join("").replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
      }),
    );
  });

  it("loses no word with overlap and repeats only the end of the previous chunk", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), options, (count, chunking) => {
        const chunks = chunkPlainText(numbered(0, count), chunking).map(words);
        const joined: string[] = [];
        for (const chunk of chunks) {
          const fresh = chunk.filter((word) => !joined.includes(word));
          expect(chunk.slice(chunk.length - fresh.length)).toEqual(fresh);
          expect(chunk.length - fresh.length).toBeLessThanOrEqual(chunking.overlap);
          expect(joined.slice(joined.length - (chunk.length - fresh.length))).toEqual(
            chunk.slice(0, chunk.length - fresh.length),
          );
          joined.push(...fresh);
        }
        expect(joined.join(" ")).toBe(numbered(0, count));
      }),
    );
  });

  it("stays within the size, has no empty chunks and is deterministic", () => {
    fc.assert(
      fc.property(anyText, options, (text, chunking) => {
        const chunks = chunkPlainText(text, chunking);
        for (const chunk of chunks) {
          expect(weightOf(chunk)).toBeLessThanOrEqual(chunking.size);
          expect(chunk.trim()).not.toBe("");
          expect(chunk.isWellFormed()).toBe(text.isWellFormed());
        }
        expect(chunkPlainText(text, chunking)).toEqual(chunks);
      }),
    );
  });

  it.each([
    ["one long word", "x".repeat(524_288)],
    ["blanks", " ".repeat(524_288)],
    ["line ends", "\n".repeat(524_288)],
    ["blank lines with blanks", "x\n  \n".repeat(90_000)],
    ["full stops", ". ".repeat(262_144)],
  ])("handles %s quickly", (_, text) => {
    const chunks = chunkPlainText(text, { size: 400, overlap: 50 });
    expect(chunks.every((chunk) => weightOf(chunk) <= 400)).toBe(true);
  });
});

describe("a chunk's bytes", () => {
  it.each([
    ["Chinese", "数据库".repeat(20_000)],
    ["pictures", "😀".repeat(30_000)],
    ["holes", `a${" ".repeat(90_000)}b`],
    ["words", "word ".repeat(20_000)],
  ])("stay within the limit of a vector store for any size: %s", (_, text) => {
    const plain = chunkPlainText(text, { size: 5_000, overlap: 0 });
    for (const chunks of [plain, chunkLog(text, 5_000).map(({ body }) => body)]) {
      for (const chunk of chunks) {
        expect(bytesOf(chunk)).toBeLessThanOrEqual(14_000);
        expect(chunk.isWellFormed()).toBe(true);
      }
      expect(chunks.join("").replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
    }
  });
});

describe("weight", () => {
  it("is one for a word and more for a blob", () => {
    expect(weightOf("one two  three\n")).toBe(3);
    expect(weightOf("x".repeat(16))).toBe(1);
    expect(weightOf("x".repeat(17))).toBe(2);
    expect(weightOf("")).toBe(0);
  });

  it("splits a text into pieces that join to it", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 50 }), (text, most) => {
        const pieces = splitByWeight(text, most);
        expect(pieces.join("")).toBe(text);
        for (const piece of pieces) expect(weightOf(piece)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("limits the last words of a text", () => {
    expect(lastWords("one two three ", 2)).toBe("two three ");
    expect(lastWords("one two", 0)).toBe("");
    expect(lastWords(`one ${"x".repeat(40)}`, 2)).toBe("");
  });
});
