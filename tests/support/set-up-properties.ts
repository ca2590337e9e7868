// Setup: how often each property of a test is tried.

import { configureGlobal } from "fast-check";
import { inject } from "vitest";

const RUNS = { usual: 25, all: 500 };

// A failing run would otherwise shrink a large value for half an hour: the report has the seed, with which it can be shrunk.
configureGlobal({ numRuns: RUNS[inject("extent")], endOnFailure: process.env.CI !== undefined });
