import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FEATURE_WEIGHTS, type RankableHit, type RankingFeature, rankHits } from "../../../../lib/ranking/rank-hits.ts";

describe("any ranking", () => {
  const words = fc
    .array(fc.constantFrom("disk", "full", "config", "configuration", "node", "the", "CrashLoopBackOff", "__proto__"), {
      maxLength: 8,
    })
    .map((each) => each.join(" "));
  const hundredths = (max: number) => fc.nat({ max: max * 100 }).map((count) => count / 100);
  const score = fc.option(hundredths(30), { nil: undefined });
  const candidate = fc.record({
    source: fc.option(fc.constantFrom("disk-full.md", "node.md", "logs/1", "__proto__"), { nil: null }),
    place: fc.nat({ max: 9 }),
    headingPath: fc.array(words, { maxLength: 2 }),
    body: words,
    bm25: score,
    distance: fc.option(hundredths(2), { nil: undefined }),
    isSameType: fc.boolean(),
    domainPreference: hundredths(1),
  });
  const candidates = fc
    .uniqueArray(candidate, { maxLength: 24, selector: ({ source, place }) => `${source}#${place}` })
    .map((all) =>
      all.map(
        ({ place, ...its }): RankableHit => ({
          ...its,
          id: `${its.source ?? "alone"}#${place}`,
          topic: { key: its.source ?? `alone#${place}`, title: null },
          chunkIndex: its.source === null ? null : place,
          title: its.source ?? its.body,
        }),
      ),
    );
  const evidence = fc.record({
    query: words,
    sources: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom("disk-full.md", "node.md"),
        isLong: fc.boolean(),
        passages: fc.array(
          fc.record({
            first: fc.nat({ max: 4 }),
            last: fc.integer({ min: 5, max: 9 }),
            length: fc.nat({ max: 500 }),
            frequencies: fc.dictionary(fc.constantFrom("disk", "full", "node"), fc.nat({ max: 20 })),
          }),
          { maxLength: 3 },
        ),
      }),
      { selector: ({ key }) => key },
    ),
    statistics: fc.dictionary(fc.constantFrom("disk", "full", "configuration"), fc.record({ idf: hundredths(9) })),
    corrections: fc.dictionary(fc.constantFrom("disk", "node"), fc.constantFrom("full", "config")),
  });

  it("returns each candidate once, best first, with contributions that sum to its score", () => {
    fc.assert(
      fc.property(candidates, evidence, (all, input) => {
        const hits = rankHits(all, input);
        expect(hits.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
        hits.forEach(({ score: whole, contributions }, i) => {
          const sum = Object.values(contributions).reduce((total, { value }) => total + value, 0);
          expect(whole).toBeCloseTo(sum, 12);
          for (const [feature, { value }] of Object.entries(contributions)) {
            expect(value).toBeGreaterThan(0);
            expect(value).toBeLessThanOrEqual(FEATURE_WEIGHTS[feature as RankingFeature] + 1e-9);
          }
          expect(hits[i + 1]?.score ?? 0).toBeLessThanOrEqual(whole);
        });
      }),
    );
  });

  it("is the same for any order of the candidates", () => {
    const shuffled = candidates.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, evidence, ([all, others], input) => {
        expect(rankHits(others, input)).toEqual(rankHits(all, input));
      }),
    );
  });
});
