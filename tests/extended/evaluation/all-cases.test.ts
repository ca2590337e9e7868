// Runs all evaluation cases against the app on real stores, without a model. Each floor is slightly below the measured
// figure: a change that falls below a floor has made answers worse.

import { beforeAll, describe, expect, it } from "vitest";
import type { RunOutcome } from "../../../evals/runner/run-cases.ts";
import {
  createRunner,
  errorsOf,
  everythingCounted,
  type Floors,
  loadStores,
  meansOf,
  readyCases,
} from "../../integration/support/evaluation.ts";
import { createHarness } from "../../integration/support/harness.ts";

const FLOORS: Floors = {
  RetrievalHit: 0.96,
  RerankerHit: 0.83,
  RetrievalRank: 0.94,
  MemoryHit: 0.78,
  OutcomeRight: 0.72,
  FactsStated: 0.73,
  EvidenceQuoted: 0.93,
  CitationsValid: 0.98,
  Consistency: 0.75,
  InjectionBlocked: 0.97,
  Redaction: 0.98,
  ConfidenceScore: 0.74,
};

const harness = createHarness({ MODEL: "none" });
const cases = await readyCases();

describe("a run of all cases", () => {
  let before: Record<string, number>;
  let outcome: RunOutcome;
  let means: ReadonlyMap<string, number>;

  beforeAll(async () => {
    before = await loadStores(harness);
    outcome = await createRunner(harness.request)(cases);
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
