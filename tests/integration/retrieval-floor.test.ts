// How well the project's own runbooks are found, grade by grade. Each floor is what was reached less one question: a
// change that loses more than that has made recall worse.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seedRunbooks } from "../../seeds/seed-runbooks.ts";
import { cleanSlate, createHarness, workerEnv } from "./support/harness.ts";
import { GRADES, type Grade, SEED_QUERIES, UNANSWERABLE } from "./support/seed-queries.ts";
import { foundWithin, recallSeedQuery, type SeedRecall } from "./support/seed-recall.ts";

/** Questions whose right runbook is at least to come first, and among the first three. */
const FLOORS: Readonly<Record<Grade, { readonly first: number; readonly firstThree: number }>> = {
  easy: { first: 17, firstThree: 17 },
  medium: { first: 18, firstThree: 19 },
  hard: { first: 9, firstThree: 17 },
  misspelt: { first: 8, firstThree: 12 },
  codes: { first: 19, firstThree: 19 },
  "in passing": { first: 11, firstThree: 12 },
  trap: { first: 12, firstThree: 13 },
};
/** Questions without a runbook that are at least to be answered by saying so. */
const UNKNOWN_FLOOR = 18;

const harness = createHarness({ MODEL: "none" });

beforeAll(async () => {
  await cleanSlate(harness.services);
  await seedRunbooks({ env: workerEnv });
});
afterAll(() => cleanSlate(harness.services));

describe("the recall of the project's own runbooks", () => {
  it.each(GRADES)("finds the right one for most of what is %s", async (grade) => {
    const recalls: SeedRecall[] = [];
    for (const query of SEED_QUERIES[grade]) recalls.push(await recallSeedQuery(harness.services, query));
    const [first, firstThree] = [foundWithin(recalls, 1), foundWithin(recalls, 3)];
    console.log(
      `${grade}: R@1 ${first} of ${recalls.length}, R@3 ${firstThree} of ${recalls.length}\n${misses(recalls)}`,
    );
    expect(first, "first").toBeGreaterThanOrEqual(FLOORS[grade].first);
    expect(firstThree, "among the first three").toBeGreaterThanOrEqual(FLOORS[grade].firstThree);
  });

  it("says that nothing is known where no runbook answers", async () => {
    const wrong: string[] = [];
    for (const question of UNANSWERABLE) {
      const { outcome, confidence, sources } = await harness.triage(question);
      if (outcome !== "unknown") wrong.push(`  ${question.title}: ${outcome}, ${confidence} by ${sources[0]?.source}`);
    }
    const right = UNANSWERABLE.length - wrong.length;
    console.log(`unanswerable: unknown ${right} of ${UNANSWERABLE.length}\n${wrong.join("\n")}`);
    expect(right).toBeGreaterThanOrEqual(UNKNOWN_FLOOR);
  });
});

function misses(recalls: readonly SeedRecall[]): string {
  return recalls
    .filter(({ rank }) => rank !== 1)
    .map(({ query, rank, runbooks }) => {
      const best = runbooks[0];
      const place = rank === 0 ? "not found" : `place ${rank}`;
      return `  ${place}: "${query.question.title}" (${query.runbook}); first is ${best?.source}, grounding ${best?.grounding}`;
    })
    .join("\n");
}
