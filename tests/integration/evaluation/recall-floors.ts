// Expectations about the recall of the project's own runbooks. Each floor is the reached number less one: a change that
// loses more than one question makes recall worse.

import { expect } from "vitest";
import type { Services } from "../../../functions/services.ts";
import type { Harness } from "../support/harness.ts";
import type { Grade, SeedQuery, SeedQuestion } from "../support/seed-queries.ts";
import { foundWithin, recallSeedQueries, type SeedRecall } from "../support/seed-recall.ts";

/** Minimum number of questions with the expected runbook first, and among the first three. */
export type RecallFloors = Readonly<Record<Grade, { readonly first: number; readonly firstThree: number }>>;

export interface UnknownFloors {
  /** Minimum number of questions without a runbook whose outcome is unknown. */
  readonly unknown: number;
  /** Those that may get a cause: one about a neighbouring failure does. */
  readonly maxCauses: number;
}

export async function expectRecall(
  services: Services,
  {
    grade,
    queries,
    floors,
  }: { readonly grade: Grade; readonly queries: readonly SeedQuery[]; readonly floors: RecallFloors },
): Promise<void> {
  const recalls = await recallSeedQueries(services, queries);
  const [first, firstThree] = [foundWithin(recalls, 1), foundWithin(recalls, 3)];
  console.log(
    `${grade}: R@1 ${first} of ${recalls.length}, R@3 ${firstThree} of ${recalls.length}\n${misses(recalls)}`,
  );
  expect(first, "first").toBeGreaterThanOrEqual(floors[grade].first);
  expect(firstThree, "among the first three").toBeGreaterThanOrEqual(floors[grade].firstThree);
}

/** Triages questions that no runbook answers. */
export async function expectUnknown(
  harness: Harness,
  { questions, floors }: { readonly questions: readonly SeedQuestion[]; readonly floors: UnknownFloors },
): Promise<void> {
  const wrong: string[] = [];
  let causes = 0;
  for (const question of questions) {
    const { outcome, confidence, sources } = await harness.triage(question);
    if (outcome === "cause") causes += 1;
    if (outcome !== "unknown") wrong.push(`  ${question.title}: ${outcome}, ${confidence} by ${sources[0]?.source}`);
  }
  const right = questions.length - wrong.length;
  console.log(`unanswerable: unknown ${right} of ${questions.length}\n${wrong.join("\n")}`);
  expect(right).toBeGreaterThanOrEqual(floors.unknown);
  expect(causes).toBeLessThanOrEqual(floors.maxCauses);
}

function misses(recalls: readonly SeedRecall[]): string {
  return recalls
    .filter(({ rank }) => rank !== 1)
    .map(({ query, rank, runbooks: [best] }) => {
      const place = rank === 0 ? "not found" : `place ${rank}`;
      return `  ${place}: "${query.question.title}" (${query.runbook}); first is ${best?.source}, probability ${best?.relevance.probability}`;
    })
    .join("\n");
}
