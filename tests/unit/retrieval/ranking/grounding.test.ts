import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type GroundingEvidence,
  groundingScore,
  type RelevanceScale,
} from "../../../../functions/retrieval/ranking/grounding.ts";

const SCALE: RelevanceScale = { unrelated: 0.6, close: 0.9 };

/** Evidence that gives a score of 0. */
const NOTHING: GroundingEvidence = {
  queryTerms: new Set(["disk", "full"]),
  textTerms: new Set(),
  statistics: undefined,
  relevance: 0,
  isSameType: false,
};

function score(evidence: Partial<GroundingEvidence>, scale = SCALE): number {
  return groundingScore({ ...NOTHING, ...evidence }, scale);
}

describe("the parts of the score", () => {
  it("is 0 without any evidence and 1 with all of it", () => {
    expect(score({})).toBe(0);
    expect(score({ textTerms: NOTHING.queryTerms, relevance: 1, isSameType: true })).toBeCloseTo(1, 12);
  });

  it("is 0.55 for the terms alone, 0.3 for the type alone, 0.15 for similarity alone", () => {
    expect(score({ textTerms: NOTHING.queryTerms })).toBeCloseTo(0.55, 12);
    expect(score({ isSameType: true })).toBeCloseTo(0.3, 12);
    expect(score({ relevance: 1 })).toBeCloseTo(0.15, 12);
  });

  it("stays below the default threshold for type and similarity together", () => {
    expect(score({ isSameType: true, relevance: 1 })).toBeCloseTo(0.45, 12);
  });

  it.each([
    [0.6, 0],
    [0.3, 0],
    [0.75, 0.5],
    [0.9, 1],
    [1, 1],
  ])("maps a relevance of %d to a similarity of %d", (relevance, share) => {
    expect(score({ relevance })).toBeCloseTo(0.15 * share, 12);
  });

  it.each([
    [0.2, 0],
    [0.1, 0],
    [0.35, 0.5],
    [0.5, 1],
    [0.6, 1],
  ])("maps it by the given scale: from 0.2 to 0.5, %d becomes %d", (relevance, share) => {
    expect(score({ relevance }, { unrelated: 0.2, close: 0.5 })).toBeCloseTo(0.15 * share, 12);
  });

  it("uses the scale for the similarity only", () => {
    const evidence = { textTerms: NOTHING.queryTerms, isSameType: true, relevance: undefined };
    expect(score(evidence, { unrelated: 0, close: 0.01 })).toBe(score(evidence));
  });

  it("distributes the weight of a missing similarity to the other parts", () => {
    expect(score({ textTerms: NOTHING.queryTerms, relevance: undefined })).toBeCloseTo(0.55 / 0.85, 12);
    expect(score({ isSameType: true, relevance: undefined })).toBeCloseTo(0.3 / 0.85, 12);
    expect(score({ textTerms: NOTHING.queryTerms, isSameType: true, relevance: undefined })).toBeCloseTo(1, 12);
  });
});

describe("term coverage", () => {
  const statistics = {
    disk: { df: 2, idf: 3 },
    full: { df: 10, idf: 1 },
    checkout: { df: 0, idf: 5 },
    "check-out": { df: 0, idf: 5 },
    "disk-full": { df: 1, idf: 4 },
  };
  const coverage = (evidence: Partial<GroundingEvidence>) => score({ statistics, ...evidence }) / 0.55;

  it("weighs all terms equally without statistics", () => {
    expect(coverage({ statistics: undefined, textTerms: new Set(["disk"]) })).toBeCloseTo(0.5, 12);
  });

  it("weighs a term by its idf in the collection", () => {
    expect(coverage({ textTerms: new Set(["disk"]) })).toBeCloseTo(0.75, 12);
    expect(coverage({ textTerms: new Set(["full"]) })).toBeCloseTo(0.25, 12);
  });

  it("weighs a term that the collection does not contain at 0.6 of its idf", () => {
    const queryTerms = new Set(["disk", "checkout"]);
    expect(coverage({ queryTerms, textTerms: new Set(["disk"]) })).toBeCloseTo(3 / (3 + 0.6 * 5), 12);
  });

  it("ignores an unknown compound in favour of its parts", () => {
    const queryTerms = new Set(["disk", "full", "check-out"]);
    expect(coverage({ queryTerms, textTerms: new Set(["disk", "full"]) })).toBeCloseTo(1, 12);
  });

  it("counts a compound that the collection contains", () => {
    const queryTerms = new Set(["disk", "disk-full"]);
    expect(coverage({ queryTerms, textTerms: new Set(["disk"]) })).toBeCloseTo(3 / 7, 12);
  });

  it("weighs a term without statistics at 1", () => {
    expect(coverage({ queryTerms: new Set(["disk", "other"]), textTerms: new Set(["disk"]) })).toBeCloseTo(3 / 4, 12);
  });

  it("handles terms named like built-in properties", () => {
    const textTerms = new Set(["disk"]);
    const asOther = coverage({ queryTerms: new Set(["disk", "other"]), textTerms });
    expect(coverage({ queryTerms: new Set(["disk", "constructor"]), textTerms })).toBeCloseTo(asOther, 12);
  });

  it("is 0 for a query without terms", () => {
    expect(coverage({ queryTerms: new Set(), textTerms: new Set(["disk"]) })).toBe(0);
  });
});

describe("the bounds", () => {
  const word = fc.constantFrom("disk", "full", "no-space", "wal", "53100", "slot");
  const statistic = fc.record({ df: fc.nat({ max: 50 }), idf: fc.double({ min: 0.01, max: 8, noNaN: true }) });
  const evidence: fc.Arbitrary<GroundingEvidence> = fc.record({
    queryTerms: fc.array(word).map((words) => new Set(words)),
    textTerms: fc.array(word).map((words) => new Set(words)),
    statistics: fc.option(fc.dictionary(word, statistic), { nil: undefined }),
    relevance: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    isSameType: fc.boolean(),
  });
  const scale: fc.Arbitrary<RelevanceScale> = fc
    .uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 2 })
    .map((ends) => ({ unrelated: Math.min(...ends) / 100, close: Math.max(...ends) / 100 }));

  it("keeps every score between 0 and 1", () => {
    fc.assert(
      fc.property(evidence, scale, (each, on) => {
        expect(groundingScore(each, on)).toBeGreaterThanOrEqual(0);
        expect(groundingScore(each, on)).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });

  it("never decreases when the text has one term more", () => {
    fc.assert(
      fc.property(evidence, scale, word, (each, on, more) => {
        const richer = groundingScore({ ...each, textTerms: new Set([...each.textTerms, more]) }, on);
        expect(richer).toBeGreaterThanOrEqual(groundingScore(each, on) - 1e-12);
      }),
    );
  });

  it("never decreases when the text is about the same type", () => {
    fc.assert(
      fc.property(evidence, scale, (each, on) => {
        const typed = groundingScore({ ...each, isSameType: true }, on);
        expect(typed).toBeGreaterThanOrEqual(groundingScore({ ...each, isSameType: false }, on));
      }),
    );
  });

  it("never decreases when the vectors get closer", () => {
    const relevance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(evidence, scale, relevance, relevance, (each, on, a, b) => {
        const far = groundingScore({ ...each, relevance: Math.min(a, b) }, on);
        expect(groundingScore({ ...each, relevance: Math.max(a, b) }, on)).toBeGreaterThanOrEqual(far);
      }),
    );
  });
});
