import { defineConfig } from "vitest/config";

// All files run side by side; those with servers have stores of their own on the same servers.
export default defineConfig({
  test: {
    projects: [
      // The time-out is for what hangs: a law of many runs takes its time on a busy machine.
      { test: { name: "unit", include: ["tests/unit/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "servers",
          include: ["tests/integration/**/*.test.ts", "tests/e2e/**/*.test.ts"],
          globalSetup: ["tests/integration/support/shared-stack.ts"],
          testTimeout: 60_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
