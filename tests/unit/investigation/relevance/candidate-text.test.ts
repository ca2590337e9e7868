import { describe, expect, it } from "vitest";
import { bestSentence, readCandidate } from "../../../../functions/investigation/relevance/candidate-text.ts";
import { sampleCandidate, sampleReport } from "./samples.ts";

const MARKDOWN =
  "# Disk is full\n\nThe volume has no space. Writes fail.\n\n## Root causes\n\n- Logs are never rotated.\n";
const read = (markdown: string, source?: string) =>
  readCandidate(sampleCandidate(markdown, source), sampleReport({ title: "disk full" }));

describe("a candidate", () => {
  it("has the terms of title, headings and text, and their neighbours", () => {
    const { terms, pairs } = read(MARKDOWN);
    for (const term of ["disk", "full", "root", "volum", "rotat"])
      expect(
        [...terms].some((each) => each.startsWith(term)),
        term,
      ).toBe(true);
    expect(pairs.has("disk full")).toBe(true);
    expect(pairs.has("full disk")).toBe(false);
  });

  it("has the title, each heading and each sentence as a sentence", () => {
    const sentences = read(MARKDOWN).sentences.map((terms) => [...terms].join(" "));
    expect(sentences).toContain("disk full");
    expect(sentences).toContain("root caus");
    expect(sentences).toContain("volum no spac");
    expect(sentences.every((sentence) => sentence.includes(" "))).toBe(true);
  });

  it("is called by its title, its file and its headings", () => {
    expect(read(MARKDOWN, "storage/disk-full.md").names).toEqual(["diskisfull", "diskfull", "rootcauses"]);
  });

  it("has a lead of title, headings and its beginning", () => {
    const filler = Array.from({ length: 120 }, (_, i) => `filler${i}`).join(" ");
    const { lead, terms } = read(`# Disk is full\n\n${filler} ending\n`);
    expect(lead.has("disk")).toBe(true);
    expect(lead.has("filler1")).toBe(true);
    expect([lead.has("ending"), [...terms].some((term) => term.startsWith("end"))]).toEqual([false, true]);
  });

  it("has a name as title or words", () => {
    expect(read("# KubePodCrashLooping\n\nText.\n").hasNameAsTitle).toBe(true);
    expect(read(MARKDOWN).hasNameAsTitle).toBe(false);
  });

  it("reads no more than a bounded part of a sentence", () => {
    const isLastRead = (words: number) =>
      read(`# Disk is full\n\n${"word ".repeat(words)}last\n`).sentences.some((terms) => terms.has("last"));
    expect([isLastRead(150), isLastRead(250)]).toEqual([true, false]);
  });
});

describe("the best sentence", () => {
  const weights = new Map([
    ["disk", 2],
    ["full", 2],
  ]);

  it("has all terms and no others at 1", () => {
    expect(bestSentence(weights, [new Set(["disk", "full"])])).toEqual({ f: 1, recall: 1 });
  });

  it("loses precision by terms of its own, each as heavy as the mean", () => {
    // Matched 2 of 4: recall 0.5; the other term weighs 2: precision 0.5.
    expect(bestSentence(weights, [new Set(["disk", "other"])])).toEqual({ f: 0.5, recall: 0.5 });
  });

  it("may differ for the two measures", () => {
    const long = new Set(["disk", "full", "a", "b", "c", "d", "e", "f"]);
    const { f, recall } = bestSentence(weights, [new Set(["disk"]), long]);
    expect(recall).toBe(1);
    expect(f).toBeCloseTo(2 / 3, 10);
  });

  it("is 0 without a common term", () => {
    expect(bestSentence(weights, [new Set(["other"])])).toEqual({ f: 0, recall: 0 });
    expect(bestSentence(weights, [])).toEqual({ f: 0, recall: 0 });
    expect(bestSentence(new Map(), [new Set(["disk"])])).toEqual({ f: 0, recall: 0 });
  });
});
