import { describe, expect, it } from "vitest";
import { type Example, fitWeights } from "../../../../bench/relevance/fit.ts";

/** Numbers between 0 and 1 that are the same in every run: mulberry32. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Examples that are right with the probability of log-odds = bias + Σ weight · (value − 0.5). */
function examplesOf(bias: number, weights: Readonly<Record<string, number>>, count: number): Example[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, () => {
    const features = Object.fromEntries(Object.keys(weights).map((name) => [name, random()]));
    const logOdds = Object.entries(weights).reduce(
      (sum, [name, weight]) => sum + weight * ((features[name] ?? 0) - 0.5),
      bias,
    );
    return { features, isRight: random() < 1 / (1 + Math.exp(-logOdds)), weight: 1 };
  });
}

describe("fitted weights", () => {
  it("are those that made the examples", () => {
    const examples = examplesOf(-1, { coverage: 4, title: 2, noise: 0 }, 20_000);
    const { bias, features } = fitWeights(examples, ["coverage", "title", "noise"]);
    expect(Math.abs(bias + 1)).toBeLessThan(0.15);
    expect(Math.abs((features.coverage?.weight ?? 0) - 4)).toBeLessThan(0.25);
    expect(Math.abs((features.title?.weight ?? 0) - 2)).toBeLessThan(0.25);
    expect(Math.abs(features.noise?.weight ?? 1)).toBeLessThan(0.25);
    expect(features.coverage?.mean).toBeCloseTo(0.5, 1);
  });

  it("predict the share of right examples on average", () => {
    const examples = examplesOf(-2, { coverage: 3 }, 2_000);
    const { bias, features } = fitWeights(examples, ["coverage"]);
    const { mean = 0, weight = 0 } = features.coverage ?? {};
    const predicted = examples.map(
      (example) => 1 / (1 + Math.exp(-(bias + weight * ((example.features.coverage ?? 0) - mean)))),
    );
    const right = examples.filter(({ isRight }) => isRight).length / examples.length;
    expect(predicted.reduce((sum, each) => sum + each, 0) / examples.length).toBeCloseTo(right, 3);
  });

  it("count an example of weight 2 like two examples", () => {
    const examples = examplesOf(0, { coverage: 2 }, 200);
    const doubled = examples.map((example, i) => ({ ...example, weight: i < 100 ? 2 : 1 }));
    const repeated = [...examples, ...examples.slice(0, 100)];
    expect(fitWeights(doubled, ["coverage"])).toEqual(fitWeights(repeated, ["coverage"]));
  });

  it("stay finite when a feature decides alone, is constant or is missing", () => {
    const examples = Array.from({ length: 50 }, (_, i) => ({
      features: { sure: Number(i % 2 === 0), constant: 3 },
      isRight: i % 2 === 0,
      weight: 1,
    }));
    const { features } = fitWeights(examples, ["sure", "constant", "missing"]);
    expect(features.sure?.weight).toBeGreaterThan(1);
    expect(features.sure?.weight).toBeLessThan(20);
    expect(features).toMatchObject({ constant: { mean: 3, weight: 0 }, missing: { mean: 0, weight: 0 } });
  });

  it("need an example", () => {
    expect(() => fitWeights([], ["coverage"])).toThrow(RangeError);
  });
});
