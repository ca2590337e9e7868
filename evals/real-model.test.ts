// Triages by a real model: checks that the provider accepts the wire format, the output schemas and the prompts. A run costs
// a few cents and needs an API key, so it is not part of `npm test` but of `npm run test:model`.

import { beforeAll, expect, it } from "vitest";
import { developerSettings } from "../dev/start/developer-settings.ts";
import { answerModel } from "../functions/config.ts";
import { createHarness, workerEnv } from "../tests/integration/support/harness.ts";
import { loadFreshRunbooks } from "../tests/integration/support/inventory.ts";

const settings = developerSettings(process.env);
const { MODEL, ANTHROPIC_API_KEY } = settings;
const name = answerModel({ ...(MODEL ? { MODEL } : {}), ...(ANTHROPIC_API_KEY ? { ANTHROPIC_API_KEY } : {}) });
if (name === undefined)
  throw new Error("No model to test: set ANTHROPIC_API_KEY, or MODEL and the settings of its provider.");

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));

it(`${name} finds the cause, cites recalled texts, and gets a critique`, { timeout: 150_000 }, async () => {
  const harness = createHarness({ ...settings, TRIAGE_BUDGET_MS: "120000" });
  const result = await harness.triage({
    title: "api-gateway container exited with code 137",
    target: "api-gateway",
    labels: { container_runtime: "docker" },
    logs: "2026-03-01T03:00:00Z kernel: Memory cgroup out of memory: Killed process 4211 (node)",
  });
  console.log(
    `${name}: confidence ${result.confidence}, ${JSON.stringify(result.usage)}\n${result.answer.summary.text}`,
  );
  expect(result).toMatchObject({ mode: "model", outcome: "cause", warnings: [] });
  expect(result.answer.likely_causes.length).toBeGreaterThan(0);
  expect(result.sources.some(({ source }) => source === "docker/exit-137-out-of-memory.md")).toBe(true);
  expect(result.critique?.feedback).not.toBe("");
  expect(result.usage.output_tokens).toBeGreaterThan(0);
});

it(`${name} rewrites a question into a search query and picks a valid incident type`, {
  timeout: 150_000,
}, async () => {
  const harness = createHarness({ ...settings, TRIAGE_BUDGET_MS: "120000" });
  const result = await harness.triage({
    question: "hi! since lunch my api container keeps getting killed, any idea?",
  });
  expect(result).toMatchObject({ mode: "model", domain: { name: "docker" } });
  expect(result.search_query).not.toBeNull();
});
