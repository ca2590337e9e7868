import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Servers of the run, and a measure of each file. */
const withServers = {
  globalSetup: ["tests/integration/support/shared-stack.ts"],
  setupFiles: ["tests/support/set-up-file.ts"],
  testTimeout: 60_000,
  // Some hooks load all runbooks, on a busy machine without stored vectors.
  hookTimeout: 400_000,
};

// All files run side by side; those with servers have stores of their own on the same servers.
export default defineConfig({
  test: {
    // One more than there are cores: files with servers wait for those a good part of their time.
    // A poll ends as soon as its condition holds; only a failing test waits this long.
    expect: { poll: { timeout: 20_000 } },
    coverage: {
      include: ["functions/**"],
      reporter: ["text-summary", "json-summary", "json", "html"],
      reportsDirectory: ".dejavu/tests/coverage",
    },
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
          // Pure functions have no state that files could share.
          isolate: false,
          // Property tests take seconds on a busy machine.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "servers",
          include: ["tests/integration/**/*.test.ts", "tests/e2e/**/*.test.ts"],
          // A busy machine can break a timeout of a real server or browser. The run lists what needed a second attempt.
          retry: process.env.CI ? 1 : 0,
          // Node itself loads the modules, and keeps them compiled: each file with servers loads the whole application.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          ...withServers,
        },
      },
      // Needs a key and costs money.
      { test: { name: "model", include: ["evals/**/*.test.ts"], ...withServers } },
    ],
  },
});
