import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bm25, idfOf, weightTerms } from "../../../../lib/ranking/bm25.ts";

const ONCE = new Map([["disk", 1]]);

function scoreOf(frequency: number, relativeLength = 1): number {
  return bm25(ONCE, () => frequency, { relativeLength, statistics: {} });
}

describe("weightTerms", () => {
  it("weighs a term by the logarithm of its frequency", () => {
    const weights = weightTerms(["disk", "full", "disk", "disk"]);
    expect([...weights.keys()]).toEqual(["disk", "full"]);
    expect(weights.get("disk")).toBeCloseTo(2.0986, 4);
    expect(weights.get("full")).toBe(1);
  });

  it("returns no weights without terms", () => {
    expect(weightTerms([])).toEqual(new Map());
  });

  it("handles terms named like built-in properties", () => {
    expect([...weightTerms(["__proto__", "constructor"])]).toEqual([
      ["__proto__", 1],
      ["constructor", 1],
    ]);
  });
});

describe("idfOf", () => {
  it("returns the idf from the statistics, or 1 for an unknown term", () => {
    const statistics = { disk: { idf: 2.5 }, the: { idf: 0 } };
    expect(idfOf("disk", statistics)).toBe(2.5);
    expect(idfOf("the", statistics)).toBe(0);
    expect(idfOf("full", statistics)).toBe(1);
  });

  it.each(["constructor", "__proto__", "toString"])("treats %s as an unknown term", (term) => {
    expect(idfOf(term, {})).toBe(1);
  });
});

describe("bm25", () => {
  it.each([
    // f · 2.2 / (f + 1.2 · (0.25 + 0.75 · length))
    [1, 1, 1],
    [2, 1, 4.4 / 3.2],
    [3, 1, 6.6 / 4.2],
    [1, 0, 2.2 / 1.3],
    [1, 2, 2.2 / 3.1],
    [4, 5, 8.8 / 8.8],
  ])("of a term that occurs %d times in a text of %d average lengths is %d", (frequency, relativeLength, score) => {
    expect(scoreOf(frequency, relativeLength)).toBeCloseTo(score, 12);
  });

  it("sums the terms, each with its weight and idf", () => {
    const query = new Map([
      ["disk", 2],
      ["full", 1],
      ["missing", 5],
    ]);
    const frequencies = new Map([
      ["disk", 1],
      ["full", 3],
    ]);
    const statistics = { disk: { idf: 3 }, full: { idf: 0.7 }, missing: { idf: 9 } };
    const score = bm25(query, (term) => frequencies.get(term) ?? 0, { relativeLength: 1, statistics });
    expect(score).toBeCloseTo(6 + 1.1, 12);
  });

  it("is 0 for a text without the terms and for a query without terms", () => {
    expect(scoreOf(0)).toBe(0);
    expect(bm25(new Map(), () => 7, { relativeLength: 1, statistics: {} })).toBe(0);
  });

  const frequency = fc.integer({ min: 1, max: 10_000 });
  const length = fc.double({ min: 0, max: 100, noNaN: true });

  it("grows with the frequency, up to 2.2 times the idf", () => {
    fc.assert(
      fc.property(frequency, fc.integer({ min: 1, max: 1000 }), length, (less, more, relativeLength) => {
        expect(scoreOf(less + more, relativeLength)).toBeGreaterThan(scoreOf(less, relativeLength));
        expect(scoreOf(less + more, relativeLength)).toBeLessThan(2.2);
      }),
    );
  });

  it("decreases with the length", () => {
    fc.assert(
      fc.property(frequency, length, fc.double({ min: 0.1, max: 100, noNaN: true }), (count, shorter, more) => {
        expect(scoreOf(count, shorter + more)).toBeLessThan(scoreOf(count, shorter));
      }),
    );
  });

  it("reads the frequency of each query term once", () => {
    const requestedTerms: string[] = [];
    const query = weightTerms(["disk", "full", "disk"]);
    bm25(
      query,
      (term) => {
        requestedTerms.push(term);
        return 1;
      },
      { relativeLength: 1, statistics: {} },
    );
    expect(requestedTerms).toEqual(["disk", "full"]);
  });
});
