import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byScoreThenId, fuseByReciprocalRank, RRF_K, scaleFused } from "../../../functions/retrieval/fuse.ts";

type Signal = "dense" | "bm25" | "type";

const listOf = (signal: Signal) =>
  fc.record({
    signal: fc.constant(signal),
    ids: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f", "__proto__")),
    unordered: fc.boolean(),
  });
const lists = fc.tuple(listOf("dense"), listOf("bm25"), listOf("type"));

describe("fuseByReciprocalRank", () => {
  it("gives 1 / (60 + rank) for each list, with ranks from 1", () => {
    expect(RRF_K).toBe(60);
    const fused = fuseByReciprocalRank([
      { signal: "dense", ids: ["a", "b", "c"] },
      { signal: "bm25", ids: ["b", "d"] },
    ]);
    expect(fused.map(({ id }) => id)).toEqual(["b", "a", "d", "c"]);
    expect(fused.map(({ score }) => score)).toEqual([1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63]);
    expect(fused[0]?.score).toBeCloseTo(0.03252247, 8);
    expect(fused[0]?.contributions).toEqual({
      dense: { rank: 2, value: 1 / 62 },
      bm25: { rank: 1, value: 1 / 61 },
    });
  });

  it("keeps a document that only one list holds, with that list's share", () => {
    const fused = fuseByReciprocalRank<Signal>([
      { signal: "dense", ids: ["a"] },
      { signal: "bm25", ids: [] },
    ]);
    expect(fused).toEqual([{ id: "a", score: 1 / 61, contributions: { dense: { rank: 1, value: 1 / 61 } } }]);
  });

  it("orders equal scores by id, whatever the order of the lists", () => {
    const forth = fuseByReciprocalRank<Signal>([
      { signal: "dense", ids: ["b", "a"] },
      { signal: "bm25", ids: ["a", "b"] },
    ]);
    const back = fuseByReciprocalRank<Signal>([
      { signal: "bm25", ids: ["a", "b"] },
      { signal: "dense", ids: ["b", "a"] },
    ]);
    expect(forth.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(back.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("gives every member of an unordered list the first rank", () => {
    const fused = fuseByReciprocalRank([{ signal: "type", ids: ["b", "c", "a"], unordered: true }]);
    expect(fused.map(({ id, score }) => [id, score])).toEqual([
      ["a", 1 / 61],
      ["b", 1 / 61],
      ["c", 1 / 61],
    ]);
    expect(fused[2]?.contributions).toEqual({ type: { rank: 1, value: 1 / 61 } });
  });

  it("counts a repeated id once, at its best rank", () => {
    expect(fuseByReciprocalRank([{ signal: "dense", ids: ["a", "b", "a"] }])[0]).toEqual({
      id: "a",
      score: 1 / 61,
      contributions: { dense: { rank: 1, value: 1 / 61 } },
    });
  });

  it("fuses nothing to nothing", () => {
    expect(fuseByReciprocalRank([])).toEqual([]);
    expect(fuseByReciprocalRank([{ signal: "dense", ids: [] }])).toEqual([]);
  });

  it("explains every score: the contributions sum to it", () => {
    fc.assert(
      fc.property(lists, (input) => {
        for (const { score, contributions } of fuseByReciprocalRank<Signal>(input)) {
          const sum = Object.values(contributions).reduce((total, { value }) => total + value, 0);
          expect(sum).toBeCloseTo(score, 15);
        }
      }),
    );
  });

  it("returns each id once, best first", () => {
    fc.assert(
      fc.property(lists, (input) => {
        const fused = fuseByReciprocalRank<Signal>(input);
        expect(new Set(fused.map(({ id }) => id))).toEqual(new Set(input.flatMap(({ ids }) => ids)));
        expect(fused.map(({ id }) => id)).toEqual([...fused].sort(byScoreThenId).map(({ id }) => id));
        expect(new Set(fused.map(({ id }) => id)).size).toBe(fused.length);
      }),
    );
  });

  it("never ranks a document lower for being found by one search more", () => {
    fc.assert(
      fc.property(lists, fc.constantFrom("a", "b", "c"), ([dense, bm25], id) => {
        const before = fuseByReciprocalRank<Signal>([dense, bm25]).findIndex((hit) => hit.id === id);
        const after = fuseByReciprocalRank<Signal>([dense, bm25, { signal: "type", ids: [id] }]);
        const place = after.findIndex((hit) => hit.id === id);
        expect(place).toBeGreaterThanOrEqual(0);
        if (before >= 0) expect(place).toBeLessThanOrEqual(before);
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

  it("leaves the hit that it was given alone", () => {
    const hit = { id: "a", score: 1, contributions: { dense: { rank: 1, value: 1 } } };
    scaleFused(hit, 0.1);
    expect(hit).toEqual({ id: "a", score: 1, contributions: { dense: { rank: 1, value: 1 } } });
  });

  it("keeps the parts summing to the whole for any factor", () => {
    fc.assert(
      fc.property(lists, fc.double({ min: 0, max: 1, noNaN: true }), (input, factor) => {
        for (const hit of fuseByReciprocalRank<Signal>(input)) {
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
  it("puts the higher score first and the smaller id among equals", () => {
    const hits = [
      { id: "b", score: 1 },
      { id: "c", score: 2 },
      { id: "a", score: 1 },
    ];
    expect(hits.sort(byScoreThenId).map(({ id }) => id)).toEqual(["c", "a", "b"]);
    expect(byScoreThenId({ id: "a", score: 1 }, { id: "a", score: 1 })).toBe(0);
  });
});
