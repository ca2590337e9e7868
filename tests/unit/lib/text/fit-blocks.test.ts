import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Block, fitBlocks, type Line } from "../../../../lib/text/fit-blocks.ts";

const line = (text: string, changes: Partial<Line> = {}): Line => ({
  label: "",
  text,
  rank: 0,
  cut: "sentences",
  ...changes,
});

describe("fitBlocks", () => {
  it("separates blocks by an empty line and their lines by a line break", () => {
    expect(fitBlocks([[line("one"), line("two", { label: "B: " })], [line("three")]], 100)).toBe(
      "one\nB: two\n\nthree",
    );
  });

  it("keeps the lines of lower rank first, in the order of the text", () => {
    const block = [line("first line"), line("least important", { rank: 9 }), line("most important", { rank: 1 })];
    expect(fitBlocks([block], "first line\nmost important".length)).toBe("first line\nmost important");
  });

  it("leaves out the last sentences of a line, and cuts none within", () => {
    const block = [line("The pool is full. It holds ten connections. All are idle.")];
    expect(fitBlocks([block], 50)).toBe("The pool is full. It holds ten connections.");
  });

  it("keeps a whole line or nothing of it", () => {
    const block = [line("The question?"), line("a very long line that does not fit.", { rank: 1, cut: "whole" })];
    expect(fitBlocks([block], 30)).toBe("The question?");
  });

  it("cuts a first sentence that exceeds the share between words", () => {
    expect(fitBlocks([[line("why does the gateway answer with 502 since the release of this morning")]], 40)).toBe(
      "why does the gateway answer with 502…",
    );
  });

  it("gives a long block the room that short ones leave", () => {
    const long = Array.from({ length: 40 }, (_, i) => `Sentence number ${i} is here.`).join(" ");
    const text = fitBlocks([[line("short")], [line(long)]], 500);
    expect(text.length).toBeGreaterThan(500 - "Sentence number 10 is here. ".length);
    expect(text.startsWith("short\n\nSentence number 0 is here.")).toBe(true);
  });

  it("keeps the first blocks by importance when there is no room for a beginning of each", () => {
    const blocks: Block[] = Array.from({ length: 10 }, (_, i) => [line(`question number ${i} about a gateway`)]);
    const last = blocks.at(-1) ?? [];
    expect(fitBlocks(blocks, 30, [last, ...blocks])).toBe("question number 9 about a…");
  });

  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 12 });
  const text = fc
    .array(words, { minLength: 1, maxLength: 15 })
    .map((list) => list.map((each) => `${each.join(" ")}.`).join(" "));
  const anyLine = fc.record({
    label: fc.constantFrom("", "Q: ", "Error: "),
    text,
    rank: fc.nat({ max: 9 }),
    cut: fc.constantFrom("whole" as const, "sentences" as const, "words" as const),
  });
  const anyBlock = fc.array(anyLine, { minLength: 1, maxLength: 6 });
  const lengthOf = (block: Block) => block.map(({ label, text: own }) => label + own).join("\n").length;

  it("represents every block, keeps those that need no more than an equal share, and stays within the length", () => {
    fc.assert(
      fc.property(
        fc.array(anyBlock, { minLength: 1, maxLength: 100 }),
        fc.integer({ min: 2_700, max: 12_000 }),
        (blocks, length) => {
          const fitted = fitBlocks(blocks, length);
          expect(fitted.length).toBeLessThanOrEqual(length);
          const parts = fitted.split("\n\n");
          expect(parts).toHaveLength(blocks.length);
          const equal = Math.floor((length - 2 * (blocks.length - 1)) / blocks.length);
          for (const [i, block] of blocks.entries())
            if (lengthOf(block) <= equal) expect(parts[i]).toHaveLength(lengthOf(block));
        },
      ),
    );
  });

  it("cuts a block only if no further sentence of it fits in an equal share", () => {
    const sentence = "Nine words stand in this sentence about a gateway.";
    const blocks = (counts: readonly number[]) => counts.map((count) => [line(Array(count).fill(sentence).join(" "))]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }), (counts) => {
        const length = 12_000;
        const parts = fitBlocks(blocks(counts), length).split("\n\n");
        const equal = Math.floor((length - 2 * (counts.length - 1)) / counts.length);
        for (const [i, count] of counts.entries()) {
          const kept = ((parts[i] ?? "").length + 1) / (sentence.length + 1);
          expect(Number.isInteger(kept)).toBe(true);
          if (kept < count) expect((kept + 1) * (sentence.length + 1) - 1).toBeGreaterThan(equal);
        }
      }),
    );
  });
});
