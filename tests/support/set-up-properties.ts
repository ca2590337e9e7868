// Setup: how often each property of a test is tried.

import { configureGlobal } from "fast-check";
import { inject } from "vitest";

const RUNS = { usual: 25, all: 500 };

configureGlobal({ numRuns: RUNS[inject("extent")] });
