import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitCombiningMarks } from "../../../../functions/retrieval/text/combining-marks.ts";

describe("a pile of combining marks", () => {
  it("keeps eight of them", () => {
    expect(limitCombiningMarks(`a${"\u0301".repeat(9)}b`)).toBe(`a${"\u0301".repeat(8)}b`);
    expect(limitCombiningMarks(`a${"\u0301\u0316".repeat(100_000)}`)).toHaveLength(9);
  });

  it("may be of half-width marks, which become such marks when they are normalised", () => {
    expect(limitCombiningMarks("\uFF9E".repeat(50))).toBe("\uFF9E".repeat(8));
  });

  it.each(["naïve café", "Việt Nam", "ক্ষ", "é", "デバッグ", "👩🏽‍🚒"])(
    "is not what %s has: it stays as it is",
    (text) => {
      expect(limitCombiningMarks(text)).toBe(text);
      expect(limitCombiningMarks(text.normalize("NFD"))).toBe(text.normalize("NFD"));
    },
  );

  it("is gone from any text, and nothing else is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(30), (text, marks) => {
        const bounded = limitCombiningMarks(text + "\u0316".repeat(marks));
        expect(bounded).not.toMatch(/\p{M}{9}/u);
        expect(bounded.replace(/[\p{M}\uFF9E\uFF9F]/gu, "")).toBe(text.replace(/[\p{M}\uFF9E\uFF9F]/gu, ""));
      }),
    );
  });
});
