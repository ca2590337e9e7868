import { describe, expect, it } from "vitest";
import { plainText } from "../../../../functions/retrieval/text/plain-text.ts";

describe("plainText", () => {
  it.each([
    ["\u001b[31mERROR\u001b[0m disk full", "ERROR disk full"],
    ["\u001b[2J\u001b[1;31;40mx\u001b[K", "x"],
    ["\u009b31mx", "x"],
    ["\u001b]0;title\u0007x", "x"],
    ["a\u0000b\u0007cd", "abcd"],
  ])("takes colours and orders to a terminal out of %j", (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it.each(["", "a\tb\nc\r\nd", "[31m is no colour", "arr[0] 漢 😀 é مرحبا \u202e", "100%\rprogress"])(
    "leaves %j as it is",
    (text) => {
      expect(plainText(text)).toBe(text);
    },
  );

  it.each(["\u001b[", "\u001b]", "\u001b[1;", "\u0000"])("gets through 1 MB of %j", (piece) => {
    expect(plainText(piece.repeat(1_000_000 / piece.length)).length).toBeLessThanOrEqual(1_000_000);
  });
});
