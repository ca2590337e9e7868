import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Node itself loads the modules, and keeps them compiled. */
const byNode = { viteModuleRunner: false, nodeLoader: false };

/** Servers of the run, and a measure of each file. */
const withServers = {
  globalSetup: ["tests/integration/support/shared-stack.ts"],
  setupFiles: ["tests/support/set-up-file.ts", "tests/support/set-up-properties.ts"],
  // Only a test that hangs reaches these, not one on a busy machine.
  testTimeout: 300_000,
  hookTimeout: 900_000,
  experimental: byNode,
};

/** Files that start processes of the product: commands, Workers, local stacks. */
const PROCESSES = [
  "tests/integration/stack/**/*.test.ts",
  "tests/integration/cli/process.test.ts",
  "tests/e2e/**/*.test.ts",
];

/** `npm run test:all` also runs the tests that `npm test` does without: tests/extended, all looks, more runs of properties. */
const extent = process.env.DEJAVU_TESTS === "all" ? "all" : "usual";

declare module "vitest" {
  interface ProvidedContext {
    extent: "usual" | "all";
  }
}

// Files of a project run side by side, projects one after another. Each file with servers has stores of its own on the
// servers of the run.
export default defineConfig({
  test: {
    // A poll ends as soon as its condition holds; only a failing test waits this long.
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      include: ["functions/**/*.ts", "lib/**/*.ts"],
      reporter: ["text-summary", "json-summary", "json", "html"],
      reportsDirectory: ".dejavu/tests/coverage",
      reportOnFailure: true,
    },
    maxWorkers: availableParallelism(),
    provide: { extent },
    // Another order each time shows a file that depends on another. vitest prints the seed.
    sequence: { shuffle: { files: extent === "all", tests: false } },
    projects: [
      {
        test: {
          name: "unit",
          include: ["tests/unit/**/*.test.ts"],
          // Pure functions have no state that files could share.
          isolate: false,
          setupFiles: ["tests/support/set-up-properties.ts"],
          experimental: byNode,
          // Property tests take seconds on a busy machine.
          testTimeout: 300_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "in-process",
          include: ["tests/integration/**/*.test.ts"],
          exclude: PROCESSES,
          // A worker loads the application once; test modules are fresh for each file (tests/support/fresh-test-modules.ts).
          isolate: false,
          // One more than cores: a worker waits for the servers half of its time.
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
          ...withServers,
        },
      },
      {
        test: {
          name: "processes",
          include: PROCESSES,
          sequence: { groupOrder: 2 },
          ...withServers,
        },
      },
      {
        test: {
          name: "extended",
          include: ["tests/extended/**/*.test.ts"],
          sequence: { groupOrder: 3 },
          ...withServers,
        },
      },
      // Needs a key and costs money.
      { test: { name: "model", include: ["evals/**/*.test.ts"], ...withServers } },
    ],
  },
});
