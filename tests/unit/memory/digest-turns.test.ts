import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { digestTurns } from "../../../functions/memory/digest-turns.ts";

const turn = (question: string, answer: string, { at = 0, rating = 0 } = {}) => ({
  id: `${question} ${at}`,
  createdAt: new Date(at),
  question,
  answer,
  rating,
});

describe("digestTurns", () => {
  it("writes the turns in the order of time, a question and an answer on a line each", () => {
    const turns = [turn("second?", "two\nlines", { at: 2 }), turn("first?", "  one ", { at: 1 })];
    expect(digestTurns(turns, 1_000)).toBe("Q: first?\nA: one\nQ: second?\nA: two lines");
  });

  it("takes a repeated question once, with its newest answer", () => {
    const turns = [turn("Why  is it down?", "old", { at: 1 }), turn("why is it down?", "new", { at: 2 })];
    expect(digestTurns(turns, 1_000)).toBe("Q: why is it down?\nA: new");
  });

  it("prefers the best rated answer of a repeated question to a newer one", () => {
    const turns = [turn("why?", "helped", { at: 1, rating: 2 }), turn("why?", "newer", { at: 2, rating: 1 })];
    expect(digestTurns(turns, 1_000)).toBe("Q: why?\nA: helped");
  });

  it("keeps what helped when not all of it fits, and then what is newest", () => {
    const turns = [
      turn("a?", "1", { at: 1, rating: 1 }),
      turn("b?", "2", { at: 2 }),
      turn("c?", "3", { at: 3, rating: -1 }),
      turn("d?", "4", { at: 4 }),
    ];
    const pair = "Q: a?\nA: 1".length;
    expect(digestTurns(turns, 2 * pair + 1)).toBe("Q: a?\nA: 1\nQ: d?\nA: 4");
    expect(digestTurns(turns, 3 * pair + 2)).toBe("Q: a?\nA: 1\nQ: b?\nA: 2\nQ: d?\nA: 4");
  });

  it("cuts each question and each answer", () => {
    const text = digestTurns([turn("q".repeat(2_000), "a".repeat(4_000))], 10_000);
    expect(text).toBe(`Q: ${"q".repeat(159)}…\nA: ${"a".repeat(299)}…`);
  });

  it("never grows beyond the length, splits no character and has a whole pair or nothing", () => {
    const anyTurn = fc.record({
      question: fc.string({ unit: "binary", maxLength: 400 }),
      answer: fc.string({ unit: "binary", maxLength: 600 }),
      at: fc.nat({ max: 9 }),
      rating: fc.integer({ min: -2, max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(anyTurn, { maxLength: 30 }), fc.nat({ max: 3_000 }), (turns, length) => {
        const text = digestTurns(
          turns.map(({ question, answer, ...rest }) => turn(question, answer, rest)),
          length,
        );
        expect(text.length).toBeLessThanOrEqual(length);
        expect(text.isWellFormed()).toBe(true);
        if (text !== "") expect(text.split("\n").map((line) => line.slice(0, 2))).toEqual(alternating(text));
      }),
    );
  });
});

function alternating(text: string): string[] {
  return text.split("\n").map((_, i) => (i % 2 === 0 ? "Q:" : "A:"));
}
