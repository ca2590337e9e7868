import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cosineSimilarity,
  type ObservationFacts,
  type PastAnswerFacts,
  rankObservation,
  rankPastAnswer,
} from "../../../../lib/ranking/rank-memory.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const DAY_MS = 86_400_000;
const HALF_LIFE_DAYS = 100;

function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * DAY_MS);
}

describe("rankObservation", () => {
  const rank = (facts: Partial<ObservationFacts>) =>
    rankObservation(
      { similarity: 0.8, finalScore: 8, reviewScore: null, lastSeenAt: NOW, ...facts },
      NOW,
      HALF_LIFE_DAYS,
    );

  it("is 0.7 × similarity + 0.3 × quality for today's observation without a review", () => {
    expect(rank({ similarity: 0.9, finalScore: 8 })).toEqual({
      score: 0.7 * 0.9 + 0.3 * 0.8,
      parts: { similarity: 0.9, quality: 0.8, adjust: 1, decay: 1 },
    });
  });

  it.each([
    [null, 0.5],
    [0, 0],
    [3, 0.15],
    [6.9, 0.345],
    [7, 0.7],
    [10, 1],
  ])("maps a final score of %d to a quality of %d, halved below 7", (finalScore, quality) => {
    const { score, parts } = rank({ finalScore });
    expect(parts.quality).toBeCloseTo(quality, 12);
    expect(score).toBeCloseTo(0.7 * 0.8 + 0.3 * quality, 12);
  });

  it.each([
    [null, 1],
    [-1, 0.85],
    [0, 1],
    [1, 1.15],
    [2, 1.3],
  ])("adjusts for a review score of %d by %d", (reviewScore, adjust) => {
    const { score, parts } = rank({ reviewScore });
    expect(parts.adjust).toBeCloseTo(adjust, 12);
    expect(score).toBeCloseTo(0.8 * adjust, 12);
  });

  it.each([-5.4, -6, -1_000])("keeps a fifth of the score for a review score of %d", (reviewScore) => {
    expect(rank({ reviewScore }).parts.adjust).toBe(0.2);
    expect(rank({ reviewScore }).score).toBeCloseTo(0.8 * 0.2, 12);
  });

  it.each([
    [0, 1],
    [HALF_LIFE_DAYS, 0.5],
    [2 * HALF_LIFE_DAYS, 0.25],
  ])("decays for a failure last seen %d days ago to %d", (age, decay) => {
    const { score, parts } = rank({ lastSeenAt: daysAgo(age) });
    expect(parts.decay).toBeCloseTo(decay, 12);
    expect(score).toBeCloseTo(0.8 * decay, 12);
  });

  it("ranks a poor run on the same topic below a good run that is a little less similar", () => {
    expect(rank({ similarity: 0.95, finalScore: 2 }).score).toBeLessThan(
      rank({ similarity: 0.85, finalScore: 9 }).score,
    );
  });

  it("gives a poor run a positive score", () => {
    expect(rank({ similarity: 0.95, finalScore: 0, reviewScore: -1 }).score).toBeGreaterThan(0.5);
  });

  it("equals its formula and grows with the similarity", () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const finalScore = fc.option(fc.double({ min: 0, max: 10, noNaN: true }));
    const quality = fc.option(fc.double({ min: -1, max: 2, noNaN: true }));
    const age = fc.double({ min: 0, max: 1_000, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(share, share), finalScore, quality, age, ([a, b], score, judged, days) => {
        const facts = { finalScore: score, reviewScore: judged, lastSeenAt: daysAgo(days) };
        const near = rank({ ...facts, similarity: Math.max(a, b) });
        const far = rank({ ...facts, similarity: Math.min(a, b) });
        const { similarity, quality: worth, adjust, decay } = near.parts;
        expect(near.score).toBeCloseTo((0.7 * similarity + 0.3 * worth) * adjust * decay, 12);
        expect(near.score).toBeGreaterThanOrEqual(far.score);
        expect(near.score).toBeLessThanOrEqual(1.3);
      }),
    );
  });
});

describe("rankPastAnswer", () => {
  const rank = (facts: Partial<PastAnswerFacts>) =>
    rankPastAnswer(
      { cosine: 0.8, rating: 0, isSameSession: false, createdAt: NOW, ...facts },
      { now: NOW, halfLifeDays: HALF_LIFE_DAYS, sessionBoost: 0.2 },
    );

  it("is the cosine for today's answer from another session without ratings", () => {
    expect(rank({ cosine: 0.8 })).toEqual({ score: 0.8, parts: { cosine: 0.8, rating: 0, session: 0, decay: 1 } });
  });

  it.each([
    [0, 0],
    [1, 0.076_159_415_6],
    [-1, -0.076_159_415_6],
    [2, 0.096_402_758],
    [100, 0.1],
    [-100, -0.1],
  ])("changes for a rating of %d by %d", (rating, moved) => {
    const { score, parts } = rank({ rating });
    expect(parts.rating).toBeCloseTo(moved, 9);
    expect(score).toBeCloseTo(0.8 + moved, 9);
  });

  it("adds the session boost in the same session", () => {
    expect(rank({ isSameSession: true })).toEqual({
      score: 1,
      parts: { cosine: 0.8, rating: 0, session: 0.2, decay: 1 },
    });
  });

  it.each([
    [0, 1],
    [HALF_LIFE_DAYS, 0.5],
    [2 * HALF_LIFE_DAYS, 0.25],
  ])("decays after %d days to %d, including boost and rating", (age, decay) => {
    const { score, parts } = rank({ createdAt: daysAgo(age), isSameSession: true, rating: 100 });
    expect(parts.decay).toBeCloseTo(decay, 12);
    expect(score).toBeCloseTo((0.8 + 0.2 + 0.1) * decay, 9);
  });

  const anyFacts = fc.record({
    cosine: fc.double({ min: -1, max: 1, noNaN: true }),
    rating: fc.integer({ min: -1_000, max: 1_000 }),
    isSameSession: fc.boolean(),
    createdAt: fc.double({ min: 0, max: 1_000, noNaN: true }).map(daysAgo),
  });

  it("equals its formula", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { score, parts } = rank(facts);
        expect(score).toBeCloseTo((parts.cosine + parts.rating + parts.session) * parts.decay, 12);
      }),
    );
  });

  it("changes by at most 0.1 for ratings, so that they never outweigh similarity", () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: -1_000, max: 1_000 }), (facts, other) => {
        expect(Math.abs(rank(facts).parts.rating)).toBeLessThanOrEqual(0.1);
        const difference = Math.abs(rank(facts).score - rank({ ...facts, rating: 0 }).score);
        expect(difference).toBeLessThan(0.1 + 1e-12);
        const [low, high] = [Math.min(facts.rating, other), Math.max(facts.rating, other)];
        expect(rank({ ...facts, rating: low }).score).toBeLessThanOrEqual(rank({ ...facts, rating: high }).score);
      }),
    );
  });
});

describe("cosineSimilarity", () => {
  it.each([
    ["parallel", [1, 2, 3], [2, 4, 6], 1],
    ["orthogonal", [1, 0], [0, 5], 0],
    ["opposite", [1, -2], [-3, 6], -1],
    ["at 60 degrees", [1, 0], [0.5, Math.sqrt(0.75)], 0.5],
    ["a null vector and another", [0, 0], [1, 1], 0],
    ["two null vectors", [0, 0], [0, 0], 0],
    ["empty", [], [], 0],
  ])("of two %s vectors: %j, %j is %d", (_relation, a, b, cosine) => {
    expect(cosineSimilarity(a, b)).toBeCloseTo(cosine, 12);
  });

  const pair = fc.integer({ min: 1, max: 8 }).chain((length) => {
    const vector = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: length, maxLength: length });
    // Products of such small components underflow to 0.
    return fc.tuple(vector, vector).filter((vectors) => vectors.every((each) => each.some((x) => Math.abs(x) > 1e-3)));
  });

  it("depends on direction only, not on length or order", () => {
    fc.assert(
      fc.property(pair, fc.double({ min: 1e-3, max: 1e3, noNaN: true }), ([a, b], factor) => {
        const cosine = cosineSimilarity(a, b);
        const scaled = a.map((x) => x * factor);
        const opposite = a.map((x) => -x);
        expect(cosineSimilarity(scaled, b)).toBeCloseTo(cosine, 9);
        expect(cosineSimilarity(opposite, b)).toBeCloseTo(-cosine, 9);
        expect(cosineSimilarity(b, a)).toBeCloseTo(cosine, 12);
      }),
    );
  });

  it("stays between -1 and 1, and is 1 for a vector and itself", () => {
    fc.assert(
      fc.property(pair, ([a, b]) => {
        expect(Math.abs(cosineSimilarity(a, b))).toBeLessThanOrEqual(1);
        expect(cosineSimilarity(a, a)).toBeCloseTo(1, 12);
      }),
    );
  });
});
