// The daily token budget that counts without the setting.

import { beforeAll, beforeEach, expect, it } from "vitest";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };
const { services, clock } = createHarness();

beforeAll(() => loadFreshRunbooks(services, workerEnv));
beforeEach(() => deleteIncidents(services));

/** Records tokens of this day that another triage used. */
async function useTokens(count: number): Promise<void> {
  const { incident_id } = await createHarness().triage(OOM);
  await sql`delete from public.model_usage`;
  await sql`insert into public.model_usage (run_id, incident_id, at, calls, input_tokens, cached_input_tokens, output_tokens)
    select r.run_id, r.incident_id, ${clock.now()}, 1, ${count}, 0, 0 from public.runs r where r.incident_id = ${incident_id}`;
}

it("is 5,000,000 tokens by default", async () => {
  await using model = await scriptedModel();
  const harness = createHarness(model.env());
  await useTokens(4_999_999);
  expect((await harness.triage(OOM)).mode).toBe("model");
  await useTokens(5_000_000);
  const spent = await harness.triage(OOM);
  expect(spent).toMatchObject({ mode: "extractive", warnings: [{ code: "token_budget_spent" }] });
});

it("is no limit where the setting is none", async () => {
  await using model = await scriptedModel();
  await useTokens(5_000_000);
  expect((await createHarness({ ...model.env(), DAILY_TOKEN_BUDGET: "none" }).triage(OOM)).mode).toBe("model");
});

it("does not count as spent by default while the use cannot be read", async () => {
  await using model = await scriptedModel();
  const harness = createHarness({ ...model.env(), SUPABASE_URL: "http://127.0.0.1:9" });
  const { mode, warnings } = await harness.triage(OOM);
  expect(mode).toBe("model");
  expect(warnings.map(({ code }) => code)).not.toContain("token_budget_spent");
});
