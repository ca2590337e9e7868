// Records that answers show: what counts as help, and that silence retires none.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway" };
/** A failure with a record of its own, whose answer shows the first one. */
const similar = (n: number) => ({ ...OOM, target: `gateway-${String.fromCharCode(97 + n)}` });
const RAISED = "Raised the memory limit.";

let harness: Harness;
let record = "";
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness();
  await deleteIncidents(harness.services);
  record = (await harness.triage(OOM)).incident_id;
  await resolve(record, { resolution: RAISED });
});

async function resolve(id: string, body: object): Promise<void> {
  harness.clock.advance(1_000);
  expect((await harness.post(`/v1/incidents/${id}/resolve`, body)).status).toBe(200);
}

/** Reports a failure whose answer shows the record. */
async function show(n: number) {
  harness.clock.advance(1_000);
  const result = await harness.triage(similar(n));
  expect(result.answer.worked_before.flatMap(({ citations }) => citations)).toContain(record);
  return result;
}

const stateOf = async () => {
  const [row] = await sql`select shown_count, helped_count from public.observations where id = ${record}`;
  return row;
};

describe("a record that is shown", () => {
  it("counts each incident once", async () => {
    const { session_id } = await show(0);
    await harness.triage({ question: "What did we find?", session_id });
    await show(1);
    expect(await stateOf()).toMatchObject({ shown_count: 2, helped_count: 0 });
    const [row] = await sql`select count(*)::int as shown from public.shown_memories where observation_id = ${record}`;
    expect(row?.shown).toBe(2);
  });

  it("is recalled however many answers showed it without feedback", async () => {
    for (let n = 0; n < 7; n++) await show(n);
    expect(await stateOf()).toEqual({ shown_count: 7, helped_count: 0 });
  });

  it("helped when the answer worked, once for each incident", async () => {
    const { incident_id, triage_id } = await show(0);
    await show(1);
    await resolve(incident_id, { resolution: "Bounded the cache.", worked: true });
    await harness.post(`/v1/triages/${triage_id}/feedback`, { rating: "up" });
    expect(await stateOf()).toMatchObject({ shown_count: 2, helped_count: 1 });
  });

  it("helped when its fix resolved the incident, by text or by id", async () => {
    const [first, second, third] = [await show(0), await show(1), await show(2)];
    await resolve(first.incident_id, { resolution: "raised the memory limit" });
    const fix_id = second.recalled.incidents.find(({ id }) => id === record)?.fixes[0]?.id;
    await resolve(second.incident_id, { fix_id });
    await resolve(third.incident_id, { resolution: "Something else." });
    expect(await stateOf()).toMatchObject({ shown_count: 3, helped_count: 2 });
  });

  it("helped when its fix was reported as a success of an open incident", async () => {
    const { incident_id } = await show(0);
    await harness.post(`/v1/incidents/${incident_id}/tries`, { action: RAISED, helped: true });
    expect(await stateOf()).toMatchObject({ helped_count: 1 });
  });

  it("helped when a person rated the answer up, not when they rated it down", async () => {
    const [first, second] = [await show(0), await show(1)];
    await harness.post(`/v1/triages/${first.triage_id}/feedback`, { rating: "down" });
    expect(await stateOf()).toMatchObject({ helped_count: 0 });
    for (const by of ["dana", "eli"])
      await harness.post(`/v1/triages/${second.triage_id}/feedback`, { rating: "up", by });
    expect(await stateOf()).toMatchObject({ helped_count: 1 });
  });

  it("helped a repeat of its failure that was resolved, unless the answer did not work", async () => {
    for (const worked of [false, undefined]) {
      harness.clock.advance(1_000);
      const { incident_id } = await harness.triage(OOM);
      await resolve(incident_id, { resolution: "Bounded the cache.", worked });
    }
    expect(await stateOf()).toMatchObject({ shown_count: 2, helped_count: 1 });
  });

  it("is not counted for answers to evaluations", async () => {
    await harness.triage(similar(0), { "x-dejavu-traffic": "evaluation" });
    const [row] =
      await sql`select result ->> 'traffic' as traffic from public.triages order by created_at desc limit 1`;
    expect([row?.traffic, await stateOf()]).toMatchObject(["evaluation", { shown_count: 0 }]);
  });
});

describe("the deletion of an incident", () => {
  it("takes its part of the counts back", async () => {
    const [first, second] = [await show(0), await show(1)];
    await resolve(first.incident_id, { resolution: "Bounded the cache.", worked: true });
    for (const { incident_id } of [first, second])
      expect((await harness.request(`/v1/incidents/${incident_id}`, { method: "DELETE" })).status).toBe(204);
    expect(await stateOf()).toMatchObject({ shown_count: 0, helped_count: 0 });
    expect(await sql`select 1 from public.shown_memories where observation_id = ${record}`).toEqual([]);
  });
});
