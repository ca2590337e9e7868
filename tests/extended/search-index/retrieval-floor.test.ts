// Minimum recall of the project's own runbooks for all questions of each grade, and for questions that none of them
// answers.

import { beforeAll, describe, it } from "vitest";
import { seedRunbooks } from "../../../cli/seed-runbooks.ts";
import { expectRecall, expectUnknown, type RecallFloors } from "../../integration/evaluation/recall-floors.ts";
import { createHarness, emptyStores, workerEnv } from "../../integration/support/harness.ts";
import { GRADES, SEED_QUERIES, UNANSWERABLE } from "../../integration/support/seed-queries.ts";

const FLOORS: RecallFloors = {
  easy: { first: 63, firstThree: 63 },
  medium: { first: 61, firstThree: 69 },
  hard: { first: 45, firstThree: 59 },
  misspelt: { first: 42, firstThree: 46 },
  codes: { first: 65, firstThree: 65 },
  "in passing": { first: 38, firstThree: 47 },
  trap: { first: 43, firstThree: 43 },
};
const UNKNOWN_FLOORS = { unknown: 31, maxCauses: 2 };

const harness = createHarness({ MODEL: "none" });

beforeAll(async () => {
  await emptyStores(harness.services);
  await seedRunbooks({ env: workerEnv });
});

describe("the recall of the project's own runbooks", () => {
  it.each(GRADES)("finds the expected one for most questions of the grade %s", async (grade) => {
    await expectRecall(harness.services, { grade, queries: SEED_QUERIES[grade], floors: FLOORS });
  });

  it("leads to the outcome unknown, and rarely to a cause, when no runbook applies", async () => {
    await expectUnknown(harness, { questions: UNANSWERABLE, floors: UNKNOWN_FLOORS });
  });
});
