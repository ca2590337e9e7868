// Setup: how often each property of a test is tried, and with which values.

import { configureGlobal } from "fast-check";
import { inject } from "vitest";

const RUNS = { usual: 25, all: 500 };
const isCi = process.env.CI !== undefined;

configureGlobal({
  numRuns: RUNS[inject("extent")],
  // The same values in each run for CI, so that a change does not fail for what was there before. Runs by hand look further.
  ...(isCi && { seed: 1 }),
  // A failing run would otherwise shrink a large value for half an hour: the report has the seed, with which it can be shrunk.
  endOnFailure: isCi,
});
