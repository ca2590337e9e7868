import { describe, expect, it } from "vitest";
import { rankByRarity } from "../../../../functions/retrieval/error-lines/rank-by-rarity.ts";

const line = (text: string, weight: number, at = 1) => ({ text, line: at, time: null, count: 1, weight });

describe("rankByRarity", () => {
  it("puts the line with the rarer words first at similar weights", () => {
    const lines = [line("request failed", 0.6, 1), line("quorum lost", 0.58, 2)];
    const ranked = rankByRarity(lines, { request: 0.5, failed: 0.4, quorum: 6, lost: 3 });
    expect(ranked.map(({ text }) => text)).toEqual(["quorum lost", "request failed"]);
    expect(ranked[0]?.weight).toBe(0.58);
  });

  it("keeps a much heavier line first", () => {
    const lines = [line("request failed", 0.9, 1), line("quorum lost", 0.4, 2)];
    expect(rankByRarity(lines, { quorum: 6 })[0]?.text).toBe("request failed");
  });

  it("changes nothing without statistics", () => {
    const lines = [line("constructor failed", 0.9)];
    expect(rankByRarity(lines, {})).toEqual(lines);
    expect(rankByRarity([], { a: 1 })).toEqual([]);
  });
});
