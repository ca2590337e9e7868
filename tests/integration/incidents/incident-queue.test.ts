import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { DependencyError } from "../../../functions/dependencies.ts";
import { claimIncident, recordRequeue } from "../../../functions/incidents/incident-queue.ts";
import { failedRunFinish } from "../../../functions/investigation/finish-run.ts";
import { consume, QUEUES, type QueueMessage } from "../../../functions/jobs/queues.ts";
import { recoverStuckRuns } from "../../../functions/jobs/recover-stuck-runs.ts";
import { problemSchema } from "../../../functions/routes/http/problem-schema.ts";
import type { Services } from "../../../functions/services.ts";
import { createHarness, deleteIncidents, sql, workerEnv } from "../support/harness.ts";
import { loadFreshRunbooks } from "../support/inventory.ts";
import { embedderAt } from "../support/servers/embedding-server.ts";
import { lyingServer } from "../support/servers/lying-server.ts";

const OOM = { title: "api-gateway docker container exited with code 137", target: "api-gateway", severity: "critical" };
const SECOND_MS = 1_000;

/** A fake of the platform's queue. It collects messages for the test to deliver. */
function createQueue() {
  const sent: unknown[] = [];
  return {
    sent,
    async send(body: unknown) {
      sent.push(body);
    },
    async sendBatch(messages: readonly { readonly body: unknown }[]) {
      sent.push(...messages.map(({ body }) => body));
    },
  };
}

let queue = createQueue();
let harness = createHarness();

beforeAll(() => loadFreshRunbooks(harness.services, workerEnv));
beforeEach(async () => {
  queue = createQueue();
  harness = createHarness({ TRIAGE_QUEUE: queue, OUTBOX_QUEUE: queue });
  await deleteIncidents(harness.services);
});

type Delivered = "acknowledged" | { readonly againInSeconds: number } | "untouched";

/** Delivers messages in one batch. @returns the outcome of each */
async function deliver(
  bodies: readonly unknown[],
  { services = harness.services, attempts = 1, queueName = QUEUES.triages as string } = {},
): Promise<Delivered[]> {
  const ends: Delivered[] = bodies.map(() => "untouched");
  const messages = bodies.map(
    (body, i): QueueMessage => ({
      body,
      attempts,
      ack: () => {
        ends[i] = "acknowledged";
      },
      retry: ({ delaySeconds }) => {
        ends[i] = { againInSeconds: delaySeconds };
      },
    }),
  );
  const background: Promise<unknown>[] = [];
  await consume(services, { queue: queueName, messages }, (work) => void background.push(work));
  await Promise.all(background);
  return ends;
}

const receiptSchema = z.object({ incident_id: z.string(), session_id: z.string(), status: z.string() });

async function report(body: unknown = OOM, headers: Record<string, string> = {}) {
  const response = await harness.post("/v1/incidents", body, headers);
  expect(response.status, await response.clone().text()).toBe(202);
  return { response, ...receiptSchema.parse(await response.json()) };
}

const incidentSchema = z.object({
  status: z.string(),
  events: z.array(z.object({ kind: z.string(), detail: z.record(z.string(), z.unknown()) })),
  triage: z
    .object({ outcome: z.string(), guardrails: z.object({ redacted: z.record(z.string(), z.number()) }) })
    .nullable(),
});

async function read(id: string) {
  return incidentSchema.parse(await (await harness.request(`/v1/incidents/${id}`)).json());
}

/** Services whose investigations reach no dependency, while the queue consumer reaches its database. */
function disconnected(services: Services): Services {
  const fail = async () => {
    throw new DependencyError("vector_store", "unreachable", "made unavailable by the test");
  };
  return {
    ...services,
    database: { call: fail },
    embedder: { ...services.embedder, embed: fail },
    vectors: { ...services.vectors, search: fail },
  };
}

describe("an incident for later investigation", () => {
  it("is stored, answered with its location, and sent to the queue as its id only", async () => {
    const { response, incident_id, status } = await report();
    expect(status).toBe("queued");
    expect(response.headers.get("location")).toBe(`/v1/incidents/${incident_id}`);
    expect(queue.sent).toEqual([{ incident_id }]);
    expect(await read(incident_id)).toMatchObject({ status: "queued", triage: null, events: [{ kind: "reported" }] });
  });

  it("is triaged when the queue delivers it, with an event in its timeline", async () => {
    const { incident_id } = await report();
    expect(await deliver(queue.sent)).toEqual(["acknowledged"]);
    const incident = await read(incident_id);
    expect(incident).toMatchObject({ status: "triaged", triage: { outcome: "cause" } });
    expect(incident.events.map(({ kind }) => kind)).toEqual(["reported", "triaged"]);
  });

  it("is scrubbed before it is stored, and its answer lists the redactions", async () => {
    const { incident_id } = await report({ ...OOM, logs: "login of dana@example.com failed" });
    const [row] = await sql`select logs from public.incidents`;
    expect(row?.logs).toBe("login of [REDACTED_EMAIL] failed");
    await deliver(queue.sent);
    expect((await read(incident_id)).triage?.guardrails.redacted).toEqual({ EMAIL: 1 });
  });

  it("is triaged once under repeated and concurrent deliveries", async () => {
    const { incident_id } = await report();
    const body = { incident_id };
    const ends = await Promise.all([deliver([body, body]), deliver([body]), deliver([body, body])]);
    expect(new Set(ends.flat())).toEqual(new Set(["acknowledged"]));
    expect(await deliver([body])).toEqual(["acknowledged"]);
    expect(await sql`select 1 from public.triages`).toHaveLength(1);
    expect(await sql`select 1 from public.runs`).toHaveLength(1);
  });

  it("is the same incident when its Idempotency-Key is repeated, also after the triage", async () => {
    const key = { "idempotency-key": "alert-1" };
    const first = await report(OOM, key);
    const again = await report(OOM, key);
    expect(again.incident_id).toBe(first.incident_id);
    expect(again.response.headers.get("idempotent-replayed")).toBe("true");
    await deliver(queue.sent);
    expect(await report(OOM, key)).toMatchObject({ incident_id: first.incident_id, status: "triaged" });
    for (const message of queue.sent) expect(message).toEqual({ incident_id: first.incident_id });
    expect(await sql`select 1 from public.incidents`).toHaveLength(1);
    expect(await sql`select 1 from public.triages`).toHaveLength(1);
  });

  it("is sent to the queue also when the database's first result is lost", async () => {
    let cut = false;
    await using flaky = await lyingServer({
      forwardTo: workerEnv.SUPABASE_URL ?? "",
      before: (path) => {
        if (cut || !path.endsWith("/enqueue_incident_within")) return undefined;
        cut = true;
        return "cut";
      },
    });
    harness = createHarness({ SUPABASE_URL: flaky.url, TRIAGE_QUEUE: queue });
    const { incident_id, status } = await report(OOM, { "idempotency-key": "alert-1" });
    expect(status).toBe("queued");
    expect(queue.sent).toEqual([{ incident_id }]);
  });

  it("has an Idempotency-Key per caller: two callers may use the same one", async () => {
    const caller = async (name: string) => {
      const made = await harness.post("/v1/admin/tokens", { name, scopes: ["triage"] });
      const { id, token } = z.object({ id: z.string(), token: z.string() }).parse(await made.json());
      return { id, headers: { authorization: `Bearer ${token}`, "idempotency-key": "build-1" } };
    };
    const [first, second] = [await caller("first"), await caller("second")];
    const { incident_id } = await report(OOM, first.headers);
    const other = await report({ title: "Something else" }, second.headers);
    expect(other.incident_id).not.toBe(incident_id);
    expect((await report(OOM, first.headers)).incident_id).toBe(incident_id);
    const rows = await sql`select id, reported_by from public.incidents`;
    expect(new Map(rows.map(({ id, reported_by }) => [id, reported_by]))).toEqual(
      new Map([
        [incident_id, first.id],
        [other.incident_id, second.id],
      ]),
    );
  });

  it("is refused when its Idempotency-Key belongs to another body or to another endpoint", async () => {
    await report(OOM, { "idempotency-key": "alert-1" });
    await harness.triage(OOM, { "idempotency-key": "alert-2" });
    for (const [key, body] of [
      ["alert-1", { title: "Something else" }],
      ["alert-2", OOM],
    ] as const) {
      const response = await harness.post("/v1/incidents", body, { "idempotency-key": key });
      expect(response.status).toBe(422);
      expect(problemSchema.parse(await response.json()).type).toBe("urn:dejavu:problem:idempotency-key-reused");
    }
    expect(await sql`select 1 from public.incidents`).toHaveLength(2);
  });

  it("is refused with a retry-after header while Postgres is unavailable", async () => {
    const unavailable = createHarness({ SUPABASE_URL: "http://127.0.0.1:9", TRIAGE_QUEUE: queue });
    const response = await unavailable.post("/v1/incidents", OOM);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(problemSchema.parse(await response.json())).toMatchObject({ dependencies: ["database"] });
    expect(queue.sent).toEqual([]);
  });

  it("is not delayed by a Chroma or an embedder that hangs", async () => {
    await using hanging = await lyingServer({ hang: true });
    const slow = createHarness({ ...embedderAt(hanging.url), CHROMA_URL: hanging.url, TRIAGE_QUEUE: queue });
    expect((await slow.post("/v1/incidents", OOM)).status).toBe(202);
    expect(hanging.requests).toEqual([]);
  });

  it("is found by recover-stuck-runs when the queue did not accept it", async () => {
    const failingQueue = {
      send: async () => {},
      sendBatch: () => Promise.reject(new Error("The queue is unavailable.")),
    };
    harness = createHarness({ TRIAGE_QUEUE: failingQueue });
    const { incident_id } = await report();
    expect(harness.log).toContainEqual(expect.objectContaining({ event: "triage_queue.send_failed" }));
    expect(await recoverStuckRuns(harness.services, () => {})).toMatchObject({ retried: 0 });
    harness.clock.advance(301 * SECOND_MS);
    expect(await recoverStuckRuns(harness.services, () => {})).toMatchObject({ retried: 1, retries_failed: 0 });
    expect(await read(incident_id)).toMatchObject({ status: "triaged" });
  });
});

describe("a failed run", () => {
  it("is requeued with growing delays, and its reason is in the timeline", async () => {
    const { incident_id } = await report();
    const body = { incident_id };
    expect(await deliver([body], { services: disconnected(harness.services) })).toEqual([{ againInSeconds: 30 }]);
    expect(await read(incident_id)).toMatchObject({
      status: "queued",
      events: [
        { kind: "reported" },
        {
          kind: "attempt_failed",
          detail: { attempt: 1, reason: "nothing could be searched: vector_store unreachable" },
        },
      ],
    });
    expect(await deliver([body], { services: disconnected(harness.services), attempts: 2 })).toEqual([
      { againInSeconds: 60 },
    ]);
    expect(await deliver([body], { attempts: 3 })).toEqual(["acknowledged"]);
    expect(await read(incident_id)).toMatchObject({ status: "triaged" });
  });

  it("fails the incident at the third attempt, with the reason of that run", async () => {
    const { incident_id } = await report();
    for (const attempts of [1, 2]) await deliver(queue.sent, { services: disconnected(harness.services), attempts });
    expect(await deliver(queue.sent, { services: disconnected(harness.services), attempts: 3 })).toEqual([
      "acknowledged",
    ]);
    const { status, events } = await read(incident_id);
    expect(status).toBe("failed");
    expect(events.at(-1)).toEqual({
      kind: "failed",
      detail: { attempts: 3, reason: "nothing could be searched: vector_store unreachable" },
    });
  });

  it("leaves its incident to recover-stuck-runs when it cannot be requeued", async () => {
    const { incident_id } = await report();
    const services = disconnected(harness.services);
    const failingRequeue: Services = {
      ...services,
      background: {
        ...services.background,
        database: {
          call: (name, args, schema, options) =>
            name === "requeue_run"
              ? Promise.reject(new DependencyError("database", "unreachable", "made unavailable by the test"))
              : harness.services.background.database.call(name, args, schema, options),
        },
      },
    };
    expect(await deliver(queue.sent, { services: failingRequeue })).toEqual([{ againInSeconds: 30 }]);
    expect(await read(incident_id)).toMatchObject({ status: "investigating" });
    expect(await deliver(queue.sent)).toEqual(["acknowledged"]);
    expect(await read(incident_id)).toMatchObject({ status: "investigating" });
    harness.clock.advance(301 * SECOND_MS);
    const { sent } = queue;
    sent.length = 0;
    expect(await recoverStuckRuns(harness.services, () => {})).toMatchObject({ closed: 1, sent: 1 });
    expect(sent).toEqual([{ incident_id }]);
    await deliver(sent);
    expect(await read(incident_id)).toMatchObject({ status: "triaged" });
  });

  it("does not delay the other messages of its batch", async () => {
    const first = await report();
    const second = await report();
    const services = harness.services;
    const failingFirst: Services = {
      ...services,
      background: {
        ...services.background,
        database: {
          call: (name, args, schema, options) =>
            name === "claim_incident" && JSON.stringify(args).includes(first.incident_id)
              ? Promise.reject(new DependencyError("database", "timeout", "made unavailable by the test"))
              : services.background.database.call(name, args, schema, options),
        },
      },
    };
    expect(await deliver(queue.sent, { services: failingFirst, attempts: 4 })).toEqual([
      { againInSeconds: 240 },
      "acknowledged",
    ]);
    const statuses = [await read(first.incident_id), await read(second.incident_id)].map(({ status }) => status);
    expect(statuses.toSorted()).toEqual(["queued", "triaged"]);
  });
});

describe("a failed run of an incident that is already resolved", () => {
  it("is closed with its token usage and not repeated", async () => {
    const { incident_id } = await report();
    const services = disconnected(harness.services);
    const runId = services.newId();
    const now = services.now();
    const run = await claimIncident(harness.services.database, { incidentId: incident_id, runId, now, maxAttempts: 3 });
    expect(run).toMatchObject({ attempt: 1 });
    await sql`update public.incidents set status = 'resolved', resolved_at = ${now} where id = ${incident_id}`;
    const requeue = {
      now,
      incidentId: incident_id,
      runId,
      reason: "vector_store unreachable",
      againAt: now,
      maxAttempts: 3,
      finish: failedRunFinish(now),
      usage: { calls: 1, inputTokens: 10_000, cachedInputTokens: 0, outputTokens: 1, costUsd: null },
    };
    expect(await recordRequeue(harness.services.database, requeue)).toBe("ended");
    expect(await sql`select 1 from public.model_usage where input_tokens = 10000`).toHaveLength(1);
    expect(await sql`select 1 from public.runs where finished_at is null`).toHaveLength(0);
  });
});

describe("a message", () => {
  it("that is malformed or names a missing incident is acknowledged", async () => {
    const missing = { incident_id: "0f9d6f2a-0000-4000-8000-000000000000" };
    expect(await deliver(["nonsense", { incident_id: 7 }, missing])).toEqual(Array(3).fill("acknowledged"));
  });

  it("in the dead letter queue fails its incident with the reason of the last run", async () => {
    const { incident_id } = await report();
    await deliver(queue.sent, { services: disconnected(harness.services) });
    expect(await deliver(queue.sent, { queueName: QUEUES.deadTriages })).toEqual(["acknowledged"]);
    const { status, events } = await read(incident_id);
    expect(status).toBe("failed");
    expect(events.at(-1)).toMatchObject({
      kind: "failed",
      detail: { reason: expect.stringContaining("vector_store") },
    });
  });

  it("in the dead letter queue without any run fails its incident with the reason delivery_given_up", async () => {
    const { incident_id } = await report();
    await deliver(queue.sent, { queueName: QUEUES.deadTriages });
    expect((await read(incident_id)).events.at(-1)).toEqual({
      kind: "failed",
      detail: { reason: "delivery_given_up", attempts: 0 },
    });
  });

  it("in the dead letter queue does not change an incident that is triaged", async () => {
    const { incident_id } = await report();
    await deliver(queue.sent);
    await deliver(queue.sent, { queueName: QUEUES.deadTriages });
    expect(await read(incident_id)).toMatchObject({ status: "triaged" });
  });

  it("of an unknown queue is logged and left untouched", async () => {
    expect(await deliver([{}], { queueName: "dejavu-unknown" })).toEqual(["untouched"]);
    expect(harness.log).toContainEqual(expect.objectContaining({ event: "queue.unknown" }));
  });
});
