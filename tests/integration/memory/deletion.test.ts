// Deletion through the whole application: everything that other records contain about a deleted incident is deleted too,
// also from old records and during concurrent work.

import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { claimIncident } from "../../../functions/incidents/incident-queue.ts";
import { releaseStuckRuns } from "../../../functions/incidents/stuck-runs.ts";
import { investigateStored } from "../../../functions/investigation/triage.ts";
import { compressSessions } from "../../../functions/jobs/compress-sessions.ts";
import { deleteExpired } from "../../../functions/jobs/delete-expired.ts";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { createHarness, deleteIncidents, type Harness, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { collectionsHolding, tablesHolding } from "../support/sample-memory.ts";

const DAY_MS = 86_400_000;
/** Occurs in the texts that the test deletes, and nowhere else. */
const WORD = "zanzibar";
const SECRET = `${WORD} container exited with code 137`;
const OTHER = "web container exited with code 137";

let harness: Harness;
beforeAll(() => loadFreshRunbooks(createHarness().services, workerEnv));
beforeEach(async () => {
  harness = createHarness({ SESSION_COMPRESS_THRESHOLD: "2" });
  await deleteIncidents(harness.services);
});

async function deleteIncident(incidentId: string): Promise<void> {
  expect((await harness.request(`/v1/incidents/${incidentId}`, { method: "DELETE" })).status).toBe(204);
}

async function expectNothingLeft(): Promise<void> {
  expect(await tablesHolding(WORD)).toEqual([]);
  expect(await collectionsHolding(harness.services, WORD)).toEqual([]);
}

const resolve = (incidentId: string, resolution: string) =>
  harness.post(`/v1/incidents/${incidentId}/resolve`, { resolution });

/** Three turns of one session, summarised a day later. @returns the id of the first incident, which the test deletes */
async function summariseSession(): Promise<string> {
  const { incident_id } = await harness.triage({ title: SECRET, session_id: "s-1" });
  await harness.triage({ title: OTHER, session_id: "s-1" });
  await harness.triage({ title: `${OTHER} again`, session_id: "s-1" });
  harness.clock.advance(2 * DAY_MS);
  expect(await compressSessions(harness.services, () => {})).toMatchObject({ sessions: 1, retired: 3 });
  expect(await tablesHolding(WORD)).toContain("past_answers");
  return incident_id;
}

/** With a token that is restricted to these domains. */
const deleteAs = (domains: readonly string[], record: object) =>
  sql`select public.call_restricted(${domains as string[]}, 'delete_record', ${JSON.stringify({
    p: { now: harness.clock.now(), claim_until: harness.clock.now(), ...record },
  })}::text::jsonb) as result`;

describe("the deletion by a token that does not see the summary", () => {
  it("deletes the summary, too, and keeps the session of what is left", async () => {
    const id = await summariseSession();
    // Of turns in several domains.
    await sql`update public.past_answers set domain = 'general' where is_summary`;
    const [incident] = await sql`select domain from public.incidents where id = ${id}`;
    const [row] = await deleteAs([incident?.domain], { kind: "incident", id });
    expect(row?.result).toMatchObject({ state: "deleted" });
    // A job removes it from the results of other triages.
    expect(await tablesHolding(WORD)).toEqual(["triages"]);
    expect(await sql`select raw_count from public.sessions`).toEqual([{ raw_count: 2 }]);
  });
});

describe("the deletion of an incident that was merged", () => {
  it("leaves its title in no timeline", async () => {
    const { incident_id } = await harness.triage({ title: SECRET });
    const other = await harness.triage({ title: OTHER, labels: { domain: "kubernetes" } });
    const path = `/v1/incidents/${incident_id}/merge`;
    expect((await harness.post(path, { into: other.incident_id })).status).toBe(200);
    await deleteIncident(incident_id);
    const events = await sql`select detail from public.incident_events where kind = 'merged'`;
    expect(JSON.stringify(events)).not.toContain(WORD);
  });
});

describe("a result that shows a record which was joined into another one", () => {
  it("shows no deleted record", async () => {
    const { incident_id } = await harness.triage({ title: OTHER });
    const joined = "00000000-0000-4000-8000-0000000000aa";
    await sql`update public.observations set joined_ids = ${[joined]} where incident_id = ${incident_id}`;
    const [row] = await sql`select public.deleted_ids(${[joined, "00000000-0000-4000-8000-0000000000ab"]}) as ids`;
    expect(row?.ids).toEqual(["00000000-0000-4000-8000-0000000000ab"]);
  });
});

describe("the deletion of a turn that is part of a summary", () => {
  it("deletes the summary and restores the other turns", async () => {
    await deleteIncident(await summariseSession());
    await expectNothingLeft();
    const raw = await sql`select question from public.past_answers where compressed_at is null and not is_summary`;
    expect(raw.map(({ question }) => question).sort()).toEqual([OTHER, `${OTHER} again`]);
    harness.clock.advance(60_000);
    await retryOutbox(harness.services);
    const indexed = await harness.services.vectors.find("past_answers", { limit: 9 });
    expect(indexed.map(({ text }) => text.split("\n")[0]).sort()).toEqual([OTHER, `${OTHER} again`]);
  });

  it("deletes the summary also when a fix restored the turn since", async () => {
    const incidentId = await summariseSession();
    await resolve(incidentId, "Restarted it.");
    await deleteIncident(incidentId);
    await expectNothingLeft();
  });

  it("deletes the summary also when the turns have expired", async () => {
    const incidentId = await summariseSession();
    await retryOutbox(harness.services);
    harness.clock.advance(91 * DAY_MS);
    expect(await deleteExpired(harness.services)).toMatchObject({ past_answers: 3 });
    await deleteIncident(incidentId);
    await expectNothingLeft();
  });
});

describe("text that other triages recalled from the deleted incident", () => {
  it("is removed from their results", async () => {
    const { incident_id } = await harness.triage({ title: SECRET });
    await resolve(incident_id, `Restarted ${WORD}.`);
    const later = await harness.triage({ title: "the container exited with code 137" });
    expect(JSON.stringify(later)).toContain(WORD);
    await deleteIncident(incident_id);
    await expectNothingLeft();
    const read = await (await harness.request(`/v1/incidents/${later.incident_id}`)).json();
    expect(read).toMatchObject({ triage: { triage_id: later.triage_id, outcome: "cause" } });
  });

  it("is removed also when it was a superseded fix", async () => {
    const first = await harness.triage({ title: OTHER });
    harness.clock.advance(DAY_MS);
    const second = await harness.triage({ title: OTHER });
    await resolve(second.incident_id, `Restarted ${WORD}.`);
    await resolve(first.incident_id, "Raised the limit.");
    harness.clock.advance(DAY_MS);
    const third = await harness.triage({ title: OTHER });
    expect(third.answer.worked_before[0]?.text).toContain(`Replaced: Restarted ${WORD} (a newer fix).`);
    await deleteIncident(second.incident_id);
    await expectNothingLeft();
    expect(await sql`select occurrences, seen_at[1] as first, last_seen_at from public.observations`).toMatchObject([
      { occurrences: 2, first: new Date("2026-03-01T03:00:00Z"), last_seen_at: new Date("2026-03-03T03:00:00Z") },
    ]);
  });

  it("is removed by the retention job when there are too many results for one request", async () => {
    const { incident_id } = await harness.triage({ title: SECRET });
    const { triage_id } = await harness.triage({ title: "the container exited with code 137" });
    await sql`insert into public.triages (id, incident_id, created_at, mode, outcome, confidence, result, recalled_ids)
      select gen_random_uuid(), incident_id, created_at, mode, outcome, confidence, result, recalled_ids
      from public.triages, generate_series(1, 260) where id = ${triage_id}`;
    await deleteIncident(incident_id);
    expect(await tablesHolding(WORD)).toEqual(["triages"]);
    expect(await deleteExpired(harness.services)).toMatchObject({ results: 11 });
    await expectNothingLeft();
    expect(await deleteExpired(harness.services)).toMatchObject({ results: 0 });
  });
});

describe("an incident that is deleted before its next investigation", () => {
  it("is not stored again", async () => {
    const { incident_id } = await harness.triage({ title: SECRET });
    await sql`update public.incidents set status = 'investigating', submitted_via = 'queue'`;
    await sql`update public.runs set finished_at = null`;
    harness.clock.advance(DAY_MS);
    const now = harness.clock.now();
    const { database, newId } = harness.services;
    expect(await releaseStuckRuns(database, { now, startedBefore: now, limit: 9, maxAttempts: 3 })).toMatchObject({
      waiting: [incident_id],
    });
    const run = await claimIncident(database, { incidentId: incident_id, runId: newId(), now, maxAttempts: 3 });
    await deleteIncident(incident_id);
    const background: Promise<unknown>[] = [];
    if (run) await investigateStored(harness.services, run, (work) => void background.push(work));
    expect(run).not.toBeNull();
    await Promise.all(background);
    await expectNothingLeft();
    expect(await sql`select 1 from public.incidents`).toHaveLength(0);
  });
});

it("the deletion of an incident takes the origin of a storm that its alert names out of other results", async () => {
  const [deleted, other] = ["8d3c2a64-0f1b-4a55-8c22-b9b1f3a0c7d2", "3f2a8c1e-5b2e-4b66-9a51-0f2b7c1e5b2e"];
  const result = { answer: {}, live: { other_alerts: [], origin: { object: "node-5", incident_id: deleted } } };
  const [shown] = await sql`select public.recalled_ids(${sql.json(result)}) as ids`;
  expect(shown?.ids).toEqual([`alert:${deleted}`]);
  const without = async (id = "") => {
    const [row] = await sql`select public.without_recalled(${sql.json(result)}, ${[`alert:${id}`]}) as result`;
    return row?.result.live.origin;
  };
  expect(await without(other)).toEqual(result.live.origin);
  expect(await without(deleted)).toBeNull();
});
