import { beforeEach, describe, expect, it } from "vitest";
import { retryOutbox } from "../../../functions/jobs/retry-outbox.ts";
import { createHarness, emptyStores, type Harness, sql } from "../support/harness.ts";
import {
  collectionsHolding,
  observationWrite,
  type Planted,
  plantIncident,
  plantMemory,
  plantObservation,
  plantProcedure,
  plantSummary,
  tablesHolding,
} from "../support/sample-memory.ts";

const harness = createHarness();
const { services, clock } = harness;
const DAY_MS = 86_400_000;
const UNREACHABLE_URL = "http://127.0.0.1:9";
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
/** Occurs in every text that the test deletes, and nowhere else. */
const WORD = "zanzibar";
const TEXT = `the ${WORD} service exited`;

beforeEach(() => emptyStores(services));

function deleteRecord(path: string, on: Harness = harness): Promise<Response> {
  return on.request(path, { method: "DELETE" });
}

async function expectDeleted(path: string): Promise<void> {
  expect((await deleteRecord(path)).status).toBe(204);
  expect(await tablesHolding(WORD)).toEqual([]);
  expect(await collectionsHolding(services, WORD)).toEqual([]);
}

async function auditEvents() {
  return sql`select kind, subject_id, detail from public.audit_events where action = 'deleted' order by id`;
}

/** Writes the outbox entries that are due. */
async function flushOutbox(seconds = 0): Promise<void> {
  const later = new Date(clock.now().getTime() + seconds * 1_000);
  expect(await retryOutbox({ ...services, now: () => later })).toMatchObject({ failed: 0 });
}

describe("after its deletion, no table and no collection contains", () => {
  it("an incident and all records derived from it", async () => {
    const planted = await plantIncident(services, { text: TEXT });
    await plantObservation(services, planted, { text: TEXT });
    await plantMemory(services, planted, { text: TEXT });
    await plantProcedure(services, planted, { text: TEXT });
    await harness.post(`/v1/triages/${planted.triageId}/feedback`, { rating: "up", comment: TEXT });
    expect((await tablesHolding(WORD)).length).toBeGreaterThan(8);
    expect(await collectionsHolding(services, WORD)).toEqual(["incidents", "past_answers", "procedures"]);
    await expectDeleted(`/v1/incidents/${planted.incidentId}`);
    expect(await sql`select 1 from public.idempotency_keys`).toHaveLength(0);
    expect((await auditEvents())[0]?.detail).toEqual({ observations: 1, past_answers: 1, procedures: 1 });
  });

  it("an observation", async () => {
    const planted = await plantIncident(services);
    await plantObservation(services, planted, { text: TEXT });
    expect(await collectionsHolding(services, WORD)).toEqual(["incidents"]);
    await expectDeleted(`/v1/memory/observations/${planted.incidentId}`);
    expect((await harness.request(`/v1/incidents/${planted.incidentId}`)).status).toBe(200);
  });

  it("a past answer", async () => {
    const planted = await plantIncident(services);
    await plantMemory(services, planted, { text: TEXT });
    expect(await collectionsHolding(services, WORD)).toEqual(["past_answers"]);
    await expectDeleted(`/v1/memory/past-answers/${planted.triageId}`);
    expect(await sql`select raw_count from public.sessions`).toEqual([{ raw_count: 0 }]);
  });

  it("a procedure", async () => {
    const id = await plantProcedure(services, await plantIncident(services), { text: TEXT });
    expect(await collectionsHolding(services, WORD)).toEqual(["procedures"]);
    await expectDeleted(`/v1/memory/procedures/${id}`);
  });

  it("a session with its turns, past answers and summaries of several domains", async () => {
    const sessionId = `${WORD}:1`;
    const planted: Planted[] = [];
    for (const domain of ["docker", "docker", "docker", "postgres"] as const) {
      const each = await plantIncident(services);
      await plantMemory(services, { ...each, sessionId }, { text: TEXT, domain });
      planted.push(each);
    }
    const originals = planted.slice(0, 2).map(({ triageId }) => triageId);
    await plantSummary(services, { sessionId, originals, text: TEXT });
    await sql`update public.runs set session_id = ${sessionId}, query = ${TEXT}, final_answer = ${TEXT}`;
    expect(await collectionsHolding(services, WORD)).toEqual(["past_answers"]);
    await expectDeleted(`/v1/memory/sessions/${sessionId}`);
    expect((await auditEvents())[0]?.detail).toEqual({ observations: 0, past_answers: 5, procedures: 0 });
  });
});

describe("a record that does not exist", () => {
  it.each(["incidents", "memory/observations", "memory/past-answers", "memory/procedures", "memory/sessions"])(
    "in the list %s responds with 404 and leaves no audit event",
    async (list) => {
      expect((await deleteRecord(`/v1/${list}/${UNKNOWN_ID}`)).status).toBe(404);
      expect(await auditEvents()).toHaveLength(0);
    },
  );

  it("responds with 404 to all but one of several concurrent deletions", async () => {
    const { incidentId } = await plantIncident(services);
    const codes = await Promise.all(
      [1, 2, 3].map(async () => (await deleteRecord(`/v1/incidents/${incidentId}`)).status),
    );
    expect(codes.sort()).toEqual([204, 404, 404]);
    expect(await auditEvents()).toHaveLength(1);
  });

  it("responds with 422 when the id is malformed", async () => {
    for (const list of ["incidents", "memory/observations", "memory/past-answers", "memory/procedures"]) {
      expect((await deleteRecord(`/v1/${list}/1`)).status).toBe(422);
    }
  });
});

describe("a deletion while the vector store is unavailable", () => {
  it("takes effect in Postgres at once and in the vector store when it is back", async () => {
    const planted = await plantIncident(services, { text: TEXT });
    await plantObservation(services, planted, { text: TEXT });
    await plantMemory(services, planted, { text: TEXT });
    await plantProcedure(services, planted, { text: TEXT });
    const broken = createHarness({ CHROMA_URL: UNREACHABLE_URL });
    expect((await deleteRecord(`/v1/incidents/${planted.incidentId}`, broken)).status).toBe(204);
    expect(await tablesHolding(WORD)).toEqual([]);
    expect(await collectionsHolding(services, WORD)).toHaveLength(3);
    const later = new Date(clock.now().getTime() + 31_000);
    expect(await retryOutbox({ ...services, now: () => later })).toEqual({ written: 3, failed: 0 });
    expect(await collectionsHolding(services, WORD)).toEqual([]);
  });
});

describe("the deletion of an incident of a repeated failure", () => {
  async function plantRepeats(): Promise<[Planted, Planted, Planted]> {
    const plantRepeat = async (): Promise<Planted> => {
      clock.advance(DAY_MS);
      const planted = await plantIncident(services);
      await plantObservation(services, planted, { fingerprint: "one failure" });
      return planted;
    };
    return [await plantRepeat(), await plantRepeat(), await plantRepeat()];
  }

  const resolve = async ({ incidentId }: Planted, resolution: string, resolved_by: string) => {
    clock.advance(1_000);
    const fix = { resolution, resolved_by };
    expect((await harness.post(`/v1/incidents/${incidentId}/resolve`, fix)).status).toBe(200);
  };

  it("only lowers the count when the incident is a repeat", async () => {
    const [first, second, third] = await plantRepeats();
    expect((await deleteRecord(`/v1/incidents/${second.incidentId}`)).status).toBe(204);
    const [row] = await sql`select occurrences, seen_at from public.observations`;
    expect(row).toMatchObject({ occurrences: 2, seen_at: [first.at, third.at] });
    expect((await harness.request(`/v1/memory/observations/${first.incidentId}`)).status).toBe(200);
  });

  it("removes the try of the incident from the proof of a fix", async () => {
    const [first, second] = await plantRepeats();
    await resolve(first, "Restarted it.", "dana");
    await resolve(second, "restarted it", "eli");
    expect((await deleteRecord(`/v1/incidents/${second.incidentId}`)).status).toBe(204);
    const response = await harness.request(`/v1/memory/observations/${first.incidentId}`);
    expect(await response.json()).toMatchObject({
      occurrences: 2,
      resolved_by: "dana",
      fixes: [{ text: "Restarted it.", tried: 1, worked: 1, last_worked_by: "dana", retired: null }],
    });
    expect(await tablesHolding("eli")).toEqual([]);
    expect(await collectionsHolding(services, "eli")).toEqual([]);
  });

  it("returns to the earlier fix when the incident provided the current one", async () => {
    const [first, second] = await plantRepeats();
    await resolve(first, "Restarted it.", "dana");
    await resolve(second, `Bounded the ${WORD}.`, "eli");
    expect((await deleteRecord(`/v1/incidents/${second.incidentId}`)).status).toBe(204);
    expect(await tablesHolding(WORD)).toEqual([]);
    expect(await collectionsHolding(services, WORD)).toEqual([]);
    expect(await collectionsHolding(services, "restarted it")).toEqual(["incidents"]);
    const response = await harness.request(`/v1/memory/observations/${first.incidentId}`);
    expect(await response.json()).toMatchObject({
      resolution: "Restarted it.",
      fixes: [{ text: "Restarted it.", retired: null }],
    });
  });

  it("leaves a record without a fix when the incident provided the only one", async () => {
    const [, second] = await plantRepeats();
    await resolve(second, `Restarted the ${WORD}.`, "eli");
    await deleteRecord(`/v1/incidents/${second.incidentId}`);
    expect(await tablesHolding(WORD)).toEqual([]);
    expect(await collectionsHolding(services, WORD)).toEqual([]);
    expect(await sql`select resolution, occurrences from public.observations`).toEqual([
      { resolution: null, occurrences: 2 },
    ]);
  });

  it("deletes the observation when the incident provided its text", async () => {
    const [first, second] = await plantRepeats();
    await deleteRecord(`/v1/incidents/${first.incidentId}`);
    expect(await sql`select 1 from public.observations`).toHaveLength(0);
    const [row] = await sql`select observation_id from public.incidents where id = ${second.incidentId}`;
    expect(row?.observation_id).toBeNull();
  });

  it("keeps the incidents that repeat it", async () => {
    const [first, ...others] = await plantRepeats();
    await deleteRecord(`/v1/incidents/${first.incidentId}`);
    for (const { incidentId } of others)
      expect((await harness.request(`/v1/incidents/${incidentId}`)).status).toBe(200);
  });
});

describe("the deletion of a summarised past answer", () => {
  async function plantSummarised(): Promise<{ originals: [string, string, string]; summary: string }> {
    const plant = async (text: string): Promise<string> => {
      const planted = await plantIncident(services);
      await plantMemory(services, planted, { text });
      return planted.triageId;
    };
    const originals: [string, string, string] = [
      await plant(TEXT),
      await plant("about disks"),
      await plant("about DNS"),
    ];
    const text = `questions about ${WORD}, disks and DNS`;
    const summary = await plantSummary(services, { sessionId: "session-1", originals, text });
    await services.database.call("retire_originals", { p_now: clock.now().toISOString(), p_limit: 10 });
    await flushOutbox();
    expect(await indexedPastAnswers()).toEqual([summary]);
    return { originals, summary };
  }

  async function indexedPastAnswers(): Promise<string[]> {
    const records = await services.vectors.find("past_answers", { limit: 10 });
    return records.map(({ id }) => id).sort();
  }

  it("deletes the summary too and restores the other past answers", async () => {
    const { originals } = await plantSummarised();
    const [deletedId, ...others] = originals;
    await expectDeleted(`/v1/memory/past-answers/${deletedId}`);
    await flushOutbox();
    expect(await indexedPastAnswers()).toEqual(others.sort());
    const rows = await sql`select id::text, summary_id, compressed_at from public.past_answers order by id`;
    expect(rows).toEqual(others.map((id) => ({ id, summary_id: null, compressed_at: null })));
    expect(await sql`select raw_count from public.sessions`).toEqual([{ raw_count: 2 }]);
  });

  it("deletes all originals with the summary", async () => {
    const { summary } = await plantSummarised();
    await expectDeleted(`/v1/memory/past-answers/${summary}`);
    expect(await indexedPastAnswers()).toEqual([]);
    expect(await sql`select 1 from public.past_answers`).toHaveLength(0);
    expect(await sql`select raw_count from public.sessions`).toEqual([{ raw_count: 0 }]);
  });
});

describe("the audit event", () => {
  it("lists the deleted records and contains nothing from them, not even a session's name", async () => {
    const planted = await plantIncident(services, { text: TEXT });
    await plantMemory(services, { ...planted, sessionId: WORD }, { text: TEXT });
    await deleteRecord(`/v1/memory/sessions/${WORD}`);
    await deleteRecord(`/v1/incidents/${planted.incidentId.toUpperCase()}`);
    expect(await auditEvents()).toEqual([
      {
        kind: "session",
        subject_id: expect.stringMatching(/^[0-9a-f]{64}$/),
        detail: { observations: 0, past_answers: 1, procedures: 0 },
      },
      {
        kind: "incident",
        subject_id: planted.incidentId,
        detail: { observations: 0, past_answers: 0, procedures: 0 },
      },
    ]);
    const response = await harness.request("/v1/memory/audit");
    expect(await response.json()).toMatchObject({ events: [{ kind: "incident" }, { kind: "session" }] });
    expect(await tablesHolding(WORD)).toEqual([]);
  });
});

describe("an incident that is deleted during its investigation", () => {
  /** The argument of `finish_run` at the end of the investigation. */
  function finishedRun(planted: Planted) {
    const { incidentId, sessionId, at } = planted;
    return {
      now: at.toISOString(),
      claim_until: at.toISOString(),
      incident: {
        id: incidentId,
        created_at: at.toISOString(),
        title: TEXT,
        severity: "high",
        labels: {},
        session_id: sessionId,
        domain: "docker",
        domain_rule: "default",
        incident_type: "unknown",
        incident_type_rule: "default",
      },
      run: { run_id: services.newId(), session_id: sessionId, started_at: at.toISOString(), query: TEXT },
      run_finish: {
        finished_at: at.toISOString(),
        injection_blocked: false,
        retrieval_hit_count: 0,
        memory_hit_count: 0,
        initial_confidence: 0.8,
        reflected: false,
        final_confidence: 0.8,
        final_answer: TEXT,
      },
      usage: { calls: 0, input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, cost_usd: null },
      triage: {
        id: services.newId(),
        mode: "extractive",
        outcome: "cause",
        confidence: 0.8,
        result: { text: TEXT },
      },
      observation: observationWrite(planted, { text: TEXT, fingerprint: incidentId }),
    };
  }

  it("is not stored again when the run ends", async () => {
    const planted = await plantIncident(services, { text: TEXT });
    await deleteRecord(`/v1/incidents/${planted.incidentId.toUpperCase()}`);
    expect(await services.database.call("finish_run", { p: finishedRun(planted) })).toEqual({ pending: [] });
    expect(await tablesHolding(WORD)).toEqual([]);
  });

  it("is not stored again when the run ends at the same moment", async () => {
    const planted = await plantIncident(services, { text: TEXT });
    const p = {
      kind: "incident",
      id: planted.incidentId,
      now: planted.at.toISOString(),
      claim_until: planted.at.toISOString(),
    };
    const finishing = await sql.begin(async (transaction) => {
      await transaction`select public.delete_record(${transaction.json(p)})`;
      const call = services.database.call("finish_run", { p: finishedRun(planted) });
      const waiting = async () =>
        (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%finish_run%'`).length;
      await expect.poll(waiting).toBe(1);
      return { call };
    });
    expect(await finishing.call).toEqual({ pending: [] });
    expect(await tablesHolding(WORD)).toEqual([]);
  });

  it("is stored without a deletion, which shows that the other tests check something", async () => {
    const planted = await plantIncident(services);
    await services.database.call("finish_run", { p: finishedRun(planted) });
    expect(await tablesHolding(WORD)).toContain("observations");
  });
});
