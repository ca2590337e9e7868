import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Chunk, type ChunkOptions, chunkMarkdown } from "../../../../lib/markdown/chunk-markdown.ts";

/** A document with numbered words, so that each can be traced. */
interface Sample {
  readonly markdown: string;
  /** The words below headings, in order. */
  readonly words: readonly string[];
  readonly options: ChunkOptions;
}

const blockShape = fc.record({
  kind: fc.constantFrom("paragraph", "fence", "item"),
  words: fc.integer({ min: 1, max: 30 }),
  lineLength: fc.integer({ min: 1, max: 12 }),
});
const sectionShape = fc.record({
  level: fc.integer({ min: 1, max: 6 }),
  blocks: fc.array(blockShape, { maxLength: 5 }),
});

const sample: fc.Arbitrary<Sample> = fc
  .record({
    sections: fc.array(sectionShape, { maxLength: 5 }),
    size: fc.integer({ min: 2, max: 40 }),
    overlapShare: fc.double({ min: 0, max: 0.95, noNaN: true }),
    newline: fc.constantFrom("\n", "\r\n"),
  })
  .map(({ sections, size, overlapShare, newline }) => {
    const words: string[] = [];
    const lines: string[] = [];
    sections.forEach(({ level, blocks }, number) => {
      lines.push(`${"#".repeat(level)} Heading ${number}`, "");
      for (const block of blocks) {
        const own = Array.from({ length: block.words }, (_, i) => `w${words.length + i}`);
        words.push(...own);
        lines.push(...blockLines(block.kind, wrap(own, block.lineLength)), "");
      }
    });
    return { markdown: lines.join(newline), words, options: { size, overlap: Math.floor(size * overlapShare) } };
  });

function wrap(words: readonly string[], length: number): string[] {
  const lines: string[] = [];
  for (let start = 0; start < words.length; start += length) lines.push(words.slice(start, start + length).join(" "));
  return lines;
}

function blockLines(kind: string, lines: readonly string[]): readonly string[] {
  switch (kind) {
    case "fence":
      return ["```", ...lines, "```"];
    case "item":
      return lines.map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
    default:
      return lines;
  }
}

function chunksOf({ markdown, options }: Sample): Chunk[] {
  return chunkMarkdown(markdown, "fallback", options);
}

const numbered = (chunk: Chunk) => chunk.body.match(/w\d+/g) ?? [];

describe("chunkMarkdown", () => {
  it("keeps all words in order", () => {
    fc.assert(
      fc.property(sample, (document) => {
        expect([...new Set(chunksOf(document).flatMap(numbered))]).toEqual(document.words);
      }),
    );
  });

  it("repeats no word without overlap", () => {
    fc.assert(
      fc.property(sample, ({ markdown, words, options }) => {
        const chunks = chunkMarkdown(markdown, "fallback", { ...options, overlap: 0 });
        expect(chunks.flatMap(numbered)).toEqual(words);
      }),
    );
  });

  it("repeats no word within a chunk", () => {
    fc.assert(
      fc.property(sample, (document) => {
        for (const words of chunksOf(document).map(numbered)) expect(new Set(words).size).toBe(words.length);
      }),
    );
  });

  it("returns no chunk longer than the size and no empty chunk", () => {
    fc.assert(
      fc.property(sample, (document) => {
        for (const { body } of chunksOf(document)) {
          const length = body.split(/\s+/).length;
          expect(body.trim()).not.toBe("");
          expect(length).toBeLessThanOrEqual(document.options.size);
        }
      }),
    );
  });

  it("numbers the chunks from 0", () => {
    fc.assert(
      fc.property(sample, (document) => {
        const chunks = chunksOf(document);
        expect(chunks.map((chunk) => chunk.index)).toEqual(chunks.map((_, i) => i));
      }),
    );
  });

  it("is deterministic", () => {
    fc.assert(
      fc.property(sample, (document) => {
        expect(chunksOf(document)).toEqual(chunksOf(document));
      }),
    );
  });

  it("splits any text without losing a word outside headings and markup", () => {
    const line = fc.string({ maxLength: 30 }).map((text) => text.replace(/[#`~<>{}[\]|:&*_=%\s-]+/g, " "));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const text = lines.join("\n");
        const chunks = chunkMarkdown(text, "fallback", { size: 5, overlap: 0 });
        const words = chunks.flatMap(({ body }) => body.match(/\S+/g) ?? []);
        expect(words).toEqual(text.match(/\S+/g) ?? []);
      }),
    );
  });
});
