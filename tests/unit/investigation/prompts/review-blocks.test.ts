import { describe, expect, it } from "vitest";
import { citableTexts } from "../../../../functions/investigation/evidence/citable-texts.ts";
import { reviewBlocks } from "../../../../functions/investigation/prompts/review-blocks.ts";
import { EMPTY_ANSWER } from "../../../../functions/schemas/answer.ts";
import { recallOf, sampleIncident, samplePastIncident, sampleRunbook } from "../samples.ts";

const runbook = {
  ...sampleRunbook("# Killed\n\nWords.\n\n## Confirm\n\n1. Look.\n"),
  relevance: {
    probability: 0.823,
    logOdds: 1.5,
    contributions: { bias: -4, lineCover: 0.9, rare_terms: 1.44, titleMiss: -2.06, dense: 0.2, domain: 0 },
  },
};
const texts = citableTexts(
  recallOf({ runbooks: [runbook], incidents: [samplePastIncident("past-1", { probability: 0.4 })] }),
  { RUNBOOK_RECALL_LIMIT: 5 },
);
const lineOf = (text: string, line: number) => ({ text, line, time: null, count: 1, weight: 0.8 });
const incident = sampleIncident({
  evidence: { lines: [lineOf("FATAL: heap limit reached", 41), lineOf("Error: connection refused", 7)], state: null },
});
const summary = { text: "It was killed.", citations: ["exit-137.md#0"] };

describe("the blocks beside a reviewed answer", () => {
  it("show each cited source with its probability and its three strongest features", () => {
    const blocks = reviewBlocks({ ...EMPTY_ANSWER, summary }, incident, texts);
    expect(blocks).toContain(
      "<cited_sources>\nR1: probability 0.82; title miss -2.1, rare terms +1.4, line cover +0.9\n</cited_sources>",
    );
    expect(blocks).not.toMatch(/R2:|I1:|bias/);
  });

  it("show the error lines that no evidence quotes, with their names", () => {
    const evidence = [
      { text: "It is full.", quote: "fatal:  heap limit", citations: ["past-1"], supported: true, place: null },
      { text: "Words.", quote: null, citations: [], supported: false, place: null },
    ];
    const blocks = reviewBlocks({ ...EMPTY_ANSWER, summary, evidence }, incident, texts);
    expect(blocks).toContain("<unexplained_lines>\nL2 (line 7): Error: connection refused\n</unexplained_lines>");
    expect(blocks).toContain("I1: probability 0.40; ");
  });

  it("are none without cited sources and error lines", () => {
    const bare = { ...EMPTY_ANSWER, summary: { text: "Unknown.", citations: [] } };
    expect(reviewBlocks(bare, sampleIncident(), texts)).toBe("");
  });
});
