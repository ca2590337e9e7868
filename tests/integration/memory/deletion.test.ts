// Forgetting through the whole application: what other records tell of a forgotten one goes with it, however long ago
// they were written and whatever happens at the same time.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closeStuckRuns } from "../../../functions/incidents/stuck-runs.ts";
import { investigateStored } from "../../../functions/investigation/triage.ts";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { deleteExpired } from "../../../functions/jobs/delete-expired.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { collectionsHolding, tablesHolding } from "../support/sample-memory.ts";

const DAY_MS = 86_400_000;
/** Stands in what is to be forgotten, and nowhere else. */
const WORD = "zanzibar";
const SECRET = `${WORD} container exited with code 137`;
const OTHER = "web container exited with code 137";

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness({ SESSION_COMPRESS_THRESHOLD: "2" });
  await deleteIncidents(harness.services);
});

async function forget(incidentId: string): Promise<void> {
  expect((await harness.request(`/v1/incidents/${incidentId}`, { method: "DELETE" })).status).toBe(204);
}

async function expectNothingLeft(): Promise<void> {
  expect(await tablesHolding(WORD)).toEqual([]);
  expect(await collectionsHolding(harness.services, WORD)).toEqual([]);
}

const resolve = (incidentId: string, resolution: string) =>
  harness.post(`/v1/incidents/${incidentId}/resolve`, { resolution });

/** Three turns of one session, the first to be forgotten, summed up a day later. */
async function summedUp(): Promise<string> {
  const { incident_id } = await harness.triage({ title: SECRET, session_id: "s-1" });
  await harness.triage({ title: OTHER, session_id: "s-1" });
  await harness.triage({ title: `${OTHER} again`, session_id: "s-1" });
  harness.clock.advance(2 * DAY_MS);
  expect(await compressSessions(harness.services, () => {})).toMatchObject({ sessions: 1, retired: 3 });
  expect(await tablesHolding(WORD)).toContain("past_answers");
  return incident_id;
}

describe("a turn that a summary tells of", () => {
  it("takes the summary along, and the others stand for themselves again", async () => {
    await forget(await summedUp());
    await expectNothingLeft();
    const raw = await sql`select question from public.past_answers where compressed_at is null and not is_summary`;
    expect(raw.map(({ question }) => question).sort()).toEqual([OTHER, `${OTHER} again`]);
    harness.clock.advance(60_000);
    await retryOutbox(harness.services);
    const indexed = await harness.services.vectors.find("past_answers-docker", { limit: 9 });
    expect(indexed.map(({ text }) => text.split("\n")[0]).sort()).toEqual([OTHER, `${OTHER} again`]);
  });

  it("takes it along also when a fix has given the turn a record of its own since", async () => {
    const incidentId = await summedUp();
    await resolve(incidentId, "Restarted it.");
    await forget(incidentId);
    await expectNothingLeft();
  });

  it("takes it along also when the turns themselves have expired", async () => {
    const incidentId = await summedUp();
    await retryOutbox(harness.services);
    harness.clock.advance(91 * DAY_MS);
    expect(await deleteExpired(harness.services)).toMatchObject({ past_answers: 3 });
    await forget(incidentId);
    await expectNothingLeft();
  });
});

describe("what other triages recalled of it", () => {
  it("leaves their results, with what was told of it", async () => {
    const { incident_id } = await harness.triage({ title: SECRET });
    await resolve(incident_id, `Restarted ${WORD}.`);
    const later = await harness.triage({ title: "the container exited with code 137" });
    expect(JSON.stringify(later)).toContain(WORD);
    await forget(incident_id);
    await expectNothingLeft();
    const read = await (await harness.request(`/v1/incidents/${later.incident_id}`)).json();
    expect(read).toMatchObject({ triage: { triage_id: later.triage_id, outcome: "cause" } });
  });

  it("leaves them also where it was a fix that a newer one had retired", async () => {
    const first = await harness.triage({ title: OTHER });
    harness.clock.advance(DAY_MS);
    const second = await harness.triage({ title: OTHER });
    await resolve(second.incident_id, `Restarted ${WORD}.`);
    await resolve(first.incident_id, "Raised the limit.");
    harness.clock.advance(DAY_MS);
    const third = await harness.triage({ title: OTHER });
    expect(third.answer.worked_before[0]?.text).toContain(`Superseded: Restarted ${WORD}.`);
    await forget(second.incident_id);
    await expectNothingLeft();
    expect(await sql`select occurrences, seen_at[1] as first, last_seen_at from public.observations`).toMatchObject([
      { occurrences: 2, first: new Date("2026-03-01T03:00:00Z"), last_seen_at: new Date("2026-03-03T03:00:00Z") },
    ]);
  });

  it("is taken out by the retention job where there were too many for one request", async () => {
    const { incident_id } = await harness.triage({ title: SECRET });
    const { triage_id } = await harness.triage({ title: "the container exited with code 137" });
    await sql`insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, recalled_ids)
      select gen_random_uuid(), incident_id, created_at, mode, outcome, confidence, result, recalled_ids
      from public.triages, generate_series(1, 1100) where id = ${triage_id}`;
    await forget(incident_id);
    expect(await tablesHolding(WORD)).toEqual(["triages"]);
    expect(await deleteExpired(harness.services)).toMatchObject({ results: 101 });
    await expectNothingLeft();
    expect(await deleteExpired(harness.services)).toMatchObject({ results: 0 });
  });
});

describe("an incident that is forgotten before it is investigated again", () => {
  it("does not come back", async () => {
    const { incident_id } = await harness.triage({ title: SECRET });
    await sql`update public.incidents set status = 'investigating', submitted_via = 'queue'`;
    await sql`update public.runs set finished_at = null`;
    harness.clock.advance(DAY_MS);
    const now = harness.clock.now();
    const options = { now, startedBefore: now, limit: 9, retryLimit: 1, maxAttempts: 3 };
    const { retries } = await closeStuckRuns(harness.services.database, options);
    expect(retries).toHaveLength(1);
    await forget(incident_id);
    const background: Promise<unknown>[] = [];
    for (const retry of retries) await investigateStored(harness.services, retry, (work) => void background.push(work));
    await Promise.all(background);
    await expectNothingLeft();
    expect(await sql`select 1 from public.incidents`).toHaveLength(0);
  });
});
