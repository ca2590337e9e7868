import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byScoreThenId, fuse, type Strengths, scaleFused } from "../../../../lib/ranking/fuse.ts";

type Feature = "dense" | "bm25" | "type";

const WEIGHTS = { dense: 0.5, bm25: 1, type: 2 };

const strength = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined });
const candidates = fc
  .dictionary(
    fc.constantFrom("a", "b", "c", "d", "e", "__proto__"),
    fc.record({ dense: strength, bm25: strength, type: strength }),
  )
  .map(
    (strengths) =>
      new Map(
        Object.entries(strengths).map(([id, each]): [string, Strengths<Feature>] => [
          id,
          Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined)),
        ]),
      ),
  );

describe("fuse", () => {
  it("sums weight times strength and ranks by each feature", () => {
    const fused = fuse<Feature>(
      new Map([
        ["a", { dense: 1, bm25: 0.25 }],
        ["b", { dense: 0.5, bm25: 1 }],
        ["c", { bm25: 0.25 }],
      ]),
      WEIGHTS,
    );
    expect(fused).toEqual([
      {
        id: "b",
        score: 1.25,
        contributions: { dense: { rank: 2, value: 0.25 }, bm25: { rank: 1, value: 1 } },
      },
      {
        id: "a",
        score: 0.75,
        contributions: { dense: { rank: 1, value: 0.5 }, bm25: { rank: 2, value: 0.25 } },
      },
      { id: "c", score: 0.25, contributions: { bm25: { rank: 2, value: 0.25 } } },
    ]);
  });

  it("omits a feature with strength 0", () => {
    expect(fuse<Feature>(new Map([["a", { dense: 0, type: 1 }]]), WEIGHTS)[0]?.contributions).toEqual({
      type: { rank: 1, value: 2 },
    });
  });

  it("keeps hits without features, at the end", () => {
    const fused = fuse<Feature>(
      new Map<string, Strengths<Feature>>([
        ["a", {}],
        ["b", { dense: 0.1 }],
      ]),
      WEIGHTS,
    );
    expect(fused.map(({ id, score }) => [id, score])).toEqual([
      ["b", 0.05],
      ["a", 0],
    ]);
  });

  it("returns no hits without candidates", () => {
    expect(fuse<Feature>(new Map(), WEIGHTS)).toEqual([]);
  });

  it("returns scores that are the sum of their contributions", () => {
    fc.assert(
      fc.property(candidates, (input) => {
        for (const { score, contributions } of fuse<Feature>(input, WEIGHTS)) {
          const sum = Object.values(contributions).reduce((total, { value }) => total + value, 0);
          expect(score).toBeCloseTo(sum, 12);
        }
      }),
    );
  });

  it("returns the same order for any order of the candidates", () => {
    fc.assert(
      fc.property(candidates, (input) => {
        const forth = fuse<Feature>(input, WEIGHTS);
        const back = fuse<Feature>(new Map([...input].reverse()), WEIGHTS);
        expect(back).toEqual(forth);
      }),
    );
  });

  it("never ranks a hit lower when a feature grows", () => {
    fc.assert(
      fc.property(candidates, fc.constantFrom<Feature>("dense", "bm25", "type"), (input, feature) => {
        for (const [id, strengths] of input) {
          const before = fuse<Feature>(input, WEIGHTS).findIndex((hit) => hit.id === id);
          const after = fuse<Feature>(new Map([...input, [id, { ...strengths, [feature]: 1 }]]), WEIGHTS);
          expect(after.findIndex((hit) => hit.id === id)).toBeLessThanOrEqual(before);
        }
      }),
    );
  });
});

describe("scaleFused", () => {
  it("multiplies the score and each contribution, and keeps the ranks", () => {
    const hit = {
      id: "a",
      score: 0.75,
      contributions: { dense: { rank: 3, value: 0.5 }, bm25: { rank: 1, value: 0.25 } },
    };
    expect(scaleFused(hit, 0.5)).toEqual({
      id: "a",
      score: 0.375,
      contributions: { dense: { rank: 3, value: 0.25 }, bm25: { rank: 1, value: 0.125 } },
    });
  });

  it("does not change its argument", () => {
    const hit = { id: "a", score: 1, contributions: { dense: { rank: 1, value: 1 } } };
    scaleFused(hit, 0.1);
    expect(hit).toEqual({ id: "a", score: 1, contributions: { dense: { rank: 1, value: 1 } } });
  });

  it("keeps the score equal to the sum of the contributions for any factor", () => {
    fc.assert(
      fc.property(candidates, fc.double({ min: 0, max: 1, noNaN: true }), (input, factor) => {
        for (const hit of fuse<Feature>(input, WEIGHTS)) {
          const scaled = scaleFused(hit, factor);
          const sum = Object.values(scaled.contributions).reduce((total, { value }) => total + value, 0);
          expect(sum).toBeCloseTo(scaled.score, 15);
          expect(scaled.score).toBeCloseTo(hit.score * factor, 12);
        }
      }),
    );
  });
});

describe("byScoreThenId", () => {
  it("sorts by descending score, then by ascending id", () => {
    const hits = [
      { id: "b", score: 1 },
      { id: "c", score: 2 },
      { id: "a", score: 1 },
    ];
    expect(hits.sort(byScoreThenId).map(({ id }) => id)).toEqual(["c", "a", "b"]);
    expect(byScoreThenId({ id: "a", score: 1 }, { id: "a", score: 1 })).toBe(0);
  });
});
