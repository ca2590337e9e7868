import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wholeText } from "../../../functions/knowledge/rejoin-chunks.ts";
import { chunkMarkdown } from "../../../lib/markdown/chunk-markdown.ts";

function joined(markdown: string, size: number, overlap: number): string {
  const chunks = chunkMarkdown(markdown, "", { size, overlap });
  const sections = chunks.map(({ headingPath, body }) => ({ id: "", heading: headingPath.join(" › "), text: body }));
  return wholeText({ title: chunks[0]?.title ?? "", text: null, sections });
}

const section = (heading: string, text: string) => ({ id: "", heading, text });

describe("a text on record", () => {
  it("is given as it was stored, where it was", () => {
    expect(wholeText({ title: "T", text: "as it was", sections: [section("A", "as it was")] })).toBe("as it was");
  });
});

describe("a text that is put together from its chunks", () => {
  it("has its headings once, at their levels", () => {
    const markdown =
      "# Disk full\n\nWhat it is.\n\n## Confirm\n\n### On the host\n\ndf -h\n\n### Inside\n\ndu -sh\n\n## Mitigate\n\nPrune.\n";
    expect(joined(markdown, 400, 50)).toBe(markdown);
  });

  it("has a heading once that has nothing below it", () => {
    const markdown = "# Down\n\n## The certificate had expired\n\n## Mitigate\n\nRenew it.\n";
    expect(joined(markdown, 400, 50)).toBe(markdown);
  });

  it("keeps a section apart whose first words are the last ones of the section before", () => {
    const sections = [section("", "one two three"), section("A", "one two three")];
    expect(wholeText({ title: "T", text: null, sections })).toBe("# T\n\none two three\n\n## A\n\none two three\n");
  });

  it("keeps a word that a chunk begins with and the one before ends with by chance", () => {
    const sections = ["look at what the", "the kernel wrote", "te me"].map((text) => section("A", text));
    expect(wholeText({ title: "T", text: null, sections })).toBe(
      "# T\n\n## A\n\nlook at what the\n\nthe kernel wrote\n\nte me\n",
    );
  });

  it("has every word, in order, wherever it was cut, and repeats no more than two of them at a cut", () => {
    const shape = fc.array(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }), { maxLength: 5 });
    const cut = fc.record({ size: fc.integer({ min: 20, max: 60 }), overlap: fc.integer({ min: 0, max: 19 }) });
    fc.assert(
      fc.property(shape, cut, (sections, { size, overlap }) => {
        let count = 0;
        const paragraph = (length: number) => Array.from({ length }, () => `w${count++}`).join(" ");
        const markdown = sections
          .map((blocks, i) => `## Section ${i}\n\n${blocks.map(paragraph).join("\n\n")}`)
          .join("\n\n");
        const whole = `# T\n\n${markdown}`;
        const words = joined(whole, size, overlap).match(/\bw\d+\b/g) ?? [];
        expect([...new Set(words)]).toEqual(Array.from({ length: count }, (_, i) => `w${i}`));
        expect(words.length - count).toBeLessThanOrEqual(2 * chunkMarkdown(whole, "", { size, overlap }).length);
      }),
    );
  });
});
