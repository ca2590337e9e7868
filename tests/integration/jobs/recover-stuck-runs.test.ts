import { beforeEach, describe, expect, it } from "vitest";
import { DependencyError } from "../../../functions/dependencies.ts";
import { claimIncident } from "../../../functions/incidents/incident-queue.ts";
import { releaseStuckRuns } from "../../../functions/incidents/stuck-runs.ts";
import { recoverStuckRuns } from "../../../functions/jobs/recover-stuck-runs.ts";
import type { Services } from "../../../functions/services.ts";
import { createExecutionContext } from "../support/execution-context.ts";
import { createHarness, emptyStores, sql } from "../support/harness.ts";
import { at, shift, uuid } from "./support.ts";

const { services, log } = createHarness();
const START = new Date("2026-02-01T12:00:00Z");
/** The time from which a run that began at START counts as stuck. */
const LATE = shift(START, 300_001);
const NOTHING = { closed: 0, failed: 0, sent: 0, retried: 0, retries_failed: 0 };

beforeEach(() => emptyStores(services));

/** Stores an investigation that began at START and whose worker died. */
async function startAndDie({
  number = 1,
  submittedVia = "direct",
}: {
  number?: number;
  submittedVia?: "direct" | "queue";
} = {}) {
  const incident = {
    id: uuid(number),
    created_at: START.toISOString(),
    title: `container ${number} exited with code 137`,
    question: null,
    target: null,
    severity: "high",
    labels: {},
    logs: "OOMKilled: true",
    session_id: uuid(number),
    domain: "docker",
    domain_rule: "no label decides",
    incident_type: "oom_killed",
    incident_type_rule: "cue",
    submitted_via: submittedVia,
  };
  const run = {
    run_id: uuid(1_000 + number),
    session_id: incident.session_id,
    started_at: incident.created_at,
    query: incident.title,
  };
  await services.database.call("insert_run", { p: { incident, run } });
  return incident.id;
}

/** Runs the job and waits for its background tasks. */
async function recoverWith(on: Services, time: Date) {
  const context = createExecutionContext();
  const counts = await recoverStuckRuns(at(on, time), (work) => context.waitUntil(work));
  await context.settled();
  return counts;
}

const recoverAt = (time: Date) => recoverWith(services, time);

async function statusOf(id: string) {
  const [row] = await sql`select status from public.incidents where id = ${id}`;
  return row?.status;
}

async function runsOf(id: string) {
  const rows = await sql`select started_at, finished_at is not null as ended, final_confidence from public.runs
    where incident_id = ${id} order by started_at`;
  return rows.map((row) => ({ ...row }));
}

/** Takes an incident for another run and never finishes it, like a worker that is killed. */
async function retryAndDie(time: Date) {
  const startedBefore = shift(time, -300_000);
  const { waiting } = await releaseStuckRuns(services.database, { now: time, startedBefore, limit: 1, maxAttempts: 3 });
  const [incidentId = ""] = waiting;
  return claimIncident(services.database, { incidentId, runId: services.newId(), now: time, maxAttempts: 3 });
}

/** Services with a queue whose messages the test reads. */
function withQueue() {
  const sent: unknown[] = [];
  const queue = {
    send: async () => {},
    sendBatch: async (messages: readonly { readonly body: unknown }[]) =>
      void sent.push(...messages.map(({ body }) => body)),
  };
  return { sent, services: createHarness({ TRIAGE_QUEUE: queue }).services };
}

/** Stores incidents that wait since START without a message in the queue. */
async function waitWithoutMessages(count: number) {
  await sql`insert into public.incidents (id, created_at, title, severity, session_id, domain, domain_rule, incident_type,
      incident_type_rule, status, submitted_via, queued_at, reported_by)
    select gen_random_uuid(), ${START}::timestamptz, 'container exited with code 137', 'high', 's', 'docker', 'r', 'oom_killed',
      'r', 'queued', 'queue', ${START}::timestamptz - n * interval '1 ms', 'token' from generate_series(1, ${count}::integer) n`;
}

describe("an unfinished run", () => {
  it("is kept open for STUCK_RUN_SECONDS and then closed with confidence 0", async () => {
    const id = await startAndDie();
    expect(await recoverAt(shift(START, 300_000))).toEqual(NOTHING);
    expect(await recoverAt(LATE)).toEqual({ ...NOTHING, closed: 1, failed: 1 });
    expect(await runsOf(id)).toEqual([{ started_at: START, ended: true, final_confidence: 0 }]);
    expect(await recoverAt(LATE)).toEqual(NOTHING);
  });

  it("of a synchronous request fails its incident with an event in the timeline", async () => {
    const id = await startAndDie();
    await recoverAt(LATE);
    expect(await statusOf(id)).toBe("failed");
    const [event] = await sql`select at, detail from public.incident_events where kind = 'failed'`;
    expect({ ...event }).toEqual({ at: LATE, detail: { reason: "abandoned", attempts: 1 } });
  });

  it("frees its idempotency key, and only its own", async () => {
    const dead = await startAndDie({ number: 1 });
    const other = await startAndDie({ number: 2 });
    await sql`update public.runs set finished_at = ${START} where incident_id = ${other}`;
    await sql`insert into public.idempotency_keys (key, request_hash, started_at, incident_id)
      values ('dead', 'h', ${START}, ${dead}), ('alive', 'h', ${START}, ${other})`;
    await recoverAt(LATE);
    expect((await sql`select key from public.idempotency_keys`).map(({ key }) => key)).toEqual(["alive"]);
  });

  it("does not change an incident that was triaged after all", async () => {
    const id = await startAndDie({ submittedVia: "queue" });
    await sql`update public.incidents set status = 'triaged'`;
    expect(await recoverAt(LATE)).toEqual({ ...NOTHING, closed: 1 });
    expect(await statusOf(id)).toBe("triaged");
  });
});

describe("a queued incident", () => {
  it("is investigated again with its original report", async () => {
    const id = await startAndDie({ submittedVia: "queue" });
    expect(await recoverAt(LATE)).toEqual({ ...NOTHING, closed: 1, retried: 1 });
    expect(await statusOf(id)).toBe("triaged");
    expect(await runsOf(id)).toMatchObject([
      { started_at: START, ended: true, final_confidence: 0 },
      { started_at: LATE, ended: true },
    ]);
    const response = await createHarness().request(`/v1/incidents/${id}`);
    expect(await response.json()).toMatchObject({ id, logs: "OOMKilled: true", triage: { incident_id: id } });
  });

  it("fails permanently after its third run", async () => {
    const id = await startAndDie({ submittedVia: "queue" });
    const second = LATE;
    const third = shift(second, 300_001);
    const end = shift(third, 300_001);
    expect(await retryAndDie(second)).toMatchObject({ attempt: 2 });
    expect(await retryAndDie(third)).toMatchObject({ attempt: 3 });
    expect(await recoverAt(end)).toEqual({ ...NOTHING, closed: 1, failed: 1 });
    expect(await statusOf(id)).toBe("failed");
    expect(await runsOf(id)).toHaveLength(3);
    const [event] = await sql`select detail from public.incident_events where kind = 'failed'`;
    expect(event?.detail).toEqual({ reason: "abandoned", attempts: 3 });
  });

  it("is logged, counted and retried later when the new run fails too", async () => {
    const id = await startAndDie({ submittedVia: "queue" });
    const fail = async () => {
      throw new DependencyError("database", "unreachable", "made unavailable by the test");
    };
    // The job reaches its database; the investigation reaches no dependency.
    const disconnected: Services = {
      ...services,
      database: { call: fail },
      embedder: { ...services.embedder, embed: fail },
      vectors: { ...services.vectors, search: fail },
    };
    expect(await recoverWith(disconnected, LATE)).toEqual({ ...NOTHING, closed: 1, retried: 1, retries_failed: 1 });
    expect(log.filter(({ event }) => event === "run.attempt_failed")).toMatchObject([
      { fields: { incident_id: id, attempt: 2, state: "queued" } },
    ]);
    expect(await statusOf(id)).toBe("queued");
    expect(await recoverAt(shift(LATE, 360_001))).toEqual({ ...NOTHING, retried: 1 });
    expect(await statusOf(id)).toBe("triaged");
  });
});

describe("many unfinished runs", () => {
  it("start at most 3 investigations in one job run without a queue", async () => {
    for (let number = 1; number <= 4; number++) await startAndDie({ number, submittedVia: "queue" });
    expect(await recoverAt(LATE)).toEqual({ ...NOTHING, closed: 4, retried: 3 });
    expect(await recoverAt(shift(LATE, 300_001))).toEqual({ ...NOTHING, retried: 1 });
  });

  it("are left to the queue where there is one", async () => {
    for (let number = 1; number <= 4; number++) await startAndDie({ number, submittedVia: "queue" });
    const { services: queued, sent } = withQueue();
    expect(await recoverWith(queued, LATE)).toEqual({ ...NOTHING, closed: 4, sent: 4 });
    expect(sent).toHaveLength(4);
    expect(await statusOf(uuid(1))).toBe("queued");
  });

  it("are each closed once by two overlapping job runs", async () => {
    for (let number = 1; number <= 8; number++)
      await startAndDie({ number, submittedVia: number <= 2 ? "queue" : "direct" });
    const jobRuns = [...(await Promise.all([recoverAt(LATE), recoverAt(LATE)])), await recoverAt(LATE)];
    const sum = (key: keyof typeof NOTHING) => jobRuns.reduce((total, counts) => total + counts[key], 0);
    expect({ closed: sum("closed"), failed: sum("failed"), retried: sum("retried") }).toEqual({
      closed: 8,
      failed: 6,
      retried: 2,
    });
    expect(await sql`select 1 from public.runs`).toHaveLength(10);
    expect(await sql`select 1 from public.runs where finished_at is null`).toHaveLength(0);
    expect(await sql`select 1 from public.triages`).toHaveLength(2);
  });
});

describe("500 incidents that wait without messages", () => {
  it("are all sent to the queue in one job run, once", async () => {
    await waitWithoutMessages(500);
    const { services: queued, sent } = withQueue();
    expect(await recoverWith(queued, LATE)).toEqual({ ...NOTHING, sent: 500 });
    const ids = (await sql`select id from public.incidents order by id`).map(({ id }) => ({ incident_id: id }));
    expect(sent.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))).toEqual(ids);
    expect(await recoverWith(queued, shift(LATE, 299_000))).toEqual(NOTHING);
    expect(sent).toHaveLength(500);
  });

  it("are sent once more when the messages are lost again", async () => {
    await waitWithoutMessages(3);
    const { services: queued } = withQueue();
    await recoverWith(queued, LATE);
    expect(await recoverWith(queued, shift(LATE, 300_001))).toEqual({ ...NOTHING, sent: 3 });
  });

  it("are investigated by the job, 3 at a time, while the queue takes no messages", async () => {
    await waitWithoutMessages(5);
    const failing = { send: async () => {}, sendBatch: () => Promise.reject(new Error("The queue is unavailable.")) };
    const { services: queueless } = createHarness({ TRIAGE_QUEUE: failing });
    expect(await recoverWith(queueless, LATE)).toEqual({ ...NOTHING, retried: 3 });
  });
});
