import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitCombiningMarks, plainText } from "../../../../lib/text/plain-text.ts";

describe("plainText", () => {
  it.each([
    ["\u001b[31mERROR\u001b[0m disk full", "ERROR disk full"],
    ["\u001b[2J\u001b[1;31;40mx\u001b[K", "x"],
    ["\u009b31mx", "x"],
    ["\u001b]0;title\u0007x", "x"],
    ["a\u0000b\u0007cd", "abcd"],
  ])("removes ANSI sequences and control characters from %j", (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it.each(["", "a\tb\nc\r\nd", "[31m is no colour", "arr[0] 漢 😀 é مرحبا \u202e", "100%\rprogress"])(
    "leaves %j unchanged",
    (text) => {
      expect(plainText(text)).toBe(text);
    },
  );

  it.each(["\u001b[", "\u001b]", "\u001b[1;", "\u0000"])("handles 1 MB of %j", (piece) => {
    expect(plainText(piece.repeat(1_000_000 / piece.length)).length).toBeLessThanOrEqual(1_000_000);
  });
});

describe("limitCombiningMarks", () => {
  it("keeps eight marks on a letter", () => {
    expect(limitCombiningMarks(`a${"\u0301".repeat(9)}b`)).toBe(`a${"\u0301".repeat(8)}b`);
    expect(limitCombiningMarks(`a${"\u0301\u0316".repeat(100_000)}`)).toHaveLength(9);
  });

  it("counts half-width marks, which NFKC turns into combining marks", () => {
    expect(limitCombiningMarks("\uFF9E".repeat(50))).toBe("\uFF9E".repeat(8));
  });

  it.each(["naïve café", "Việt Nam", "ক্ষ", "é", "デバッグ", "👩🏽‍🚒"])("leaves %s unchanged", (text) => {
    expect(limitCombiningMarks(text)).toBe(text);
    expect(limitCombiningMarks(text.normalize("NFD"))).toBe(text.normalize("NFD"));
  });

  it("leaves at most eight marks in a row in any text and removes nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(30), (text, marks) => {
        const bounded = limitCombiningMarks(text + "\u0316".repeat(marks));
        expect(bounded).not.toMatch(/\p{M}{9}/u);
        expect(bounded.replace(/[\p{M}\uFF9E\uFF9F]/gu, "")).toBe(text.replace(/[\p{M}\uFF9E\uFF9F]/gu, ""));
      }),
    );
  });
});
