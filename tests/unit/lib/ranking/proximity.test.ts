import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pairsOf, proximity } from "../../../../lib/ranking/proximity.ts";

const OUT_OF_MEMORY = pairsOf(["out", "memory", "kill"], {});

describe("pairsOf", () => {
  it("pairs each term with the next one", () => {
    expect(pairsOf(["disk", "full", "disk", "slow"], {})).toEqual(
      new Map([
        [
          "disk",
          new Map([
            ["full", 1],
            ["slow", 1],
          ]),
        ],
        ["full", new Map([["disk", 1]])],
      ]),
    );
  });

  it("weighs a pair by the smaller idf of its terms", () => {
    const statistics = { disk: { idf: 3 }, full: { idf: 0.5 }, slow: { idf: 2 } };
    expect(pairsOf(["disk", "full"], statistics).get("disk")?.get("full")).toBe(0.5);
    expect(pairsOf(["slow", "disk"], statistics).get("slow")?.get("disk")).toBe(2);
  });

  it.each([[[]], [["disk"]], [["disk", "disk", "disk"]]])("finds no pair in %j", (terms) => {
    expect(pairsOf(terms, {})).toEqual(new Map());
  });

  it("handles terms named like built-in properties", () => {
    const pairs = pairsOf(["__proto__", "constructor"], {});
    expect(pairs.get("__proto__")?.get("constructor")).toBe(1);
    expect(proximity(pairs, "constructor")).toBe(0);
  });
});

describe("proximity", () => {
  it.each([
    ["killed: out of memory was the reason, out of memory, killed", 1],
    ["out of memory", 0.5],
    ["memory killed", 0.5],
    ["killed, memory out", 0],
    ["out, memory; out, memory; out, memory", 0.5],
    ["", 0],
  ])("of %j is %d", (text, share) => {
    expect(proximity(OUT_OF_MEMORY, text)).toBe(share);
  });

  it("allows two terms in between, but not three", () => {
    const pairs = pairsOf(["disk", "full"], {});
    expect(proximity(pairs, "disk sda1 nearly full")).toBe(1);
    expect(proximity(pairs, "disk sda1 very nearly full")).toBe(0);
  });

  it("is the weight of the matched pairs divided by the weight of all", () => {
    const pairs = pairsOf(["disk", "full", "node"], { disk: { idf: 3 }, full: { idf: 3 }, node: { idf: 1 } });
    expect(proximity(pairs, "disk full")).toBe(0.75);
    expect(proximity(pairs, "full node")).toBe(0.25);
  });

  it("compares stemmed terms", () => {
    expect(proximity(pairsOf(["crash", "loop"], {}), "Pods are CRASHING in Loops")).toBe(1);
  });

  it("is 0 without pairs or with pairs of weight 0", () => {
    expect(proximity(pairsOf(["disk"], {}), "disk disk")).toBe(0);
    expect(proximity(pairsOf(["disk", "full"], { disk: { idf: 0 } }), "disk full")).toBe(0);
  });

  const terms = fc.array(fc.constantFrom("disk", "full", "node", "down", "slow"), { maxLength: 12 });

  it("is between 0 and 1, and 1 for the query itself", () => {
    fc.assert(
      fc.property(terms, terms, (query, text) => {
        const pairs = pairsOf(query, { disk: { idf: 0.3 }, full: { idf: 4 } });
        const share = proximity(pairs, text.join(" "));
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1 + 1e-9);
        if (pairs.size > 0) expect(proximity(pairs, query.join(" "))).toBeCloseTo(1, 12);
      }),
    );
  });

  it("never decreases for a longer text", () => {
    fc.assert(
      fc.property(terms, terms, terms, (query, text, more) => {
        const pairs = pairsOf(query, {});
        const before = proximity(pairs, text.join(" "));
        expect(proximity(pairs, [...text, ...more].join(" "))).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it.each(["disk ", "disk full ", "disk-full/", "d", " "])("handles 100 kB of %j", (unit) => {
    const share = proximity(pairsOf(["disk", "full"], {}), unit.repeat(100_000 / unit.length));
    expect(share).toBe(unit.includes("full") ? 1 : 0);
  });
});
