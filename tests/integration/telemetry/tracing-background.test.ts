// The spans of background tasks.

import { beforeAll, beforeEach, expect, it } from "vitest";
import { z } from "zod";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { consume, QUEUES, type QueueMessage } from "../../../functions/jobs/queues.ts";
import { at, HOUR_MS, LAST_TURN, shift, storeTurns } from "../jobs/support.ts";
import { createHarness, deleteIncidents, type Harness, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { AFTER, BEFORE, RECALL, spanOf, startCollector, treeOf } from "../support/servers/collector.ts";
import { lyingServer } from "../support/servers/lying-server.ts";
import { scriptedModel } from "../support/servers/scripted-model.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };

beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(() => deleteIncidents(createHarness().services));

async function deliver(harness: Harness, body: unknown): Promise<void> {
  const background: Promise<unknown>[] = [];
  const message: QueueMessage = { body, attempts: 1, ack: () => {}, retry: () => {} };
  await consume(harness.services, { queue: QUEUES.triages, messages: [message] }, (work) => void background.push(work));
  while (background.length > 0) await background.shift();
}

it("background work is traced: a queued incident", async () => {
  await using collector = await startCollector();
  const harness = createHarness(collector.env);
  const accepted = await harness.post("/v1/incidents", OOM);
  const { incident_id } = z.object({ incident_id: z.string() }).parse(await accepted.json());
  await deliver(harness, { incident_id });
  const trace = collector.only();
  expect(treeOf(trace)).toEqual([...BEFORE, ...RECALL, ...AFTER]);
  expect(spanOf(trace, "triage").attributes["dejavu.incident_id"]).toBe(incident_id);
});

it("background work is traced: a queued incident whose run fails", async () => {
  await using collector = await startCollector();
  await using unavailable = await lyingServer({ answer: () => "cut" });
  const accepted = await createHarness().post("/v1/incidents", OOM);
  const { incident_id } = z.object({ incident_id: z.string() }).parse(await accepted.json());
  const harness = createHarness({ ...collector.env, CHROMA_URL: unavailable.url });
  const { services } = harness;
  const unsearchable = { ...services, database: createHarness({ SUPABASE_URL: unavailable.url }).services.database };
  await deliver({ ...harness, services: unsearchable }, { incident_id });
  expect(treeOf(collector.only())).toContain("CHAIN triage failed");
});

it("background work is traced: a session that a model summarises", async () => {
  await using collector = await startCollector();
  await using model = await scriptedModel();
  const { services } = createHarness({ ...collector.env, ...model.env() });
  await storeTurns(services, { count: 21 });
  const background: Promise<unknown>[] = [];
  const idle = shift(LAST_TURN, 24 * HOUR_MS);
  await compressSessions(at(services, idle), (work) => void background.push(work));
  await Promise.all(background);
  const trace = collector.only();
  expect(treeOf(trace)).toEqual(["CHAIN compress session", "  LLM summarise", "  CHAIN flush outbox"]);
  expect(spanOf(trace, "compress session").attributes).toMatchObject({ "dejavu.past_answers": 21 });
});
