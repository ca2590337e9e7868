import { describe, expect, it } from "vitest";
import { fitWeight, type VerdictExample } from "../../../../bench/checks/fit-weights.ts";

const example = (offset: number, isRight: boolean): VerdictExample => ({ verdict: "confirmed", offset, isRight });

describe("the weight of a verdict", () => {
  it("reproduces the share of right runbooks, with one that contradicts", () => {
    // 8 of 10 right: ln(0.8 / 0.2).
    const examples = [...Array.from({ length: 8 }, () => example(0, true)), example(0, false)];
    expect(fitWeight(examples)).toBeCloseTo(Math.log(4), 6);
  });

  it("is finite where all examples agree, and negative for a refutation", () => {
    const refuted = Array.from({ length: 3 }, () => ({ ...example(0, false), verdict: "refuted" as const }));
    expect(fitWeight(refuted)).toBeCloseTo(-Math.log(3), 6);
  });

  it("is smaller where the runbooks were probable without their checks", () => {
    const at = (offset: number) => fitWeight([example(offset, true), example(offset, true)]);
    expect(at(2)).toBeLessThan(at(0));
  });
});
