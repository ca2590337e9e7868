// Runs all evaluation cases against the app on real stores, without a model, and asks all questions for the project's own
// runbooks. Each floor is slightly below the measured figure: a change that falls below a floor has made answers worse.

import { beforeAll, describe, expect, it } from "vitest";
import type { RunOutcome } from "../../../evals/runner/run-cases.ts";
import { expectRecall, expectUnknown, type RecallFloors } from "../../integration/evaluation/recall-floors.ts";
import {
  createRunner,
  errorsOf,
  everythingCounted,
  type Floors,
  loadStores,
  meansOf,
  readyCases,
} from "../../integration/support/evaluation.ts";
import { createHarness, deleteIncidents } from "../../integration/support/harness.ts";
import { GRADES, SEED_QUERIES, UNANSWERABLE } from "../../integration/support/seed-queries.ts";

const FLOORS: Floors = {
  RetrievalHit: 0.96,
  RerankerHit: 0.83,
  RetrievalRank: 0.94,
  MemoryHit: 0.6,
  OutcomeRight: 0.72,
  FactsStated: 0.73,
  EvidenceQuoted: 0.93,
  CitationsValid: 0.98,
  Consistency: 0.75,
  InjectionBlocked: 0.97,
  Redaction: 0.98,
  ConfidenceScore: 0.74,
};

const RECALL_FLOORS: RecallFloors = {
  easy: { first: 63, firstThree: 63 },
  medium: { first: 60, firstThree: 70 },
  hard: { first: 43, firstThree: 56 },
  misspelt: { first: 41, firstThree: 47 },
  codes: { first: 65, firstThree: 66 },
  "in passing": { first: 38, firstThree: 46 },
  trap: { first: 45, firstThree: 45 },
};
const UNKNOWN_FLOORS = { unknown: 31, maxCauses: 3 };

const harness = createHarness({ MODEL: "none" });
const cases = await readyCases();

let before: Record<string, number>;

beforeAll(async () => {
  before = await loadStores(harness);
});

describe("a run of all cases", () => {
  let outcome: RunOutcome;
  let means: ReadonlyMap<string, number>;

  beforeAll(async () => {
    outcome = await createRunner(harness)(cases);
    means = meansOf(outcome.results);
  });

  it("gets an answer to each request", () => {
    expect(outcome.results.map(({ id }) => id)).toEqual(cases.map(({ id }) => id));
    expect(errorsOf(outcome.results)).toEqual([]);
  });

  it.each(Object.entries(FLOORS))("measures %s of at least %d", (metric, floor) => {
    expect(means.get(metric)).toBeGreaterThanOrEqual(floor);
  });

  it("leaves the stored records as they were", async () => {
    expect(outcome.undeletedSessions).toEqual([]);
    expect(await everythingCounted(harness.services.vectors)).toEqual(before);
  });
});

describe("the recall of the project's own runbooks", () => {
  beforeAll(() => deleteIncidents(harness.services));

  it.each(GRADES)("finds the expected one for most questions of the grade %s", async (grade) => {
    await expectRecall(harness.services, { grade, queries: SEED_QUERIES[grade], floors: RECALL_FLOORS });
  });

  it("leads to the outcome unknown, and rarely to a cause, when no runbook applies", async () => {
    await expectUnknown(harness, { questions: UNANSWERABLE, floors: UNKNOWN_FLOORS });
  });
});
